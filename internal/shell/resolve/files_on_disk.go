package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxLookups bounds how often a walk reads existing files.
const maxLookups = 256

// tracksFiles reports whether the contents of any file can be known: the text wrote some, or existing
// ones can be read.
func (w *fileTable) tracksFiles() bool { return len(w.files) > 0 || w.place.Read != nil }

// loadFile reads a file that existed before the text and records it. It returns nil if the file cannot
// be read.
func (w *fileTable) loadFile(full string) *file {
	if w.place.Read == nil || len(w.files) >= maxVars || w.lookups >= maxLookups || strings.Contains(full, placeholder) || full == "" || full[0] != '/' {
		return nil
	}
	w.lookups++
	text, ok := w.place.Read(full)
	if !ok || !w.spendBytes(len(text)) {
		return nil
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:], content: content{text: text, sure: true}, onDisk: true})
	return &w.files[len(w.files)-1]
}

// enterSource makes f, if it was read from disk, the source of the text that is walked next. It
// returns the previous source.
func (w *fileTable) enterSource(f *file) textSource {
	before := w.source
	if f.onDisk {
		w.source = textSource{file: w.newSource(f), depth: w.depth + 1}
	}
	return before
}

// reportUnreadable reports a file that runs, that the session itself wrote, and that cannot be read:
// because it is binary or too large, or because its permissions only let it run.
func (w *fileTable) reportUnreadable(c *command, path string) {
	if w.place.Wrote == nil || c.remote != "" || isStream(path) || len(path) > maxPath || strings.Contains(path, placeholder) {
		return
	}
	full := w.fullPath(path, &c.context)
	if full[0] != '/' || w.place.Kind != nil && w.place.Kind(full) != shell.PathFile || !w.place.Wrote(full) {
		return
	}
	e := shell.OpaqueEffect(displayWords(c.words), "runs "+displayText(path)+", which was written in this session and which checkrein cannot read")
	e.Source = &shell.Source{Path: full, Own: true}
	w.addProblem(e)
}

// loadNamedFiles reads the files that a call names.
func (w *fileTable) loadNamedFiles(call *shell.Call, at *context) {
	for i := range call.Args {
		if t := call.Args[i].Text; t != "" && t[0] != '-' {
			w.fileAt(t, at)
		}
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Op == "<" {
			w.fileAt(r.Target.Text, at)
		}
	}
}
