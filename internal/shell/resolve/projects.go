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

// projects walks what programs run because of files of the project, or because of sources that the
// text wrote.
type projects struct{ options }

// walkRecipes walks the recipes that make runs for its targets. It reports rules that come from
// arguments, streams or variables, because these are not read.
func (w projects) walkRecipes(call *shell.Call, c *command) {
	if argv.HasWord(call.Args, "--version") || argv.HasWord(call.Args, "--help") {
		return
	}
	f := w.rulesFile(call, c, "-f --file --makefile")
	switch {
	case w.hasExtraRules(call, c):
		w.reportOpaque(displayWords(c.words), "runs rules that checkrein does not read")
	case !w.walkTasks(call, c) && f != nil && f.seq > 0:
		w.reportOpaque(displayWords(c.words), "runs rules of "+displayText(f.path)+", which this command writes and checkrein cannot read")
	}
}

// hasExtraRules reports whether a call of make gets rules from its arguments, a stream or a variable.
func (w projects) hasExtraRules(call *shell.Call, c *command) bool {
	given := slices.ContainsFunc(call.Args, func(a shell.Word) bool {
		return strings.HasPrefix(a.Text, "--eval") || strings.HasPrefix(a.Text, "MAKEFILES=")
	})
	argv.EachSimpleOptionValue(call.Args, "--file --makefile", func(path shell.Word) { given = given || isStream(path.Text) })
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
	w.eachVariable(c, "MAKEFILES", func(shell.Word) { given = true })
	return given
}

// walkTasks walks what call runs because of a file of the project: the targets of a Makefile, the
// scripts of a package, recipes, tasks. It reports false if that is unknown.
func (w projects) walkTasks(call *shell.Call, c *command) bool {
	dir := w.fullPath(".", &c.context)
	if c.remote != "" || dir[0] != '/' || strings.Contains(dir, placeholder) || !w.tracksFiles() {
		return false
	}
	res, ok := taskfile.Read(call, dir, diskView{&w.fileTable})
	if !ok || len(res.Parts) == 0 {
		return false
	}
	first := &res.Parts[0]
	own := slices.ContainsFunc(res.Parts, func(p taskfile.Part) bool { return w.place.Wrote != nil && w.place.Wrote(p.Path) })
	written := slices.ContainsFunc(res.Parts, func(p taskfile.Part) bool { return w.wroteFile(p.Path) })
	if written && !res.HasUnreadCommands && len(res.Unsure) > 0 {
		w.reportOpaque(displayWords(c.words), "runs "+displayText(first.Path)+", which this command writes and checkrein cannot read in full")
	}
	if own && res.HasUnreadCommands {
		before := w.source
		w.source = textSource{file: &shell.Source{Path: first.Path, Own: own}, depth: -1}
		w.reportOpaque(displayWords(c.words), "runs "+displayText(first.Path)+", which an earlier call wrote and checkrein does not read")
		w.source = before
	}
	if len(res.Texts) == 0 {
		return false
	}
	if !own && !written && slices.ContainsFunc(call.Args, func(a shell.Word) bool { return !a.IsKnown() }) {
		return true // which tasks run is unknown, and not all of them do
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
	w.walkTaskTexts(c, dir, res.Texts)
	w.source = before
	w.leaveFile()
	return true
}

// walkTaskTexts walks the commands that a task runner passes to shells. dir is the directory of the
// call.
func (w projects) walkTaskTexts(c *command, dir string, texts []taskfile.Text) {
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
		w.walkInShell(shell.Word{Text: exportLines(t.Env) + t.Text}, nil, &inner)
	}
}

// exportLines returns shell code that exports vars, one line each.
func exportLines(vars []shell.Variable) string {
	var b strings.Builder
	for i := range vars {
		b.WriteString("export " + vars[i].Name + "=" + expand.Quote(vars[i].Value.Text) + "\n")
	}
	return b.String()
}

// A diskView gives access to files as they are after the text has run so far.
type diskView struct{ w *fileTable }

// File returns the contents of the file at path: as the text wrote them, or else from disk.
func (l diskView) File(path string) ([]byte, error) {
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
