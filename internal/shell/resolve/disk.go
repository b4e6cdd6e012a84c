package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxLookups bounds how often a walk asks for files that are there.
const maxLookups = 256

// mayKnow reports whether anything can be known of files: the text wrote some, or
// those that are there can be read.
func (w *walker) mayKnow() bool { return len(w.files) > 0 || w.place.Read != nil }

// onDisk takes up a file that was there before the text, or returns nil.
func (w *walker) onDisk(full string) *file {
	if w.place.Read == nil || len(w.files) >= maxVars || w.lookups >= maxLookups || strings.Contains(full, hole) || full == "" || full[0] != '/' {
		return nil
	}
	w.lookups++
	text, ok := w.place.Read(full)
	if !ok || !w.pay(len(text)) {
		return nil
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:], content: content{text: text, sure: true}})
	return &w.files[len(w.files)-1]
}

// lookUp takes up the files that a call names.
func (w *walker) lookUp(call *shell.Call, at *context) {
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
