package shell

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// versionedPrograms lists programs, besides interpreters, that may also be installed under names with a
// version or variant, such as gcc-12 and vim.basic.
const versionedPrograms = " aclocal autoconf automake bundle c++ cargo clang clang++ clang-format clang-tidy composer cpp dotnet emacs erl g++ gcc gdb gem gfortran ghc ghci git gnat go gradle helm java javac jupyter kubectl ld lein less " +
	"lld llc lldb lli luac make mongo mongosh mvn mysql nano nasm npm npx nvim objdump ocaml opt pdflatex phpize pip pip2 pip3 pnpm psql rake rust-gdb rust-lldb rustc sed sqlite sqlite3 tar tcc terraform tofu vi " +
	"view vim xelatex yarn "

// flavours lists suffixes that distributions such as Debian append to the name of an editor or shell.
const flavours = " basic tiny nox gtk gtk3 athena gnome static "

// TrimVersion returns name, the name of a program, without its version or variant: gcc for gcc-12. It
// returns other names unchanged.
func TrimVersion(name string) string {
	if name == "" || len(name) > 32 {
		return name
	}
	if i := strings.LastIndexAny(name, ".-"); i > 0 && strings.Contains(flavours, " "+name[i+1:]+" ") {
		if base := name[:i]; mayHaveVersion(base) {
			return base
		}
	}
	if c := name[len(name)-1]; c < '0' || c > '9' {
		return name
	}
	for base := name; ; {
		if mayHaveVersion(base) {
			return base
		}
		cut := strings.TrimRight(base, "0123456789")
		if cut == base {
			return name
		}
		base = strings.TrimSuffix(strings.TrimRight(cut, ".-"), "-v")
	}
}

// mayHaveVersion reports whether the program name is also installed under names with a version.
func mayHaveVersion(name string) bool {
	return facts.HasVersionedNames(name) || name != "" && !strings.Contains(name, " ") && strings.Contains(versionedPrograms, " "+name+" ")
}
