package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkWrittenProgram walks a program that the text itself put where it is found: a copy of another
// program, or a script. done and ok are those of walkBuiltin.
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

// useOriginalName replaces the name of a copy by that of the original program. It reports false if
// there is nothing to replace.
func (w *walker) useOriginalName(c *command, f *file, path string) bool {
	name := argv.ProgramName(path)
	switch argv.ProgramName(f.copyOf) {
	case name:
		return false
	case "busybox", "toybox", "coreutils":
		if argv.GuessProgram(name, name, false) != "" {
			return false // they act by the name under which they are called
		}
	}
	words := append([]shell.Word{{Text: f.copyOf, Glob: expand.IsPattern(f.copyOf)}}, c.words[1:]...)
	c.words, c.skipFunctions = words, true
	return true
}

// reportOpenPATH reports a PATH whose first directories are ones where anybody can have put programs.
func (w *walker) reportOpenPATH(c *command) {
	v := w.st.lookupVariable("PATH")
	if v == nil || v.Gone || strings.Contains(c.words[0].Text, "/") {
		return
	}
	switch c.words[0].Text {
	case "echo", "printf", "test", "[", "pwd", "kill", "type", "ulimit", "jobs", "time":
		return // the shell does it itself
	}
	path := v.Word.Text
	for w.spendStep() {
		first, rest, more := strings.Cut(path, ":")
		if strings.HasPrefix(first, placeholder) && strings.Trim(first, placeholder) == "" || argv.IsStandardDir(first) {
			return // from here on everything is as it was
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

// walkHash walks hash -p file name, which binds a name to a file.
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
