package facts

import "strings"

// A Language is the language of the text that a program runs. Programs of one language take their
// words alike.
type Language uint8

// The languages. Shells come first.
const (
	NoLanguage   Language = iota
	Sh                    // plain POSIX
	Bash                  // and other shells that accept the same text
	Zsh                   //
	Ksh                   //
	Fish                  //
	Csh                   //
	OddShell              // a shell with a language of its own: nu, elvish
	PowerShell            //
	Cmd                   // cmd.exe
	Python                // from here on: not shells
	Node                  //
	Bun                   //
	Deno                  //
	Perl                  //
	Ruby                  //
	Elixir                //
	PHP                   //
	Lua                   //
	R                     //
	Julia                 //
	Groovy                // and other languages on the JVM: Scala, Kotlin
	Swift                 //
	JShell                //
	AppleScript           //
	Crystal               //
	Tcl                   //
	Lisp                  //
	Awk                   //
	NumLanguages          // how many there are
)

// A speaker is a program that runs text.
type speaker struct {
	name     string
	tongue   Language
	versions bool // it also exists with a version in its name: python3.11
}

// LanguageOf returns the language that a program runs, or NoLanguage. The name is in lower case,
// without a directory and .exe; a version may follow.
func LanguageOf(name string) Language {
	if s := findSpeaker(name); s != nil {
		return s.tongue
	}
	if n := len(name); n > 2 && isDigit(name[n-1]) {
		return LanguageOf(strings.TrimRight(strings.TrimRight(name, "0123456789"), ".-"))
	}
	return NoLanguage
}

// findSpeaker returns the row of a program, or nil.
func findSpeaker(name string) *speaker {
	return Lookup(speakers[:], name, func(r *speaker) string { return r.name })
}

// InterpreterNames returns the names of the programs that run text.
func InterpreterNames() []string {
	out := make([]string, len(speakers))
	for i := range speakers {
		out[i] = speakers[i].name
	}
	return out
}

// HasVersions reports whether an interpreter also exists under names with a version.
func HasVersions(name string) bool {
	s := findSpeaker(name)
	return s != nil && s.versions
}

// IsShell reports whether a program reads shell text.
func IsShell(name string) bool { return LanguageOf(name).IsShell() }

// IsAnyShell reports whether a program is a shell of any language.
func IsAnyShell(name string) bool {
	t := LanguageOf(name)
	return t > NoLanguage && t < Python
}

// IsInterpreter reports whether a program runs text other than shell text. Awk counts as a text tool.
func IsInterpreter(name string) bool { return LanguageOf(name).IsInterpreted() }

// IsShell reports whether the language is shell text.
func (t Language) IsShell() bool { return t >= Sh && t <= Csh }

// IsInterpreted reports whether the language is not shell text.
func (t Language) IsInterpreted() bool { return t > Csh && t < Awk }

// IsPosix reports whether the language is that of sh or includes it.
func (t Language) IsPosix() bool { return t >= Sh && t <= Ksh }

// IsJavaScript reports whether the language is JavaScript.
func (t Language) IsJavaScript() bool { return t >= Node && t <= Deno }
