package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// A transfer is cp, mv, ln, install or rsync with its words sorted.
type transfer struct {
	from   []shell.Word
	to     shell.Word
	into   bool // to is a directory
	whole  bool // directories go as well
	force  bool
	soft   bool // ln -s
	mkdirs bool // install -d
}

func readTransfer(call *shell.Call) transfer {
	var t transfer
	ends := false
	for i := 0; i < len(call.Args); i++ {
		a := call.Args[i]
		switch {
		case ends || len(a.Text) < 2 || a.Text[0] != '-':
			t.from = append(t.from, a)
		case a.Text == "--":
			ends = true
		case a.Text == "-t" || a.Text == "--target-directory":
			if i++; i < len(call.Args) {
				t.to, t.into = call.Args[i], true
			}
		case strings.HasPrefix(a.Text, "--target-directory="):
			t.to, t.into = a, true
			t.to.Text = a.Text[len("--target-directory="):]
		case strings.HasPrefix(a.Text, "--"):
			t.whole = t.whole || a.Text == "--recursive" || a.Text == "--archive"
			t.soft = t.soft || a.Text == "--symbolic"
			t.force = t.force || a.Text == "--force"
			t.mkdirs = t.mkdirs || a.Text == "--directory"
		case strings.Contains("mgoS", a.Text[1:2]) && strings.HasSuffix(call.Name, "install") || a.Text == "-S" || a.Text == "-e" && call.Name == "rsync":
			if len(a.Text) == 2 {
				i++
			}
		default:
			t.whole = t.whole || strings.ContainsAny(a.Text, "rRa")
			t.soft = t.soft || strings.Contains(a.Text, "s")
			t.force = t.force || strings.Contains(a.Text, "f")
			t.mkdirs = t.mkdirs || strings.Contains(a.Text, "d") && strings.HasSuffix(call.Name, "install")
		}
	}
	if n := len(t.from); !t.into && n > 1 && !t.mkdirs {
		t.to, t.from = t.from[n-1], t.from[:n-1]
		t.into = n > 2 || isDirName(t.to.Text)
	}
	return t
}

// isDirName reports whether a path names a directory by its look.
func isDirName(path string) bool {
	switch path {
	case ".", "..", "~", "/":
		return true
	}
	return facts.Temp(path) == path || strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/..") || ordinaryDir(path)
}

// copies notes what cp and its kin write.
func (w *outputs) copies(call *shell.Call, c *command) {
	t := readTransfer(call)
	if t.mkdirs || t.to.Text == "" && call.Name != "ln" || call.Name == "rsync" && strings.Contains(t.to.Text, ":") {
		return
	}
	if t.to.Text == "" {
		t.to, t.into = shell.Word{Text: "."}, true // ln file
	}
	to := t.to.Text
	if d := w.fileAt(to, &c.context); d != nil && d.dir || to == w.place.Home {
		t.into = true
	}
	for i, src := range t.from {
		if !w.step() {
			return
		}
		if i >= maxLoop && !strings.HasSuffix(call.Name, "ln") && w.programIn(src, call) == "" && w.fileAt(src.Text, &c.context) == nil {
			continue // a copy of a file that nothing is known of says nothing new
		}
		_, base, _ := cutLast(strings.TrimRight(src.Text, "/"))
		inner := strings.TrimRight(to, "/") + "/" + base
		if t.into {
			w.transfer(call, c, &t, src, inner)
			continue
		}
		w.transfer(call, c, &t, src, to)
		// The target may be a directory after all.
		if f := w.fileAt(to, &c.context); f != nil && (f.prog != "" || f.text != "") {
			if e := w.entry(w.rawSpot(inner, &c.context)); e != nil {
				e.content, e.seq = w.fileAt(to, &c.context).content, w.writes
			}
		}
	}
}

// transfer notes one file that is copied, moved or linked.
func (w *outputs) transfer(call *shell.Call, c *command, t *transfer, src shell.Word, to string) {
	if nowhere(to) || len(to) > maxPath || src.Text == "" || len(src.Text) > maxPath {
		return
	}
	move := strings.HasSuffix(call.Name, "mv")
	if move || t.whole {
		w.below(src.Text, to, &c.context)
	}
	in := content{text: hole, old: true, vague: w.outside(src, &c.context), from: w.origin(call)}
	made := stood
	if src.Text == "/dev/stdin" {
		in.prog = w.copied(&shell.Call{Redir: call.Redir, Dir: call.Dir, Files: call.Files})
	}
	if src.Text == "/dev/stdin" && call.In != nil && in.prog == "" {
		in = content{text: flowText(call.In), sure: call.In.Sure, from: in.from, parts: call.In.From}
	} else if f := w.fileAt(src.Text, &c.context); f != nil {
		if f.dir && !strings.HasSuffix(call.Name, "ln") {
			return
		}
		in, made = f.content, f.made
		in.from = expand.AddFrom([]*shell.Call{call}, in.from)
	}
	if p := w.programIn(src, call); p != "" {
		in.prog = p
	}
	if len(w.fetched) > 0 {
		if d := w.fetchedAt(src.Text, &c.context); d != nil {
			in.from = expand.AddCall(in.from[:len(in.from):len(in.from)], d.call)
			in.old, in.vague, in.parts = false, false, []*shell.Call{d.call}
		}
	}
	w.writes++
	e := w.entry(w.rawSpot(to, &c.context))
	if e == nil {
		return
	}
	if e.link != "" {
		e.link = ""
		w.links--
	}
	if strings.HasSuffix(call.Name, "ln") && in.prog == "" {
		w.linked(e, call, c, t, src, to)
		return
	}
	if (w.conds > 0 || w.choice > 0) && strings.Trim(e.text, hole) != "" && e.text != in.text {
		in.text, in.sure = e.text+"\n"+in.text, false
	}
	e.content, e.dir = in, false
	switch {
	case move && made == stood, strings.HasSuffix(call.Name, "ln") && !t.force:
		w.came(e, tried, -1)
		e.made = stood
	default:
		e.made = stood
		w.came(e, emptied, w.depth)
	}
}

// linked notes a link. Where a soft link that is not rooted leads to depends on
// where it lies.
func (w *outputs) linked(e *file, call *shell.Call, c *command, t *transfer, src shell.Word, to string) {
	target := src.Text
	if t.soft && !isRooted(target) {
		if dir, _, ok := cutLast(to); ok {
			target = dir + "/" + target
		}
	}
	full := w.spot(target, &c.context)
	e.content, e.dir = content{text: hole, old: true, vague: w.outside(src, &c.context), from: w.origin(call)}, false
	if full != e.path && !strings.Contains(full, hole) {
		e.link = full
		w.links++
	}
	e.made = stood
	if t.force {
		w.came(e, emptied, w.depth)
	} else {
		w.came(e, tried, w.depth)
	}
}

// below carries what is known of the files in a directory to its new place.
func (w *outputs) below(src, to string, at *context) {
	from, dest := w.spot(src, at), w.spot(to, at)
	for i, n := 0, len(w.files); i < n; i++ {
		f := w.files[i]
		if len(f.path) <= len(from)+1 || f.path[len(from)] != '/' || !strings.HasPrefix(f.path, from) {
			continue
		}
		if e := w.entry(dest + f.path[len(from):]); e != nil {
			e.content, e.dir = f.content, f.dir
		}
	}
}
