package resolve

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// projects walks what programs run by files of the project, or by sources that the text
// itself writes.
type projects struct{ options }

// recipes walks what make runs for the targets that it is told to make. What it is given to
// read besides the project's own file is not read.
func (w projects) recipes(call *shell.Call, c *command) {
	if argv.Has(call.Args, "--version") || argv.Has(call.Args, "--help") {
		return
	}
	f := w.rulesFile(call, c, "-f --file --makefile")
	switch {
	case w.givenRules(call, c):
		w.reportOpaque(displayWords(c.words), "runs rules that checkrein does not read")
	case !w.runner(call, c) && f != nil && f.seq > 0:
		w.reportOpaque(displayWords(c.words), "runs rules of "+displayText(f.path)+", which this command writes and checkrein cannot read")
	}
}

// givenRules reports whether a call of make gets rules by its words, by a stream or by a
// variable.
func (w projects) givenRules(call *shell.Call, c *command) bool {
	given := slices.ContainsFunc(call.Args, func(a shell.Word) bool {
		return strings.HasPrefix(a.Text, "--eval") || strings.HasPrefix(a.Text, "MAKEFILES=")
	})
	argv.EachOption(call.Args, "--file --makefile", func(path shell.Word) { given = given || isStream(path.Text) })
	for i, a := range call.Args {
		letters, isShort := strings.CutPrefix(a.Text, "-")
		at := strings.IndexAny(letters, "fE") // -nf -
		if !isShort || at < 0 || strings.HasPrefix(letters, "-") {
			continue
		}
		path := letters[at+1:]
		if path == "" && i+1 < len(call.Args) {
			path = call.Args[i+1].Text
		}
		given = given || letters[at] == 'E' || isStream(path) || strings.Contains(path, placeholder)
	}
	w.variables(c, "MAKEFILES", func(shell.Word) { given = true })
	return given
}

// runner walks what a program runs by a file of the project's: a Makefile's targets, a
// package's scripts, recipes, tasks. It reports false when that is not known.
func (w projects) runner(call *shell.Call, c *command) bool {
	dir := w.fullPath(".", &c.context)
	if c.remote != "" || dir[0] != '/' || strings.Contains(dir, placeholder) || !w.tracksFiles() {
		return false
	}
	res, ok := taskfile.Read(call, dir, looker{&w.fileTable})
	if !ok || len(res.Parts) == 0 {
		return false
	}
	first := &res.Parts[0]
	own := slices.ContainsFunc(res.Parts, func(p taskfile.Part) bool { return w.place.Wrote != nil && w.place.Wrote(p.Path) })
	written := slices.ContainsFunc(res.Parts, func(p taskfile.Part) bool { return w.wroteFile(p.Path) })
	if written && !res.Rules && len(res.Unsure) > 0 {
		w.reportOpaque(displayWords(c.words), "runs "+displayText(first.Path)+", which this command writes and checkrein cannot read in full")
	}
	if own && res.Rules {
		before := w.source
		w.source = textSource{file: &shell.Source{Path: first.Path, Own: own}, depth: -1}
		w.reportOpaque(displayWords(c.words), "runs "+displayText(first.Path)+", which an earlier call wrote and checkrein does not read")
		w.source = before
	}
	if len(res.Texts) == 0 {
		return false
	}
	if !own && !written && slices.ContainsFunc(call.Args, func(a shell.Word) bool { return !a.Known() }) {
		return true // which of it runs is not known, and all of it does not
	}
	if !w.enterFile(first.Path+" "+displayWords(c.words), c) {
		return true
	}
	if own && len(res.Unsure) > 0 {
		w.reportOpaque(displayWords(c.words), res.Unsure[0])
	}
	before := w.source
	if !written {
		w.source = textSource{file: &shell.Source{Path: first.Path, Own: own}, depth: -1}
	}
	w.runTexts(c, dir, res.Texts)
	w.source = before
	w.leaveFile()
	return true
}

// runTexts walks the texts that a task runner hands to shells.
func (w projects) runTexts(c *command, dir string, texts []taskfile.Text) {
	for i := range texts {
		if !w.spendStep() {
			return
		}
		t := &texts[i]
		inner := *c
		inner.redir, inner.savedVars, inner.hops = nil, nil, c.hops+1
		if t.Dir != dir {
			inner.dir, inner.altDirs = t.Dir, nil
		}
		w.nested(shell.Word{Text: given(t.Env) + t.Text}, nil, &inner)
	}
}

// given are variables as a shell is told them.
func given(vars []shell.Variable) string {
	var b strings.Builder
	for i := range vars {
		b.WriteString("export " + vars[i].Name + "=" + expand.Quote(vars[i].Value.Text) + "\n")
	}
	return b.String()
}

// A looker is the disk as it is once the text has written what it writes.
type looker struct{ w *fileTable }

func (l looker) File(path string) ([]byte, error) {
	for i := len(l.w.files) - 1; i >= 0; i-- {
		if f := &l.w.files[i]; f.path == path && !f.isDir {
			return []byte(f.text), nil
		}
	}
	if l.w.place.Read != nil {
		if text, ok := l.w.place.Read(path); ok && l.w.spendBytes(len(text)) {
			return []byte(text), nil
		}
	}
	return nil, fs.ErrNotExist
}
