package resolve

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// runner walks what a program runs by a file of the project's: a Makefile's targets, a
// package's scripts, recipes, tasks. It reports false when that is not known, or when the
// text itself wrote the file.
func (w *walker) runner(call *shell.Call, c *command) bool {
	dir := w.spot(".", &c.context)
	if w.place.Read == nil || c.remote != "" || dir[0] != '/' || strings.Contains(dir, hole) {
		return false
	}
	if f, _ := w.customFile(call, &c.context); f != nil && !f.disk {
		return false
	}
	res, ok := taskfile.Read(call, dir, looker{w})
	if !ok || len(res.Parts) == 0 || len(res.Texts) == 0 {
		return false
	}
	first := &res.Parts[0]
	own := w.place.Wrote != nil && slices.ContainsFunc(res.Parts, func(p taskfile.Part) bool { return w.place.Wrote(p.Path) })
	if !own && slices.ContainsFunc(call.Args, func(a shell.Word) bool { return !a.Known() }) {
		return true // which of it runs is not known, and all of it does not
	}
	if !w.enterFile(first.Path+" "+first.Name, c) {
		return true
	}
	if own && len(res.Unsure) > 0 {
		w.opaque(show(c.words), res.Unsure[0])
	}
	before := w.said
	w.said = origin{at: &shell.Source{Path: first.Path, Own: own}, depth: -1}
	for i := range res.Texts {
		if !w.step() {
			break
		}
		t := &res.Texts[i]
		inner := *c
		inner.redir, inner.hidden, inner.hops = nil, nil, c.hops+1
		if t.Dir != dir {
			inner.dir, inner.also = t.Dir, nil
		}
		w.nested(shell.Word{Text: given(t.Env) + t.Text}, nil, &inner)
	}
	w.said = before
	w.leaveFile()
	return true
}

// given are variables as a shell is told them.
func given(vars []shell.Variable) string {
	var b strings.Builder
	for i := range vars {
		b.WriteString("export " + vars[i].Name + "=" + quote(vars[i].Value.Text) + "\n")
	}
	return b.String()
}

// A looker is the disk as it is once the text has written what it writes.
type looker struct{ w *walker }

func (l looker) File(path string) ([]byte, error) {
	for i := len(l.w.files) - 1; i >= 0; i-- {
		if f := &l.w.files[i]; f.path == path && !f.dir {
			return []byte(f.text), nil
		}
	}
	if text, ok := l.w.place.Read(path); ok && l.w.pay(len(text)) {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (l looker) Names(dir string) ([]string, error) {
	if l.w.place.List == nil {
		return nil, fs.ErrNotExist
	}
	list, all := l.w.place.List(dir)
	if !all {
		return nil, fs.ErrPermission
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	slices.Sort(names)
	return names, nil
}
