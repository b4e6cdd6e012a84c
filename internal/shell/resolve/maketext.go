package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// makeFlag is the value of a short option of make, which may stand behind others
// that take none: -nf x.
func makeFlag(args []shell.Word, i int, letter byte) (val shell.Word, ok bool) {
	a := args[i].Text
	at := strings.IndexByte(a, letter)
	if at < 1 || a[0] != '-' || strings.Trim(a[1:at], "bBdeiknpqrRsStwm") != "" {
		return val, false
	}
	if at == len(a)-1 {
		if i+1 >= len(args) {
			return val, false
		}
		return args[i+1], true
	}
	return shell.Word{Text: a[at+1:], From: args[i].From}, true
}

// makeTexts walks what make is given to read besides its file: --eval, what flows
// into it, and the files of MAKEFILES.
func (w *walker) makeTexts(call *shell.Call, c *command) {
	if hasWord(call.Args, "--version") || hasWord(call.Args, "--help") {
		return
	}
	for i, a := range call.Args {
		text, ok := a, false
		switch {
		case strings.HasPrefix(a.Text, "--eval="):
			text.Text, ok = a.Text[len("--eval="):], true
		case a.Text == "--eval" && i+1 < len(call.Args):
			text, ok = call.Args[i+1], true
		default:
			text, ok = makeFlag(call.Args, i, 'E')
		}
		if ok {
			w.makeText(call, c, &shell.Flow{Text: text.Text, Sure: text.Known(), From: text.From})
			continue
		}
		if names, ok := strings.CutPrefix(a.Text, "MAKEFILES="); ok {
			w.makeFiles(call, c, names)
		}
		file, ok := makeFlag(call.Args, i, 'f')
		for _, long := range [...]string{"--file=", "--makefile="} {
			if val, is := strings.CutPrefix(a.Text, long); is {
				file.Text, ok = val, true
			}
		}
		if ok {
			w.makeText(call, c, w.makeInput(call, file.Text))
		}
	}
	w.variables(c, "MAKEFILES", func(v shell.Word) { w.makeFiles(call, c, v.Text) })
}

// makeText walks one such text.
func (w *walker) makeText(call *shell.Call, c *command, flow *shell.Flow) {
	if flow == nil {
		return
	}
	if d := download(flow.From); d != nil {
		w.remoteCode(d, c.words)
	}
	if w.enterFile("-", c) {
		w.make(call, c, flow.Text)
		w.leaveFile()
	}
}

// makeFiles walks files that make reads before its own.
func (w *walker) makeFiles(call *shell.Call, c *command, names string) {
	for name := range strings.FieldsSeq(names) {
		f := w.fileAt(name, &c.context)
		if f == nil || f.dir {
			if w.planted(c, shell.Word{Text: name}, false, "") != "" {
				w.opaque(show(c.words), "runs a makefile from a directory that anyone can write to")
				continue
			}
			w.report(shell.Unreads(show(c.words), "runs a makefile that checkrein did not read"))
			continue
		}
		if w.enterFile(f.path, c) {
			w.make(call, c, f.text)
			w.leaveFile()
		}
	}
}

// makeInput is what flows in at a path: make -f -.
func (w *walker) makeInput(call *shell.Call, path string) *shell.Flow {
	switch path {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return call.In
	}
	fd, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		return nil
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Fd == fd && strings.HasPrefix(r.Op, "<<") {
			return &shell.Flow{Text: r.Target.Text, Sure: r.Target.Known(), From: r.Target.From}
		}
	}
	return w.opened(path)
}

// makeShell walks what runs each recipe, when it is no shell or has options of its
// own.
func (w *walker) makeShell(c *command, sh, flags shell.Word) {
	switch {
	case !sh.Known():
		w.value(c, sh)
		return
	case sh.Text == "":
		sh.Text = "/bin/sh"
	}
	if flags.Text == "" {
		if facts.Shell(programName(sh.Text)) {
			return
		}
		flags.Text = "-c"
	}
	w.handed(c, shell.Word{Text: sh.Text + " " + flags.Text + " :", From: flags.From})
}
