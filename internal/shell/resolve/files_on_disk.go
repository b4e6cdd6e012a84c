package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxLookups bounds how many times a walk reads existing files.
const maxLookups = 256

// tracksFiles reports whether the contents of any file can be known, because the text wrote files or
// existing files can be read.
func (w *fileTable) tracksFiles() bool { return len(w.files) > 0 || w.place.Read != nil }

// loadFile reads the existing file with the full path full and records it. It returns nil if the file
// cannot be read, or if too many were read.
func (w *fileTable) loadFile(full string) *file {
	if w.place.Read == nil || len(w.files) >= maxVars || w.lookups >= maxLookups || strings.Contains(full, placeholder) || full == "" || full[0] != '/' {
		return nil
	}
	w.lookups++
	text, ok := w.place.Read(full)
	if !ok || !w.spendBytes(len(text)) {
		return nil
	}
	if len(w.rewrites) > 0 {
		w.staleTexts = append(w.staleTexts, full)
		if w.rewriteOf(full) != nil {
			return nil
		}
	}
	w.files = append(w.files, file{path: full, base: full[strings.LastIndexByte(full, '/')+1:], content: content{text: text, sure: true}, onDisk: true})
	return &w.files[len(w.files)-1]
}

// loadFolder records the files in dir, which ends with a slash, that the session wrote.
func (w *fileTable) loadFolder(dir string, at *context) {
	if w.place.List == nil || w.place.Read == nil || dir[0] != '/' {
		return
	}
	entries, _ := w.place.List(strings.TrimSuffix(dir, "/"))
	for i := range entries {
		if path := dir + entries[i].Name; !entries[i].Dir {
			w.loadOwnFile(path, at)
		}
	}
}

// loadOwnFile returns the file at path if the session wrote it, or nil. Without a session it only tries
// to read the file, which shows that the text depends on it.
func (w *fileTable) loadOwnFile(path string, at *context) *file {
	if w.place.Read == nil || w.place.Wrote != nil && !w.place.Wrote(w.fullPath(path, at)) {
		return nil
	}
	f := w.fileAt(path, at)
	if w.place.Wrote == nil {
		return nil
	}
	return f
}

// enterSource makes f the source of the text that is walked next, if f was read from disk. It returns
// the previous source, which the caller must restore.
func (w *fileTable) enterSource(f *file) textSource {
	before := w.source
	if f.onDisk {
		w.source = textSource{file: w.newSource(f), depth: w.depth + 1}
	}
	return before
}

// reportUnreadable reports that c runs the file at path, if the text changed it in a way that is not
// followed, or if the session wrote it and it cannot be read: it is binary, too large, or only
// executable. The caller must have tried to read it.
func (w *fileTable) reportUnreadable(c *command, path string) {
	if c.remote != "" || isStream(path) || len(path) > maxPath || strings.Contains(path, placeholder) {
		return
	}
	full := w.fullPath(path, &c.context)
	kind, direct := w.place.Kind, w.source.file == nil || w.source.file.Own
	if r := w.rewriteOf(full); r != nil && direct && (w.place.Wrote != nil || kind != nil && kind(full) == shell.NoPath) {
		e := shell.OpaqueEffect(displayWords(c.words), "runs "+displayText(path)+", which "+r.by+" changes first, in a way that checkrein does not read")
		e.Source = &shell.Source{Path: full, Own: true}
		w.addProblem(e)
		return
	}
	if w.place.Wrote == nil || full[0] != '/' || kind != nil && kind(full) != shell.PathFile || !w.place.Wrote(full) {
		return
	}
	e := shell.OpaqueEffect(displayWords(c.words), "runs "+displayText(path)+", which was written in this session and which checkrein cannot read")
	e.Source = &shell.Source{Path: full, Own: true}
	w.addProblem(e)
}

// loadNamedFiles reads the existing files that call names, so that they are recorded.
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
