package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// recordCopies records the files that a call of cp, mv, ln or a similar program writes.
func (w *outputs) recordCopies(call *shell.Call, c *command) {
	t, kind := argv.ParseTransfer(call), program.FilesOf(call.Name)
	if t.MakesDirs || t.To.Text == "" && kind != program.FilesLn || kind == program.FilesRsync && strings.Contains(t.To.Text, ":") {
		return
	}
	if t.To.Text == "" {
		t.To, t.ToIsDir = shell.Word{Text: "."}, true // ln file
	}
	if kind == program.FilesMv {
		w.moves = append(w.moves, call)
	}
	to := t.To.Text
	if d := w.fileAt(to, &c.context); d != nil && d.isDir || to == w.place.Home {
		t.ToIsDir = true
	}
	for i, src := range t.From {
		if !w.spendStep() {
			return
		}
		if i >= maxLoop && !strings.HasSuffix(call.Name, "ln") && w.programFile(src, call) == "" && w.fileAt(src.Text, &c.context) == nil {
			continue // nothing is known of a copy of an unknown file
		}
		_, base, _ := splitPath(strings.TrimRight(src.Text, "/"))
		inner := strings.TrimRight(to, "/") + "/" + base
		if t.ToIsDir {
			w.recordTransfer(call, c, &t, src, inner)
			continue
		}
		w.recordTransfer(call, c, &t, src, to)
		// The target may be an existing directory.
		if f := w.fileAt(to, &c.context); f != nil && (f.copyOf != "" || f.text != "") {
			if e := w.findOrAddFile(w.lexicalPath(inner, &c.context)); e != nil {
				e.content, e.seq = w.fileAt(to, &c.context).content, w.writeCount
			}
		}
	}
}

// recordTransfer records that call copies, moves or links the file src to the path to.
func (w *outputs) recordTransfer(call *shell.Call, c *command, t *argv.Transfer, src shell.Word, to string) {
	if isStream(to) || len(to) > maxPath || src.Text == "" || len(src.Text) > maxPath {
		return
	}
	move := strings.HasSuffix(call.Name, "mv")
	if move || t.Recursive {
		w.recordTreeCopy(src.Text, to, &c.context)
	}
	in := content{text: placeholder, keepsOld: true, untracked: w.isOutsideProject(src, &c.context), from: w.contentSources(call)}
	made := mayPredate
	if src.Text == "/dev/stdin" {
		in.copyOf = w.copiedProgram(&shell.Call{Redir: call.Redir, Dir: call.Dir, Files: call.Files})
	}
	if src.Text == "/dev/stdin" && call.In != nil && in.copyOf == "" {
		in = content{text: flowText(call.In), sure: call.In.Complete, from: in.from, unknownFrom: call.In.From}
	} else if f := w.fileAt(src.Text, &c.context); f != nil {
		if f.isDir && !strings.HasSuffix(call.Name, "ln") {
			return
		}
		in, made = f.content, f.creation
		in.from = expand.AddSources([]*shell.Call{call}, in.from)
	}
	if p := w.programFile(src, call); p != "" {
		in.copyOf = p
	}
	if len(w.fetchedDirs) > 0 {
		if d := w.fetchedDirOf(src.Text, &c.context); d != nil {
			in.from = expand.AddSource(in.from[:len(in.from):len(in.from)], d.call)
			in.keepsOld, in.untracked, in.unknownFrom = false, false, []*shell.Call{d.call}
		}
	}
	w.writeCount++
	e := w.findOrAddFile(w.lexicalPath(to, &c.context))
	if e == nil {
		return
	}
	if e.link != "" {
		e.link = ""
		w.linkCount--
	}
	if strings.HasSuffix(call.Name, "ln") && in.copyOf == "" {
		w.recordLink(e, call, c, t, src, to)
		return
	}
	if (w.conds > 0 || w.choice > 0) && strings.Trim(e.text, placeholder) != "" && e.text != in.text {
		in.text, in.sure = e.text+"\n"+in.text, false
	}
	e.content, e.isDir = in, false
	switch {
	case move && made == mayPredate, strings.HasSuffix(call.Name, "ln") && !t.Force:
		w.recordCreation(e, createdIfOK, -1)
		e.creation = mayPredate
	default:
		e.creation = mayPredate
		w.recordCreation(e, overwritten, w.depth)
	}
}

// recordLink records that e, the file at to, is a link to src. The target of a relative symlink is
// relative to the directory of the link.
func (w *outputs) recordLink(e *file, call *shell.Call, c *command, t *argv.Transfer, src shell.Word, to string) {
	target := src.Text
	if t.Symlink && !argv.IsRootedPath(target) {
		if dir, _, ok := splitPath(to); ok {
			target = dir + "/" + target
		}
	}
	full := w.fullPath(target, &c.context)
	e.content, e.isDir = content{text: placeholder, keepsOld: true, untracked: w.isOutsideProject(src, &c.context), from: w.contentSources(call)}, false
	if full != e.path && !strings.Contains(full, placeholder) {
		e.link = full
		w.linkCount++
	}
	e.creation = mayPredate
	if t.Force {
		w.recordCreation(e, overwritten, w.depth)
	} else {
		w.recordCreation(e, createdIfOK, w.depth)
	}
}

// recordTreeCopy records for each recorded file below the directory src that it has a copy below to.
func (w *outputs) recordTreeCopy(src, to string, at *context) {
	from, dest := w.fullPath(src, at), w.fullPath(to, at)
	for i, n := 0, len(w.files); i < n; i++ {
		f := w.files[i]
		if len(f.path) <= len(from)+1 || f.path[len(from)] != '/' || !strings.HasPrefix(f.path, from) {
			continue
		}
		if e := w.findOrAddFile(dest + f.path[len(from):]); e != nil {
			e.content, e.isDir = f.content, f.isDir
		}
	}
}
