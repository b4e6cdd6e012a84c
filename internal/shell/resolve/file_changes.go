package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// recordFileChanges records what call does to files, because later calls may run or send them.
func (w *outputs) recordFileChanges(call *shell.Call, c *command) {
	before := w.writeCount
	if c.redirected && c.out != "" {
		w.recordWrite(c.out, &c.context, w.outputContent(call), c.appends)
	} else if w.st.out != "" && w.stdout == nil && !c.redirected {
		w.recordWrite(w.st.out, &c.context, w.outputContent(call), true)
	}
	w.recordProgramWrites(call, c)
	if w.writeCount > before && c.hops > 0 {
		// The wrapper may continue when the call fails.
		for i := range w.files {
			if w.files[i].seq > before {
				w.files[i].depth = -1
			}
		}
	}
}

// outputContent returns what call prints, as the content of the file that it is redirected to.
func (w *outputs) outputContent(call *shell.Call) content {
	text, sure := w.printedText(call)
	c := content{text: text, sure: sure, from: w.contentSources(call)}
	if sure {
		return c
	}
	if !strings.Contains(text, placeholder) {
		c.text += placeholder
	}
	switch program.PrintsOf(call.Name) {
	case program.PrintsEcho, program.PrintsFormat:
		for i := range call.Args {
			c.unknownFrom = expand.AddSources(c.unknownFrom, call.Args[i].From)
		}
		return c
	case program.PrintsFiles:
		if len(call.Args) > 0 {
			w.setCatOutput(call, &c)
			return c
		}
		fallthrough
	case program.PrintsInput:
		if call.In != nil && len(call.Args) == 0 {
			c.unknownFrom = call.In.From
			return c
		}
		c.copyOf = w.copiedProgram(call)
	case program.PrintsPart:
		c.copyOf = w.copiedProgram(call)
	}
	c.unknownFrom = c.from
	return c
}

// setCatOutput sets c to the contents of the files that cat prints. Files that the text did not write
// count as earlier contents.
func (w *outputs) setCatOutput(call *shell.Call, c *content) {
	var b strings.Builder
	c.copyOf = w.copiedProgram(call)
	at := context{dir: call.Dir, remote: call.Remote}
	for _, a := range call.Args {
		if f := callFile(call, a.Text); f != nil {
			b.WriteString(f.Text)
			if g := w.fileAt(a.Text, &at); g != nil {
				c.keepsOld, c.untracked = c.keepsOld || g.keepsOld, c.untracked || g.untracked
				c.unknownFrom = expand.AddSources(c.unknownFrom, g.unknownFrom)
			}
			continue
		}
		switch {
		case a.Text == "-" || a.Text == "/dev/stdin" || strings.HasPrefix(a.Text, "/dev/fd/"):
			b.WriteString(placeholder)
			c.unknownFrom = expand.AddSources(c.unknownFrom, c.from)
		case strings.HasPrefix(a.Text, "-"):
		default:
			b.WriteByte('\n')
			c.keepsOld, c.untracked = true, c.untracked || w.isOutsideProject(a, &at)
		}
	}
	c.text = b.String()
}

// copiedProgram returns the program whose file call prints, or "" if it prints no program.
func (w *outputs) copiedProgram(call *shell.Call) string {
	for i := len(call.Args) - 1; i >= 0; i-- {
		if t := call.Args[i].Text; t != "" && t[0] != '-' {
			return w.programFile(call.Args[i], call)
		}
	}
	for i := range call.Redir {
		if r := &call.Redir[i]; r.Op == "<" {
			return w.programFile(r.Target, call)
		}
	}
	return ""
}

// contentSources returns the calls that determine what call writes: call itself, those whose output it
// reads, and those that wrote the files that it names.
func (w *outputs) contentSources(call *shell.Call) []*shell.Call {
	from := expand.AddSources([]*shell.Call{call}, inputSources(call))
	for i := range call.Files {
		from = expand.AddSources(from, call.Files[i].From)
	}
	return from
}

// recordProgramWrites records what the program of call does to the files that its arguments name.
func (w *outputs) recordProgramWrites(call *shell.Call, c *command) {
	w.recordRewrites(call, c)
	switch program.WritesOf(call.Name) {
	case program.WritesFetched:
		if path := argv.DownloadPath(call); path != "" {
			w.recordWrite(path, &c.context, content{text: placeholder, from: w.contentSources(call), unknownFrom: []*shell.Call{call}}, false)
		}
	case program.WritesInput:
		w.recordTee(call, c)
	case program.WritesCopies:
		w.recordCopies(call, c)
	case program.WritesBlocks:
		w.recordDd(call, c)
	case program.WritesInPlace:
		if slices.ContainsFunc(call.Args, argv.IsInPlaceOption) {
			w.recordEdits(call, c)
		}
	case program.WritesEdits:
		w.recordEdits(call, c)
	case program.WritesDirectories:
		w.recordMkdir(call, c)
	case program.WritesTemporary:
		w.recordMktemp(call, c)
	case program.WritesClone:
		w.recordClone(call, c)
	case program.WritesPipes:
		w.recordMkfifo(call, c)
	}
}

// recordTee records that tee writes its input to the files that it names.
func (w *outputs) recordTee(call *shell.Call, c *command) {
	more := false
	for _, a := range call.Args {
		more = more || a.Text == "--append" || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text, "a")
	}
	var in content
	if call.In != nil {
		in = content{text: flowText(call.In), sure: call.In.Complete, from: w.contentSources(call), unknownFrom: call.In.From}
	} else {
		in = content{text: placeholder, from: w.contentSources(call)}
		in.copyOf = w.copiedProgram(&shell.Call{Redir: call.Redir, Dir: call.Dir, Files: call.Files})
		in.keepsOld = true
	}
	for _, a := range call.Args {
		if !strings.HasPrefix(a.Text, "-") {
			w.recordWrite(a.Text, &c.context, in, more)
		}
	}
}

// recordDd records what dd writes to its output file.
func (w *outputs) recordDd(call *shell.Call, c *command) {
	in := content{text: placeholder, from: w.contentSources(call)}
	if call.In != nil {
		in = content{text: flowText(call.In), sure: call.In.Complete, from: in.from, unknownFrom: call.In.From}
	}
	to := ""
	for _, a := range call.Args {
		key, val, _ := strings.Cut(a.Text, "=")
		switch key {
		case "if":
			in.keepsOld = true
			if f := w.fileAt(val, &c.context); f != nil {
				in = f.content
			}
			a.Text = val
			in.copyOf = w.programFile(a, call)
		case "of":
			to = val
		case "bs", "status", "conv", "oflag", "iflag":
		default:
			in.sure = false
		}
	}
	if to != "" {
		w.recordWrite(to, &c.context, in, false)
	}
}
