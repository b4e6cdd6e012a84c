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
