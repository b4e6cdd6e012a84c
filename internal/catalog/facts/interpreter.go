package facts

import "strings"

// A Tongue is what the text is written in that a program runs. Programs of one tongue
// take their words alike.
type Tongue uint8

// The tongues. Shells come first.
const (
	NoTongue    Tongue = iota
	Sh                 // plain POSIX
	Bash               // and what else reads all that is read here as shell text
	Zsh                //
	Ksh                //
	Fish               //
	Csh                //
	OddShell           // a shell whose text is its own: nu, elvish
	PowerShell         //
	Cmd                // of Windows
	Python             // from here on: not shells
	Node               //
	Bun                //
	Deno               //
	Perl               //
	Ruby               //
	Elixir             //
	PHP                //
	Lua                //
	R                  //
	Julia              //
	Groovy             // and what else runs by Java: Scala, Kotlin
	Swift              //
	JShell             //
	AppleScript        //
	Crystal            //
	Tcl                //
	Lisp               //
	Awk                //
	Tongues            // how many there are
)

// A speaker is a program that runs text.
type speaker struct {
	name     string
	tongue   Tongue
	versions bool // machines also have it with a version behind its name: python3.11
}

// speakers are sorted by name.
var speakers = [...]speaker{
	{"amm", Groovy, false},
	{"ash", Sh, false},
	{"awk", Awk, true},
	{"babel-node", Node, false},
	{"bash", Bash, true},
	{"bb", Lisp, false},
	{"bpython", Python, false},
	{"bun", Bun, false},
	{"clisp", Lisp, false},
	{"clj", Lisp, false},
	{"clojure", Lisp, false},
	{"cmd", Cmd, false},
	{"crystal", Crystal, false},
	{"csh", Csh, true},
	{"dash", Sh, true},
	{"deno", Deno, true},
	{"electron", Node, false},
	{"elixir", Elixir, false},
	{"elvish", OddShell, false},
	{"esno", Node, false},
	{"expect", Tcl, true},
	{"fish", Fish, true},
	{"gawk", Awk, true},
	{"goawk", Awk, false},
	{"graalpy", Python, false},
	{"groovy", Groovy, false},
	{"guile", Lisp, true},
	{"hush", Sh, false},
	{"iex", Elixir, false},
	{"ipython", Python, true},
	{"ipython2", Python, true},
	{"ipython3", Python, true},
	{"irb", Ruby, true},
	{"jimsh", Tcl, false},
	{"jiti", Node, false},
	{"jruby", Ruby, true},
	{"jshell", JShell, true},
	{"julia", Julia, true},
	{"jython", Python, false},
	{"kotlin", Groovy, false},
	{"ksh", Ksh, true},
	{"ksh93", Ksh, false},
	{"littler", R, false},
	{"lksh", Ksh, false},
	{"lua", Lua, true},
	{"luajit", Lua, true},
	{"mawk", Awk, true},
	{"micropython", Python, false},
	{"mksh", Ksh, true},
	{"nawk", Awk, true},
	{"node", Node, true},
	{"nodejs", Node, true},
	{"nu", OddShell, false},
	{"oksh", Ksh, false},
	{"osascript", AppleScript, false},
	{"osh", Bash, false},
	{"pdksh", Ksh, false},
	{"perl", Perl, true},
	{"php", PHP, true},
	{"posh", Sh, false},
	{"powershell", PowerShell, false},
	{"pry", Ruby, false},
	{"psysh", PHP, false},
	{"ptpython", Python, false},
	{"pwsh", PowerShell, true},
	{"pypy", Python, true},
	{"pypy2", Python, true},
	{"pypy3", Python, true},
	{"python", Python, true},
	{"python2", Python, true},
	{"python3", Python, true},
	{"pythonw", Python, false},
	{"qjs", Node, false},
	{"r", R, false},
	{"racket", Lisp, true},
	{"raku", Perl, false},
	{"rbash", Bash, false},
	{"rc", OddShell, false},
	{"rksh", Ksh, false},
	{"rscript", R, true},
	{"ruby", Ruby, true},
	{"rzsh", Zsh, false},
	{"sage", Python, false},
	{"sash", Sh, false},
	{"sbcl", Lisp, true},
	{"scala", Groovy, true},
	{"sh", Sh, true},
	{"swc-node", Node, false},
	{"swift", Swift, false},
	{"tclsh", Tcl, true},
	{"tcsh", Csh, true},
	{"truffleruby", Ruby, false},
	{"ts-node", Node, false},
	{"ts-node-esm", Node, false},
	{"tsx", Node, false},
	{"vite-node", Node, false},
	{"wish", Tcl, true},
	{"xonsh", OddShell, false},
	{"yash", Bash, false},
	{"ysh", OddShell, false},
	{"zsh", Zsh, true},
	{"zx", Node, false},
}

// TongueOf is what a program of that name reads; NoTongue = it runs no text, or none
// that is known here. The name is in lower case, without a directory and .exe; a
// version may follow.
func TongueOf(name string) Tongue {
	if s := speakerOf(name); s != nil {
		return s.tongue
	}
	if n := len(name); n > 2 && digit(name[n-1]) {
		return TongueOf(strings.TrimRight(strings.TrimRight(name, "0123456789"), ".-"))
	}
	return NoTongue
}

func speakerOf(name string) *speaker {
	return Lookup(speakers[:], name, func(r *speaker) string { return r.name })
}

// Speakers are the names of the programs that run text.
func Speakers() []string {
	out := make([]string, len(speakers))
	for i := range speakers {
		out[i] = speakers[i].name
	}
	return out
}

// HasVersions reports whether machines have a program that runs text under names with
// a version too.
func HasVersions(name string) bool {
	s := speakerOf(name)
	return s != nil && s.versions
}

// Shell reports whether a program reads shell text.
func Shell(name string) bool { return TongueOf(name).Shell() }

// AnyShell reports whether people type commands into a program, in whatever language.
func AnyShell(name string) bool {
	t := TongueOf(name)
	return t > NoTongue && t < Python
}

// Interpreter reports whether a program runs text that is none of the shell's. Those of
// awk count as text tools.
func Interpreter(name string) bool { return TongueOf(name).Interpreted() }

// Shell reports whether a tongue is the shell's text, as far as it is read here.
func (t Tongue) Shell() bool { return t >= Sh && t <= Csh }

// Interpreted reports whether a tongue is another than the shell's.
func (t Tongue) Interpreted() bool { return t > Csh && t < Awk }

// Posix reports whether a tongue is that of sh, or has all of it.
func (t Tongue) Posix() bool { return t >= Sh && t <= Ksh }

// JavaScript reports whether a tongue is JavaScript's.
func (t Tongue) JavaScript() bool { return t >= Node && t <= Deno }
