package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A defaultFilesRow lists the files that a program reads by default, separated by spaces.
type defaultFilesRow struct{ program, files string }

// DefaultFiles returns the files that the program with the given name reads by default, separated by
// spaces, or "".
func DefaultFiles(name string) string {
	if rows := rowsNamed(defaultFiles[:], name); len(rows) > 0 {
		return rows[0].files
	}
	return ""
}

// HasDefaultFiles reports whether the program with the given name reads a file by default that can
// hold commands, such as a Makefile or package.json.
func HasDefaultFiles(name string) bool { return DefaultFiles(name) != "" }

// A Builder is a program that compiles or runs source files. If the command line itself wrote the
// sources, in a language that is not read, they can do anything once they run.
type Builder struct {
	Name  string
	Runs  string // subcommands that run the result, separated by spaces; "*" if the program always does
	Every bool   // the program takes all sources in the directory
}

// sourceExtensions lists the file name extensions of sources that builders take.
const sourceExtensions = "c h cc cpp cxx hpp java kt rs cs m mm d zig nim v s S asm f90 f pas adb scala kts cr cu gradle csproj fs vb swift"

// IsHarmlessSource reports whether text, a source file in C, C++, Java or Rust, only computes. It
// reports false if text contains a name with which such code accesses files, programs, the network or
// memory.
func IsHarmlessSource(text string) bool {
	const acts = "system exec open creat fork spawn File Process fs:: net:: std::fs std::net Command Socket socket connect " +
		"unlink remove rename rmdir symlink truncate filesystem fstream include_bytes ioctl mmap mprotect ptrace native load invoke " +
		"forName asm attribute Runtime ScriptEngine Http UR reflect libc nix sendto syscall dl ## ?? \\u nsafe"
	for act := range strings.FieldsSeq(acts) {
		if strings.Contains(text, act) {
			return false
		}
	}
	return !strings.Contains(text, placeholder)
}

// BuilderOf returns the row of the builder with the given name, or nil.
func BuilderOf(name string) *Builder {
	if rows := rowsNamed(builders[:], name); len(rows) > 0 {
		return &rows[0]
	}
	return nil
}

// MaySourceDoHarm reports whether the file with the base name base and the contents text is a source
// that builders take and that may do more than compute. Sure is false if only part of its contents is
// known.
func MaySourceDoHarm(base, text string, sure bool) bool {
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || !facts.InList(sourceExtensions, base[dot+1:]) {
		return false
	}
	return !sure || !facts.InList("c h cc cpp cxx hpp java rs", base[dot+1:]) || !IsHarmlessSource(text)
}
