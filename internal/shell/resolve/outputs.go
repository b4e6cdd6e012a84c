package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// outputs tracks the streams around the current statement, and what commands print into them or write
// to files.
type outputs struct {
	fileTable
	in     *shell.Flow   // standard input; nil = the terminal
	inPos  int           // how many bytes of in's text the read builtin has consumed
	stdout *outputBuffer // collects standard output; nil = nothing reads it
	piped  bool          // standard output goes to another call

	pipes       []*shell.Flow    // pipes of process substitutions: /dev/fd/63 and lower
	keptPipes   int              // how many of pipes outlive their command
	readers     []pipeReader     // >(…) of the current command, walked after it
	opens       []shell.Redirect // redirections of exec, which apply to all later commands
	exitActions []exitAction     // traps and pipe readers that run at the end of the current shells
}

// printedText returns what c writes to standard output, if its words and its input determine that.
// sure reports whether text is the whole output.
func (w *outputs) printedText(c *shell.Call) (text string, sure bool) {
	if text, ok := w.locationOutput(c); ok {
		return text, true
	}
	switch program.PrintsOf(c.Name) {
	case program.PrintsEcho:
		return expand.EchoOutput(c.Args)
	case program.PrintsFormat:
		return expand.PrintfOutput(c.Args)
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
			if argv.HasWord(c.Args, "-P") {
				dir = w.physicalPath(w.callContext(c), ".")
			}
			return dir + "\n", true
		}
		return ".\n", true
	case program.PrintsProgram:
		return whichOutput(c.Args)
	case program.PrintsType:
		if len(c.Args) > 0 && (c.Args[0].Text == "-p" || c.Args[0].Text == "-P") {
			return whichOutput(c.Args)
		}
	case program.PrintsBasename:
		return expand.BasenameOutput(c.Args)
	case program.PrintsDirname:
		if !slices.ContainsFunc(c.Args, argv.IsLocatedProgram) {
			return expand.DirnameOutput(c.Args)
		}
	case program.PrintsNumbers:
		return expand.SeqOutput(c.Args)
	case program.PrintsFiles:
		return w.catOutput(c)
	case program.PrintsInput:
		return inputText(c)
	}
	return "", false
}

// inputText returns the text that is piped into c, and whether it is the whole input.
func inputText(c *shell.Call) (string, bool) {
	if c.In == nil {
		return "", false
	}
	return c.In.Text, c.In.Complete && len(c.In.Text) <= expand.MaxOutput
}

// catOutput returns the output of cat: its input, or the files that it names. sure is false if some of
// it is unknown.
func (w *outputs) catOutput(c *shell.Call) (text string, sure bool) {
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
		part, known := w.readText(c, a.Text)
		if !w.spendBytes(len(part)) || b.Len() > expand.MaxOutput {
			return "", false
		}
		sure = sure && known
		b.WriteString(part)
	}
	if read == 0 {
		return inputText(c)
	}
	return b.String(), sure
}

// readText returns what c reads from path, which is a recorded file or a stream. It returns a
// placeholder if that is unknown.
func (w *outputs) readText(c *shell.Call, path string) (text string, sure bool) {
	if f := callFile(c, path); f != nil {
		return f.Text, f.Complete
	}
	flow := c.In
	if path != "-" && path != "/dev/stdin" {
		flow = w.pathFlow(path)
	}
	if flow == nil {
		return placeholder, false
	}
	return flow.Text, flow.Complete
}

// whichOutput returns the output of which, command -v or type -p. In place of paths it has the names
// of the programs.
func whichOutput(args []shell.Word) (string, bool) {
	var b strings.Builder
	sure := true
	for _, a := range args {
		switch {
		case a.Text == "-V" || a.Text == "-t":
			return "", false
		case strings.HasPrefix(a.Text, "-"):
		default:
			b.WriteString(a.Text + "\n")
			sure = sure && a.IsKnown()
		}
	}
	return b.String(), sure
}

// locationOutput returns the output of a call of git rev-parse, realpath or readlink that prints a
// path. It reports false if the path is unknown, or if c is another call.
func (w *outputs) locationOutput(c *shell.Call) (string, bool) {
	if w.trace == nil || c.Remote != "" || len(c.Args) == 0 {
		return "", false
	}
	last := c.Args[len(c.Args)-1]
	switch kind := program.PrintsOf(c.Name); kind {
	case program.PrintsRepository:
		for _, name := range [...]string{"GIT_DIR", "GIT_WORK_TREE"} {
			if v := w.st.lookupVariable(name); v != nil && !v.Unset {
				return "", false
			}
		}
		if last.Text == "--show-toplevel" && w.repoTop != nil && len(c.Args) == 2 {
			top, ok := w.repoTop(w.lexicalPath(".", w.callContext(c)))
			return top + "\n", ok
		}
	case program.PrintsPath, program.PrintsLink:
		if resolvesLinks(c.Args, kind == program.PrintsPath) && last.IsKnown() && !last.Glob && last.Text != "" && !argv.IsLocatedProgram(last) {
			return w.physicalPath(w.callContext(c), last.Text) + "\n", true
		}
	}
	return "", false
}

// callContext returns the context in which c runs.
func (w *outputs) callContext(c *shell.Call) *context {
	at := w.st.context
	if c.Dir != "" {
		at.dir = c.Dir
	}
	return &at
}

// resolvesLinks reports whether args make realpath or readlink print its single operand with all
// symlinks resolved. all is true for realpath, which needs no option for that.
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

// physicalPath returns path, as seen from at, with symlinks resolved. If they are unknown, it returns
// the lexical path.
func (w *outputs) physicalPath(at *context, path string) string {
	dir := w.lexicalPath(".", at)
	if w.realPath == nil || at.remote != "" || strings.Contains(dir+path, placeholder) || strings.HasPrefix(path, "~") {
		return w.lexicalPath(path, at)
	}
	return w.realPath(dir, path)
}
