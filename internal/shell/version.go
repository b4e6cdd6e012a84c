package shell

import "strings"

// versioned are programs that machines also have under names with a version:
// python3.11, gcc-12, tclsh8.6, vim.basic. They are the same program.
const versioned = " aclocal autoconf automake awk bash bundle c++ cargo clang clang++ clang-format clang-tidy composer cpp csh dash deno dotnet emacs erl expect fish g++ gawk gcc gdb gem gfortran ghc ghci git gnat go gradle guile helm " +
	"ipython ipython2 ipython3 irb java javac jruby jshell julia jupyter ksh kubectl ld lein less lld llc lldb lli lua luajit luac make mawk mksh mongo mongosh mvn mysql nano nasm nawk node nodejs npm npx nvim objdump ocaml opt " +
	"pdflatex perl php phpize pip pip2 pip3 pnpm psql pwsh pypy pypy2 pypy3 python python2 python3 racket rake rscript ruby rust-gdb rust-lldb rustc sbcl scala sed sh sqlite sqlite3 tar tcc tclsh tcsh terraform tofu vi view vim wish xelatex yarn zsh "

// flavours are what Debian and others put behind the name of an editor or shell.
const flavours = " basic tiny nox gtk gtk3 athena gnome static "

// Unversioned is the name of a program without its version.
func Unversioned(name string) string {
	if name == "" || len(name) > 32 {
		return name
	}
	if i := strings.LastIndexAny(name, ".-"); i > 0 && strings.Contains(flavours, " "+name[i+1:]+" ") {
		if base := name[:i]; isVersioned(base) {
			return base
		}
	}
	if c := name[len(name)-1]; c < '0' || c > '9' {
		return name
	}
	for base := name; ; {
		if isVersioned(base) {
			return base
		}
		cut := strings.TrimRight(base, "0123456789")
		if cut == base {
			return name
		}
		base = strings.TrimSuffix(strings.TrimRight(cut, ".-"), "-v")
	}
}

func isVersioned(name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(versioned, " "+name+" ")
}
