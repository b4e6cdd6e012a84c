package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// script walks a file that the text wrote before it runs it. done and ok are as
// builtin's: a script for another interpreter is left as that one's command.
func (w *walker) script(c *command, f *file) (done, ok bool) {
	if d := argv.Download(f.from); d != nil && !f.sure {
		w.reportRemoteCode(d, c.words)
		if f.text == "" || f.text == placeholder {
			w.emitCall(c)
			return true, true
		}
	}
	first, _, _ := strings.Cut(f.text, "\n")
	if line, found := strings.CutPrefix(first, "#!"); found && !shebangShell(line) {
		words := shebang(line, c.words)
		if len(w.frames) >= maxDepth {
			w.reportLimit()
		}
		if words == nil || len(w.frames) >= maxDepth {
			return false, false
		}
		c.words, c.skipFunctions = words, true
		return false, true
	}
	if !w.runs(c, f, c.words[1:]) {
		return false, false
	}
	return true, true
}

// shebangShell reports whether the interpreter in a script's first line is a shell.
func shebangShell(line string) bool {
	for i, part := range strings.Fields(line) {
		if facts.Shell(argv.ProgramName(part)) {
			return true
		}
		if i == 0 && !isEnv(part) || i > 0 && part[0] != '-' {
			return false
		}
	}
	return false
}

// isEnv reports whether a program is env, which looks for the interpreter that it is given.
func isEnv(path string) bool { return argv.ProgramName(path) == "env" }

// shebang is the command that a script's first line makes of its call.
func shebang(line string, words []shell.Word) []shell.Word {
	parts := strings.Fields(line)
	if len(parts) == 0 || len(parts) > 8 {
		return nil
	}
	if isEnv(parts[0]) {
		parts = parts[1:]
		if len(parts) > 0 && (parts[0] == "-S" || parts[0] == "--split-string") {
			parts = parts[1:]
		}
	}
	if len(parts) == 0 {
		return nil
	}
	out := make([]shell.Word, 0, len(parts)+len(words))
	for _, p := range parts {
		out = append(out, shell.Word{Text: p})
	}
	return append(out, words...)
}

// runs walks the content of a file as a shell does that reads it. It reports false
// when nothing is known of it.
func (w *walker) runs(c *command, f *file, args []shell.Word) bool {
	text, ok := f.code()
	if !ok {
		return false
	}
	path, old := f.path, f.keepsOld
	if w.enterFile(path, c) {
		w.addGroupRedirects(c)
		before := w.enterSource(f)
		w.nested(text, args, c)
		w.source = before
		w.leaveFile()
	}
	if old {
		w.emitCall(c)
	}
	return true
}

// code is what a shell runs that reads the file. Of a file that was there before,
// the rest is no business of the text.
func (f *file) code() (shell.Word, bool) {
	text := f.text
	if f.keepsOld {
		if text = strings.TrimSpace(strings.TrimPrefix(text, placeholder)); text == "" && !f.untracked {
			return shell.Word{}, false
		}
	}
	if f.untracked {
		text += "\n" + placeholder
	}
	return shell.Word{Text: text, From: f.unknownFrom}, true
}

// enterFile begins with a file that runs. It reports false when it is running
// already, or when there are too many.
func (w *walker) enterFile(path string, c *command) bool {
	for i := range w.frames {
		if fr := &w.frames[i]; fr.name == path {
			if w.forks > fr.forks {
				w.reportForkBomb(displayWords(c.words))
			}
			return false
		}
	}
	if len(w.frames) >= maxDepth {
		w.reportLimit()
		return false
	}
	w.frames = append(w.frames, frame{name: path, forks: w.forks, conds: w.conds})
	return true
}

func (w *walker) leaveFile() { w.frames = w.frames[:len(w.frames)-1] }

// sourced walks a file in the shell at hand.
func (w *walker) sourced(c *command, f *file) bool {
	text, ok := f.code()
	if !ok {
		return false
	}
	path, old := f.path, f.keepsOld
	if w.enterFile(path, c) {
		w.addGroupRedirects(c)
		before := w.enterSource(f)
		w.code(text, c)
		w.source = before
		w.leaveFile()
	}
	if old {
		w.emitCall(c)
	}
	return true
}
