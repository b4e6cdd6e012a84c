package resolve

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// An environ is a walker as the [expand.Env] of its words.
type environ struct{ *walker }

func (w environ) SpendStep() bool                       { return w.spendStep() }
func (w environ) SpendBytes(n int) bool                 { return w.spendBytes(n) }
func (w environ) ReportLimit()                          { w.reportLimit() }
func (w environ) Variable(name string) *expand.Variable { return w.st.lookupVariable(name) }
func (w environ) Variables() []expand.Variable          { return w.st.vars }
func (w environ) Assign(name string, value shell.Word)  { w.setVariableWord(name, value) }
func (w environ) Parameters() *expand.Parameters        { return &w.st.Parameters }
func (w environ) Home() string                          { return w.homeDir() }
func (w environ) Dir() string                           { return w.workingDir() }
func (w environ) OldDir() string                        { return w.oldDir() }
func (w environ) Choice() int                           { return w.choice }
func (w environ) Output(list []*syntax.Stmt) shell.Word { return w.captureOutput(list) }
func (w environ) WalkReexpanded(text string)            { w.walkReexpanded(text) }

// EnvDir implements [expand.Env]. It returns "" if the command runs on another machine.
func (w environ) EnvDir(name string) string {
	if w.st.remote != "" {
		return ""
	}
	return w.place.EnvDir(name)
}

// Process implements [expand.Env].
func (w environ) Process(p *syntax.ProcSubst) (path string, from []*shell.Call, ok bool) {
	t, ok := w.newPipeReader(p.Stmts)
	if !ok {
		return "", w.captureOutput(p.Stmts).From, false
	}
	path = "/dev/fd/" + strconv.Itoa(t.fd)
	if p.Op == syntax.CmdOut {
		w.readers = append(w.readers, t)
		return path, nil, true
	}
	word := w.captureOutput(p.Stmts)
	flow := &shell.Flow{From: word.From, Complete: word.IsKnown(), Text: word.Text}
	if flow.Text == placeholder {
		flow.Text = ""
	}
	if flow.Complete && flow.Text != "" {
		flow.Text += "\n"
	}
	w.pipes[63-t.fd] = flow
	return path, word.From, true
}

// walkReexpanded walks the command substitutions in text that the shell expands once more, such as a
// prompt.
func (w *walker) walkReexpanded(text string) {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") || strings.Contains(text, "__git_ps1") {
		return
	}
	if w.depth >= maxDepth || !w.spendBytes(len(text)) || expand.ParsableLen(text) < len(text) {
		w.reportLimit()
		return
	}
	w.steps -= 50 // parsing costs more than walking
	doc, err := syntax.NewParser().Document(strings.NewReader(strings.ReplaceAll(text, `\$`, "#")))
	if err != nil {
		w.reportOpaque(displayText(text), "cannot be read, because the shell expands it twice")
		w.addGap(displayText(text), "cannot be read, because the shell expands it twice")
		return
	}
	w.depth++
	w.ExpandWord(doc)
	w.depth--
}
