package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxLookups bounds how often a walk asks for files that are there.
const maxLookups = 256

// mayKnow reports whether anything can be known of files: the text wrote some, or
// those that are there can be read.
func (w *fileTable) mayKnow() bool { return len(w.files) > 0 || w.place.Read != nil }

// onDisk takes up a file that was there before the text, or returns nil.
func (w *fileTable) onDisk(full string) *file {
	if w.place.Read == nil || len(w.files) >= maxVars || w.lookups >= maxLookups || strings.Contains(full, placeholder) || full == "" || full[0] != '/' {
		return nil
	}
	w.lookups++
	text, ok := w.place.Read(full)
	if !ok || !w.pay(len(text)) {
		return nil
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:], content: content{text: text, sure: true}, disk: true})
	return &w.files[len(w.files)-1]
}

// saidBy makes a file that runs, and was there before, the source of what is walked. What
// it returns was the source until then.
func (w *fileTable) saidBy(f *file) origin {
	before := w.said
	if f.disk {
		w.said = origin{at: w.sourceOf(f), depth: w.depth + 1}
	}
	return before
}

// unreadable asks about a file that runs, that who gives the command wrote and that
// cannot be read: it is binary, too large, or somebody else may only run it.
func (w *fileTable) unreadable(c *command, path string) {
	if w.place.Wrote == nil || c.remote != "" || nowhere(path) || len(path) > maxPath || strings.Contains(path, placeholder) {
		return
	}
	full := w.spot(path, &c.context)
	if full[0] != '/' || w.place.Kind != nil && w.place.Kind(full) != shell.PathFile || !w.place.Wrote(full) {
		return
	}
	e := shell.Evaluates(displayWords(c.words), "runs "+displayText(path)+", which was written in this session and which checkrein cannot read")
	e.Source = &shell.Source{Path: full, Own: true}
	w.report(e)
}

// lookUp takes up the files that a call names.
func (w *fileTable) lookUp(call *shell.Call, at *context) {
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
