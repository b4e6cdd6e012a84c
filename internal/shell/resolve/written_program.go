package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkWrittenProgram walks the recorded file that the name or path of a program leads to: a script, or
// a copy of another program. done and ok are those of walkBuiltin; ok is false if there is no such
// file.
func (w *walker) walkWrittenProgram(c *command, path string) (done, ok bool) {
	var f *file
	if strings.Contains(path, "/") {
		f = w.fileAt(path, &c.context)
	} else {
		f = w.fileInPATH(path)
	}
	if f == nil || f.isDir {
		return false, false
	}
	if f.copyOf != "" {
		return false, w.useOriginalName(c, f, path)
	}
	return w.walkScript(c, f)
}

// useOriginalName replaces the program of c, which is f at path, with the program that f is a copy of.
// It reports false if both act the same.
func (w *walker) useOriginalName(c *command, f *file, path string) bool {
	name := argv.ProgramName(path)
	switch argv.ProgramName(f.copyOf) {
	case name:
		return false
	case "busybox", "toybox", "coreutils":
		if argv.GuessProgram(name, name, false) != "" {
			return false // these programs act according to the name under which they are called
		}
	}
	words := append([]shell.Word{{Text: f.copyOf, Glob: expand.IsPattern(f.copyOf)}}, c.words[1:]...)
	c.words, c.skipFunctions = words, true
	return true
}

// reportUntrustedPATH reports c if the text put an untrusted directory before the usual ones in PATH,
// because programs there can replace the program of c. It walks that program if the session wrote it.
func (w *walker) reportUntrustedPATH(c *command) {
	v := w.st.lookupVariable("PATH")
	if v == nil || v.Unset || strings.Contains(c.words[0].Text, "/") {
		return
	}
	switch c.words[0].Text {
	case "echo", "printf", "test", "[", "pwd", "kill", "type", "ulimit", "jobs", "time":
		return // a builtin of the shell
	}
	path := v.Word.Text
	for w.spendStep() {
		first, rest, more := strings.Cut(path, ":")
		if strings.HasPrefix(first, placeholder) && strings.Trim(first, placeholder) == "" || argv.IsStandardDir(first) {
			return // the usual directories follow
		}
		if path := first + "/" + c.words[0].Text; first != "" && w.loadOwnFile(path, &c.context) != nil {
			w.walkWords(c, append([]shell.Word{{Text: path}}, c.words[1:]...))
			return
		}
		if !argv.IsTrustedDir(first, w.place.Dir) {
			full := w.lexicalPath(first, &c.context)
			if first == "" {
				first = "the working directory"
			}
			reason := "puts " + displayText(first) + " first in PATH, so programs there can replace the usual ones"
			if facts.IsOpenToAll(full) && !isAtOrBelow(full, w.place.Root) && !isAtOrBelow(full, w.place.Dir) {
				w.reportOpaque("PATH="+displayText(v.Word.Text), reason)
			} else {
				w.reportUnknown("PATH="+displayText(v.Word.Text), reason)
			}
			return
		}
		if !more {
			return
		}
		path = rest
	}
}

// walkHash walks hash -p FILE NAME, which makes NAME run FILE.
func (w *walker) walkHash(args []shell.Word) {
	for i, a := range args {
		if a.Text != "-p" || i+2 >= len(args) {
			continue
		}
		c := content{text: placeholder, keepsOld: true, copyOf: args[i+1].Text}
		if f := w.fileHere(args[i+1].Text); f != nil {
			if c = f.content; c.text == "" {
				c.text = placeholder
			}
		}
		for _, name := range args[i+2:] {
			w.recordWrite("/usr/bin/"+name.Text, &w.st.context, c, false)
		}
		return
	}
}
