package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// outputs notes the files that compilers and packers make. What is in them is not
// followed; that they are new is.
func (w *walker) outputs(call *shell.Call, c *command) {
	switch call.Name {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "rustc", "gfortran", "nvcc", "zig", "nim", "as":
		w.built(call, c, "-o")
	case "go":
		if len(call.Args) > 0 && (call.Args[0].Text == "build" || call.Args[0].Text == "test") {
			w.built(call, c, "-o")
		}
	case "tar", "gtar", "bsdtar":
		w.packed(call, c)
	case "zip":
		for _, a := range call.Args {
			if a.Text != "" && a.Text[0] != '-' {
				if !strings.Contains(a.Text, ".") {
					a.Text += ".zip"
				}
				w.makes(a, call, c, tried, false) // it may add to an archive
				return
			}
		}
	case "mkfifo":
		for i, a := range call.Args {
			if a.Text != "" && a.Text[0] != '-' && (i == 0 || call.Args[i-1].Text != "-m") && i <= maxLoop {
				w.makes(a, call, c, tried, false)
			}
		}
	case "virtualenv":
		w.environmentIn(call.Args, call, c)
	case "uv":
		if len(call.Args) > 1 && call.Args[0].Text == "venv" {
			w.environmentIn(call.Args[1:], call, c)
		}
	default:
		if facts.Interpreter(call.Name) && len(call.Args) > 2 && call.Args[0].Text == "-m" && (call.Args[1].Text == "venv" || call.Args[1].Text == "virtualenv") {
			w.environmentIn(call.Args[2:], call, c)
		}
	}
}

// built notes the file behind a flag.
func (w *walker) built(call *shell.Call, c *command, flag string) {
	for i, a := range call.Args {
		if path, ok := strings.CutPrefix(a.Text, flag); ok && (path == "" || path[0] != '=') {
			if path == "" && i+1 < len(call.Args) {
				a, path = call.Args[i+1], call.Args[i+1].Text
			}
			a.Text = path
			w.makes(a, call, c, emptied, false)
			return
		}
	}
}

// packed notes the archive that tar writes.
func (w *walker) packed(call *shell.Call, c *command) {
	creates, file := false, -1
	for i, a := range call.Args {
		t := a.Text
		switch {
		case t == "--create":
			creates = true
		case strings.HasPrefix(t, "--file="):
			a.Text = t[len("--file="):]
			if creates {
				w.makes(a, call, c, emptied, false)
			}
			return
		case strings.HasPrefix(t, "--"):
			if t == "--file" {
				file = i + 1
			}
		case i == 0 || t != "" && t[0] == '-':
			creates = creates || strings.Contains(t, "c")
			if strings.HasSuffix(t, "f") {
				file = i + 1
			}
		}
	}
	if creates && file > 0 && file < len(call.Args) {
		w.makes(call.Args[file], call, c, emptied, false)
	}
}

// environmentIn notes the directory of a virtual environment.
func (w *walker) environmentIn(args []shell.Word, call *shell.Call, c *command) {
	f := flags{args: args, wr: &wrapper{short: "p", long: "--prompt --python"}}
	if rest := f.read(); len(rest) > 0 {
		w.makes(rest[0], call, c, tried, true)
	}
}

// makes notes one file or directory that a call makes.
func (w *walker) makes(path shell.Word, call *shell.Call, c *command, how making, dir bool) {
	if nowhere(path.Text) || path.Text[0] == '-' || !path.Known() || len(path.Text) > maxPath || len(w.files) >= maxVars {
		return
	}
	w.writes++
	full := w.spot(path.Text, &c.context)
	if f := w.known(full); f != nil && (f.dir || how == tried) {
		return // it is where it was
	}
	f := w.entry(full)
	if f == nil {
		return
	}
	f.dir, f.content = dir, content{text: hole, old: true}
	if d := download(inFrom(call)); d != nil {
		f.from = []*shell.Call{d}
	}
	w.came(f, how, w.depth)
}
