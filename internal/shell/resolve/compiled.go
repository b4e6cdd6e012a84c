package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A builder is a program that makes programs of sources, or runs them. What the text wrote
// in a language that is not read can do anything once it is compiled and run.
type builder struct {
	name  string
	runs  string // the subcommands that run what they make; "*" = it always does
	every bool   // it takes the sources that lie in the directory
}

// sourceEnds are the ends of the names of sources that builders take.
const sourceEnds = "c h cc cpp cxx hpp java kt rs cs m mm d zig nim v s S asm f90 f pas adb scala kts cr cu gradle csproj fs vb swift"

// harmlessSource reports whether a source in C, C++, Java or Rust only computes: it names
// nothing by which these touch files, programs, the network or memory.
func harmlessSource(text string) bool {
	const acts = "system exec open creat fork spawn File Process fs:: net:: std::fs std::net Command Socket socket connect " +
		"unlink remove rename rmdir symlink truncate filesystem fstream include_bytes ioctl mmap mprotect ptrace native load invoke " +
		"forName asm attribute Runtime ScriptEngine Http UR reflect libc nix sendto syscall dl ## ?? \\u nsafe"
	for act := range strings.FieldsSeq(acts) {
		if strings.Contains(text, act) {
			return false
		}
	}
	return !strings.Contains(text, hole)
}

// builds follows a program that compiles or runs sources of the text.
func (w projects) builds(call *shell.Call, c *command) {
	rows := rowsOf(builders[:], call.Name)
	if len(rows) == 0 {
		return
	}
	b := &rows[0]
	src := w.writtenSource(call, c, b)
	switch {
	case src == "":
	case b.runs == "*" || slices.ContainsFunc(call.Args, func(a shell.Word) bool { return facts.InList(b.runs, a.Text) }), strings.HasSuffix(src, "build.rs"):
		w.opaque(show(c.words), "runs "+brief(src)+", which this command writes and checkrein cannot read")
	default:
		w.compiled = src
	}
}

// writtenSource is a source of the text that a program takes, unless it is harmless.
func (w projects) writtenSource(call *shell.Call, c *command, b *builder) string {
	takes := func(f *file) bool {
		dot := strings.LastIndexByte(f.base, '.')
		if dot < 0 || f.seq == 0 || f.dir || !facts.InList(sourceEnds, f.base[dot+1:]) || !w.pay(len(f.text)) {
			return false
		}
		return !f.sure || !facts.InList("c h cc cpp cxx hpp java rs", f.base[dot+1:]) || !harmlessSource(f.text)
	}
	for _, a := range call.Args {
		if a.Text == "-" && call.In != nil && call.In.Sure && !harmlessSource(call.In.Text) {
			return "its input"
		}
		if f := w.fileAt(a.Text, &c.context); f != nil && takes(f) {
			return f.path
		}
	}
	for i := range w.files {
		if b.every && takes(&w.files[i]) {
			return w.files[i].path
		}
	}
	return ""
}

// made notes when a program runs that was compiled of text that is not read.
func (w projects) made(c *command, path string) {
	if f := w.fileAt(path, &c.context); f != nil && f.seq > 0 && f.sure {
		return
	}
	if dir, _, ok := cutLast(path); ok && hasPrograms(dir) {
		return
	}
	w.opaque(show(c.words), "runs a program built from "+brief(w.compiled)+", which checkrein cannot read")
}
