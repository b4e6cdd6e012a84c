package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// trackBuild handles a call that compiles or runs sources that the text wrote. It reports those that
// run, and remembers those that are compiled.
func (w projects) trackBuild(call *shell.Call, c *command) {
	b := argv.BuilderOf(call.Name)
	if b == nil {
		return
	}
	src := w.writtenSourcePath(call, c, b)
	switch {
	case src == "":
	case b.Runs == "*" || slices.ContainsFunc(call.Args, func(a shell.Word) bool { return facts.InList(b.Runs, a.Text) }), strings.HasSuffix(src, "build.rs"):
		w.reportOpaque(displayWords(c.words), "runs "+displayText(src)+", which this command writes and checkrein cannot read")
	default:
		w.compiledSource = src
	}
}

// writtenSourcePath returns the path of a source file that the text wrote and call compiles or runs.
// It ignores harmless sources and returns "" if there are no others.
func (w projects) writtenSourcePath(call *shell.Call, c *command, b *argv.Builder) string {
	takes := func(f *file) bool {
		return f.seq > 0 && !f.isDir && w.spendBytes(len(f.text)) && argv.MaySourceDoHarm(f.base, f.text, f.sure)
	}
	for _, a := range call.Args {
		if a.Text == "-" && call.In != nil && call.In.Complete && !argv.IsHarmlessSource(call.In.Text) {
			return "its input"
		}
		if f := w.fileAt(a.Text, &c.context); f != nil && takes(f) {
			return f.path
		}
	}
	for i := range w.files {
		if b.Every && takes(&w.files[i]) {
			return w.files[i].path
		}
	}
	return ""
}

// reportBuiltProgram reports that c runs the program at path, which may be compiled from the
// remembered source, unless path is known to be something else.
func (w projects) reportBuiltProgram(c *command, path string) {
	if f := w.fileAt(path, &c.context); f != nil && f.seq > 0 && f.sure {
		return
	}
	if dir, _, ok := splitPath(path); ok && argv.MatchesProgramDir(dir) {
		return
	}
	w.reportOpaque(displayWords(c.words), "runs a program built from "+displayText(w.compiledSource)+", which checkrein cannot read")
}
