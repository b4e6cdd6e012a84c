package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/rewrite"
)

// An unknownChange is a change of existing files by the text whose result is unknown. Earlier contents of these files must
// not be taken for what runs later.
type unknownChange struct {
	path    string // normalised
	tree    bool   // every file below path may have changed
	creates bool   // with tree: files may have been created too
	by      string // the program
}

// rewriteOf returns the last rewrite that may have changed the file with the full path full, or nil. A file that a
// rewrite of a tree creates counts if its name is that of a script.
func (w *fileTable) rewriteOf(full string) *unknownChange {
	for i := len(w.rewrites) - 1; i >= 0; i-- {
		switch r := &w.rewrites[i]; {
		case r.path == full:
			return r
		case !r.tree || !isAtOrBelow(full, r.path) || strings.Contains(full, "/node_modules/") || strings.Contains(full, "/.venv/"):
		case slices.Contains(w.staleTexts, full), r.creates && rewrite.IsScriptName(full):
			return r
		}
	}
	return nil
}

// addRewrite records r and forgets the contents of the files that it changes, as far as they were read from disk.
func (w *fileTable) addRewrite(r unknownChange) {
	if len(w.rewrites) >= maxVars || strings.Contains(r.path, placeholder) {
		return
	}
	w.rewrites = append(w.rewrites, r)
	w.files = slices.DeleteFunc(w.files, func(f file) bool {
		stale := f.onDisk && (f.path == r.path || r.tree && isAtOrBelow(f.path, r.path))
		if stale {
			w.staleTexts = append(w.staleTexts, f.path)
		}
		return stale
	})
}

// reportWritten calls fn with each file on this machine that the text wrote, its contents, and whether these are
// certain.
func (w *fileTable) reportWritten(fn func(path, text string, whole bool)) {
	for i := range w.files {
		if f := &w.files[i]; (!f.onDisk || f.edited) && !f.isDir && f.link == "" && strings.HasPrefix(f.path, "/") {
			fn(f.path, f.text, f.sure && !f.keepsOld && !f.untracked)
		}
	}
}

// recordRewrites records the files that call changes and whose new contents it does not contain: those that it names,
// or all below a directory.
func (w *outputs) recordRewrites(call *shell.Call, c *command) {
	r, ok := rewrite.Find(call)
	if !ok {
		return
	}
	at := c.context
	if dir := r.Dir(); dir != "" {
		at.dir, at.altDirs = w.fullPath(dir, &c.context), nil
	}
	var named, patched []string
	words := r.Operands
	for i := range call.Redir {
		if call.Redir[i].Op == "<" {
			words = append(words[:len(words):len(words)], call.Redir[i].Target)
		}
	}
	for _, o := range words {
		full := w.fullPath(o.Text, &at)
		if full[0] == '/' && w.place.Kind != nil && w.place.Kind(full) != shell.NoPath {
			named = append(named, full)
		}
		if f := w.fileAt(o.Text, &at); r.Diff && f != nil && !f.isDir {
			patched = append(patched, rewrite.PatchedFiles(f.text)...)
		}
	}
	switch {
	case len(patched) > 0:
		for _, name := range patched[:min(len(patched), maxLoop)] {
			w.addRewrite(unknownChange{path: w.fullPath(name, &at), by: r.Name})
		}
	case r.Names && (len(named) > 0 && len(call.Redir) == 0 || r.Dash >= 0):
		for _, path := range named {
			w.addRewrite(unknownChange{path: path, tree: w.place.Kind(path) == shell.PathDir, by: r.Name})
		}
	default:
		one := unknownChange{path: w.fullPath(".", &at), tree: true, creates: r.Creates, by: r.Name}
		if r.Into == "" && isAtOrBelow(one.path, w.place.Root) {
			one.path = w.place.Root // the work tree
		}
		w.addRewrite(one)
	}
}

// recordEdits records that call edits the files that it names in place. Their contents are then those that its sed
// script makes of them, or unknown.
func (w *outputs) recordEdits(call *shell.Call, c *command) {
	script, computed := expand.ParseSed(call.Args)
	computed = computed && facts.InList("sed gsed", call.Name)
	for _, a := range call.Args {
		if strings.HasPrefix(a.Text, "-") || len(a.Text) > maxPath || isStream(a.Text) {
			continue
		}
		full, f := w.fullPath(a.Text, &c.context), w.fileAt(a.Text, &c.context)
		switch {
		case f != nil && f.isDir:
		case f != nil && computed && f.sure:
			text, ok := script.Apply(f.text)
			if w.conds > 0 { // the file may have either contents
				text = f.text + "\n" + text
			}
			if ok && w.spendBytes(len(text)) {
				f.text, f.edited = text, f.onDisk
			}
		case f != nil && !f.onDisk:
			f.sure, f.untracked = false, true
			f.from = expand.AddSources(f.from, []*shell.Call{call})
			if f.seq > 0 {
				f.unknownFrom = expand.AddSources(f.unknownFrom, []*shell.Call{call})
			}
		case computed: // it counts like the file as it was before
		case f != nil, full[0] == '/' && w.place.Kind != nil && w.place.Kind(full) == shell.PathFile:
			w.addRewrite(unknownChange{path: full, by: call.Name})
		}
	}
}
