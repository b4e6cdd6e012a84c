package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A custom is the files that a program reads without being told to.
type custom struct{ program, files string }

// Customary returns the files that a program reads by custom.
func Customary(name string) string {
	if rows := rowsOf(customs[:], name); len(rows) > 0 {
		return rows[0].files
	}
	return ""
}

// ReadsByCustom reports whether a program runs commands of a file that its words need not
// name: a Makefile, a package.json.
func ReadsByCustom(name string) bool { return Customary(name) != "" }

// A Builder is a program that makes programs of sources, or runs them. What the text wrote
// in a language that is not read can do anything once it is compiled and run.
type Builder struct {
	Name  string
	Runs  string // the subcommands that run what they make; "*" = it always does
	Every bool   // it takes the sources that lie in the directory
}

// sourceEnds are the ends of the names of sources that builders take.
const sourceEnds = "c h cc cpp cxx hpp java kt rs cs m mm d zig nim v s S asm f90 f pas adb scala kts cr cu gradle csproj fs vb swift"

// HarmlessSource reports whether a source in C, C++, Java or Rust only computes: it names
// nothing by which these touch files, programs, the network or memory.
func HarmlessSource(text string) bool {
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

// BuilderOf returns the row of a program that compiles or runs sources, or nil.
func BuilderOf(name string) *Builder {
	if rows := rowsOf(builders[:], name); len(rows) > 0 {
		return &rows[0]
	}
	return nil
}

// ActingSource reports whether a file is a source that builders take, and may do more than
// compute. sure says that all of its text is known.
func ActingSource(base, text string, sure bool) bool {
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || !facts.InList(sourceEnds, base[dot+1:]) {
		return false
	}
	return !sure || !facts.InList("c h cc cpp cxx hpp java rs", base[dot+1:]) || !HarmlessSource(text)
}
