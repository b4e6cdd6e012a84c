package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// walkScript walks the script f that c runs. A script for an interpreter that is not a shell becomes a
// command of that interpreter. done and ok are those of walkBuiltin; ok is false if the contents are
// unknown.
func (w *walker) walkScript(c *command, f *file) (done, ok bool) {
	if d := argv.FindDownload(f.from); d != nil && !f.sure {
		w.reportRemoteCode(d, c.words)
		if f.text == "" || f.text == placeholder {
			w.emitCall(c)
			return true, true
		}
	}
	first, _, _ := strings.Cut(f.text, "\n")
	if line, found := strings.CutPrefix(first, "#!"); found && !argv.IsShellShebang(line) {
		words := argv.ShebangCommand(line, c.words)
		if len(w.frames) >= maxDepth {
			w.reportLimit()
		}
		if words == nil || len(w.frames) >= maxDepth {
			return false, false
		}
		c.words, c.skipFunctions = words, true
		return false, true
	}
	if !w.walkFileInShell(c, f, c.words[1:]) {
		return false, false
	}
	return true, true
}

// walkFileInShell walks the contents of f as the code of a new shell with the arguments args. It
// reports false if they are unknown.
func (w *walker) walkFileInShell(c *command, f *file, args []shell.Word) bool {
	text, ok := f.runnableText()
	if !ok {
		return false
	}
	path, old := f.path, f.keepsOld
	if w.enterFile(path, c) {
		w.addGroupRedirects(c)
		before := w.enterSource(f)
		w.walkInShell(text, args, c)
		w.source = before
		w.leaveFile()
	}
	if old {
		w.emitCall(c)
	}
	return true
}

// runnableText returns the code that a shell runs if it reads f, without contents that existed before
// the text. It reports false if that leaves nothing.
func (f *file) runnableText() (shell.Word, bool) {
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

// enterFile adds a frame for the file at path, whose contents are walked next. It reports false if
// that file is being walked already, or if there are too many frames.
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

// leaveFile removes the frame that enterFile added.
func (w *walker) leaveFile() { w.frames = w.frames[:len(w.frames)-1] }

// walkSourcedFile walks the contents of f as code of the current shell. It reports false if they are
// unknown.
func (w *walker) walkSourcedFile(c *command, f *file) bool {
	text, ok := f.runnableText()
	if !ok {
		return false
	}
	path, old := f.path, f.keepsOld
	if w.enterFile(path, c) {
		w.addGroupRedirects(c)
		before := w.enterSource(f)
		w.walkCode(text, c)
		w.source = before
		w.leaveFile()
	}
	if old {
		w.emitCall(c)
	}
	return true
}
