package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// remember notes what a call does to files, for a later call may run or send them.
func (w *outputs) remember(call *shell.Call, c *command) {
	before := w.writes
	if c.away && c.out != "" {
		w.write(c.out, &c.context, w.outputOf(call), c.more)
	} else if w.st.out != "" && w.sink == nil && !c.away {
		w.write(w.st.out, &c.context, w.outputOf(call), true)
	}
	w.change(call, c)
	if w.writes > before && c.hops > 0 {
		// What runs it may go on when it fails.
		for i := range w.files {
			if w.files[i].seq > before {
				w.files[i].depth = -1
			}
		}
	}
}

// outputOf is what a call prints, as the content of a file.
func (w *outputs) outputOf(call *shell.Call) content {
	text, sure := w.prints(call)
	c := content{text: text, sure: sure, from: w.origin(call)}
	if sure {
		return c
	}
	if !strings.Contains(text, placeholder) {
		c.text += placeholder
	}
	switch program.PrintsOf(call.Name) {
	case program.PrintsEcho, program.PrintsFormat:
		for i := range call.Args {
			c.parts = expand.AddFrom(c.parts, call.Args[i].From)
		}
		return c
	case program.PrintsFiles:
		if len(call.Args) > 0 {
			w.catenated(call, &c)
			return c
		}
		fallthrough
	case program.PrintsInput:
		if call.In != nil && len(call.Args) == 0 {
			c.parts = call.In.From
			return c
		}
		c.prog = w.copied(call)
	case program.PrintsPart:
		c.prog = w.copied(call)
	}
	c.parts = c.from
	return c
}

// catenated is the content of a file that is put together of others. Those that
// the text did not write are ordinary files: they count as what was there before.
func (w *outputs) catenated(call *shell.Call, c *content) {
	var b strings.Builder
	c.prog = w.copied(call)
	at := context{dir: call.Dir, remote: call.Remote}
	for _, a := range call.Args {
		if f := fileNamed(call, a.Text); f != nil {
			b.WriteString(f.Text)
			if g := w.fileAt(a.Text, &at); g != nil {
				c.old, c.vague = c.old || g.old, c.vague || g.vague
				c.parts = expand.AddFrom(c.parts, g.parts)
			}
			continue
		}
		switch {
		case a.Text == "-" || a.Text == "/dev/stdin" || strings.HasPrefix(a.Text, "/dev/fd/"):
			b.WriteString(placeholder)
			c.parts = expand.AddFrom(c.parts, c.from)
		case strings.HasPrefix(a.Text, "-"):
		default:
			b.WriteByte('\n')
			c.old, c.vague = true, c.vague || w.outside(a, &at)
		}
	}
	c.text = b.String()
}

// copied is the program whose file a call prints.
func (w *outputs) copied(call *shell.Call) string {
	for i := len(call.Args) - 1; i >= 0; i-- {
		if t := call.Args[i].Text; t != "" && t[0] != '-' {
			return w.programIn(call.Args[i], call)
		}
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Op == "<" {
			return w.programIn(r.Target, call)
		}
	}
	return ""
}

// origin are the calls behind what a call writes: itself, what flows into it and
// who wrote the files that it reads.
func (w *outputs) origin(call *shell.Call) []*shell.Call {
	from := expand.AddFrom([]*shell.Call{call}, inputSources(call))
	for i := range call.Files {
		from = expand.AddFrom(from, call.Files[i].From)
	}
	return from
}

// change notes what programs do to files by their own words.
func (w *outputs) change(call *shell.Call, c *command) {
	switch program.WritesOf(call.Name) {
	case program.WritesFetched:
		if path := argv.SavedAs(call); path != "" {
			w.write(path, &c.context, content{text: placeholder, from: w.origin(call), parts: []*shell.Call{call}}, false)
		}
	case program.WritesInput:
		w.tee(call, c)
	case program.WritesCopies:
		w.copies(call, c)
	case program.WritesBlocks:
		w.blocks(call, c)
	case program.WritesInPlace:
		if len(w.files) > 0 && slices.ContainsFunc(call.Args, editsInPlace) {
			w.edits(call, c)
		}
	case program.WritesEdits:
		w.edits(call, c)
	case program.WritesDirectories:
		w.directories(call, c)
	case program.WritesTemporary:
		w.temporary(call, c)
	case program.WritesClone:
		w.cloned(call, c)
	case program.WritesPipes:
		w.namedPipes(call, c)
	}
}

// tee writes what flows in into every file that it names.
func (w *outputs) tee(call *shell.Call, c *command) {
	more := false
	for _, a := range call.Args {
		more = more || a.Text == "--append" || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text, "a")
	}
	var in content
	if call.In != nil {
		in = content{text: flowText(call.In), sure: call.In.Sure, from: w.origin(call), parts: call.In.From}
	} else {
		in = content{text: placeholder, from: w.origin(call)}
		in.prog = w.copied(&shell.Call{Redir: call.Redir, Dir: call.Dir, Files: call.Files})
		in.old = true
	}
	for _, a := range call.Args {
		if !strings.HasPrefix(a.Text, "-") {
			w.write(a.Text, &c.context, in, more)
		}
	}
}

// blocks notes what dd writes.
func (w *outputs) blocks(call *shell.Call, c *command) {
	in := content{text: placeholder, from: w.origin(call)}
	if call.In != nil {
		in = content{text: flowText(call.In), sure: call.In.Sure, from: in.from, parts: call.In.From}
	}
	to := ""
	for _, a := range call.Args {
		key, val, _ := strings.Cut(a.Text, "=")
		switch key {
		case "if":
			in.old = true
			if f := w.fileAt(val, &c.context); f != nil {
				in = f.content
			}
			a.Text = val
			in.prog = w.programIn(a, call)
		case "of":
			to = val
		case "bs", "status", "conv", "oflag", "iflag":
		default:
			in.sure = false
		}
	}
	if to != "" {
		w.write(to, &c.context, in, false)
	}
}

// edits notes that files are changed where they are, so that what is in them is no
// longer known.
func (w *outputs) edits(call *shell.Call, c *command) {
	for _, a := range call.Args {
		f := w.fileAt(a.Text, &c.context)
		if f == nil || f.dir {
			continue
		}
		f.sure, f.vague = false, true
		f.from = expand.AddFrom(f.from, []*shell.Call{call})
		if f.seq > 0 {
			f.parts = expand.AddFrom(f.parts, []*shell.Call{call})
		}
	}
}

// editsInPlace reports whether an option has files changed where they are.
func editsInPlace(option shell.Word) bool {
	t := option.Text
	return strings.HasPrefix(t, "--in-place") || len(t) > 1 && t[0] == '-' && t[1] != '-' && t[1] != 'e' && t[1] != 'f' && strings.Contains(t, "i")
}
