package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputs are the streams around the current statement, and what commands print into them or write to
// files.
type outputs struct {
	fileTable
	in     *shell.Flow   // standard input; nil = the terminal
	inPos  int           // how much of in's text the read builtin has consumed
	stdout *outputBuffer // collects standard output; nil = it is not used
	piped  bool          // standard output goes to another call

	pipes     []*shell.Flow    // of process substitutions: /dev/fd/63 and down
	keptPipes int              // how many of pipes outlive their command
	readers   []pipeReader     // >(…) of the current command, walked after it
	opens     []shell.Redirect // redirections of exec, for everything that follows
	endings   []ending         // what runs at the end of the current shells
}

// prints returns what a call writes to standard output, when that follows from its
// words and what flows into it. The output of other programs is unknown.
func (w *outputs) prints(c *shell.Call) (text string, sure bool) {
	if text, ok := w.locates(c); ok {
		return text, true
	}
	switch program.PrintsOf(c.Name) {
	case program.PrintsEcho:
		return expand.Echo(c.Args)
	case program.PrintsFormat:
		return expand.Printf(c.Args)
	case program.PrintsNothing:
		return "", true
	case program.PrintsExport:
		return "", len(c.Args) > 0
	case program.PrintsTemporary:
		if path, _ := w.mktempPath(c); path != "" {
			return path + "\n", true
		}
	case program.PrintsWorking:
		if dir := w.workingDir(); dir != "." && c.Remote == "" {
			if argv.Has(c.Args, "-P") {
				dir = w.physical(w.whereOf(c), ".")
			}
			return dir + "\n", true
		}
		return ".\n", true
	case program.PrintsProgram:
		return located(c.Args)
	case program.PrintsType:
		if len(c.Args) > 0 && (c.Args[0].Text == "-p" || c.Args[0].Text == "-P") {
			return located(c.Args)
		}
	case program.PrintsBasename:
		return expand.Basename(c.Args)
	case program.PrintsDirname:
		if !slices.ContainsFunc(c.Args, argv.IsLocated) {
			return expand.Dirname(c.Args)
		}
	case program.PrintsNumbers:
		return expand.Seq(c.Args)
	case program.PrintsFiles:
		return w.concatenated(c)
	case program.PrintsInput:
		return stdin(c)
	}
	return "", false
}

// stdin returns the text that flows into a call.
func stdin(c *shell.Call) (string, bool) {
	if c.In == nil {
		return "", false
	}
	return c.In.Text, c.In.Sure && len(c.In.Text) <= expand.MaxOutput
}

// concatenated returns the output of cat: what flows in and the files that the text
// itself made.
func (w *outputs) concatenated(c *shell.Call) (text string, sure bool) {
	var b strings.Builder
	sure = true
	read := 0
	for _, a := range c.Args {
		if len(a.Text) > 1 && a.Text[0] == '-' {
			if strings.ContainsAny(a.Text, "nbAEv") {
				return "", false
			}
			continue
		}
		read++
		part, known := w.readBy(c, a.Text)
		if !w.spendBytes(len(part)) || b.Len() > expand.MaxOutput {
			return "", false
		}
		sure = sure && known
		b.WriteString(part)
	}
	if read == 0 {
		return stdin(c)
	}
	return b.String(), sure
}

// readBy returns what a call reads from a file that the text made, or from a stream.
func (w *outputs) readBy(c *shell.Call, path string) (text string, sure bool) {
	if f := callFile(c, path); f != nil {
		return f.Text, f.Sure
	}
	flow := c.In
	if path != "-" && path != "/dev/stdin" {
		flow = w.pathFlow(path)
	}
	if flow == nil {
		return placeholder, false
	}
	return flow.Text, flow.Sure
}

// located is the output of which, command -v and type -p: the program itself.
func located(args []shell.Word) (string, bool) {
	var b strings.Builder
	sure := true
	for _, a := range args {
		switch {
		case a.Text == "-V" || a.Text == "-t":
			return "", false
		case strings.HasPrefix(a.Text, "-"):
		default:
			b.WriteString(a.Text + "\n")
			sure = sure && a.Known()
		}
	}
	return b.String(), sure
}

// locates is what a call prints that says where something is, as far as the words say so.
func (w *outputs) locates(c *shell.Call) (string, bool) {
	if w.trace == nil || c.Remote != "" || len(c.Args) == 0 {
		return "", false
	}
	last := c.Args[len(c.Args)-1]
	switch kind := program.PrintsOf(c.Name); kind {
	case program.PrintsRepository:
		for _, name := range [...]string{"GIT_DIR", "GIT_WORK_TREE"} {
			if v := w.st.lookupVariable(name); v != nil && !v.Gone {
				return "", false
			}
		}
		if last.Text == "--show-toplevel" && w.repoTop != nil && len(c.Args) == 2 {
			top, ok := w.repoTop(w.lexicalPath(".", w.whereOf(c)))
			return top + "\n", ok
		}
	case program.PrintsPath, program.PrintsLink:
		if resolvesLinks(c.Args, kind == program.PrintsPath) && last.Known() && !last.Glob && last.Text != "" && !argv.IsLocated(last) {
			return w.physical(w.whereOf(c), last.Text) + "\n", true
		}
	}
	return "", false
}

// whereOf is where a call runs.
func (w *outputs) whereOf(c *shell.Call) *context {
	at := w.st.context
	if c.Dir != "" {
		at.dir = c.Dir
	}
	return &at
}

// resolvesLinks reports whether these words make realpath, or readlink, print where their one
// operand leads.
func resolvesLinks(args []shell.Word, all bool) bool {
	last := len(args) - 1
	for _, a := range args[:last] {
		switch a.Text {
		case "--", "-q", "-n", "--quiet", "--no-newline":
		case "-f", "-e", "-m", "-P", "-nf", "-fn", "-ne", "-en", "--canonicalize", "--canonicalize-existing", "--canonicalize-missing", "--physical":
			all = true
		default:
			return false
		}
	}
	return all && !strings.HasPrefix(args[last].Text, "-")
}

// physical is where a path leads, as far as that is known.
func (w *outputs) physical(at *context, path string) string {
	dir := w.lexicalPath(".", at)
	if w.realPath == nil || at.remote != "" || strings.Contains(dir+path, placeholder) || strings.HasPrefix(path, "~") {
		return w.lexicalPath(path, at)
	}
	return w.realPath(dir, path)
}
