package facts

import "strings"

// A Language is a language of text that programs run. The programs of one language take similar
// arguments.
type Language uint8

// The languages. Shells come first.
const (
	NoLanguage   Language = iota
	Sh                    // plain POSIX shell
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
	NumLanguages          // the number of languages
)

// An interpreter is a program that runs text.
type interpreter struct {
	name     string
	language Language
	versions bool // it also exists with a version in its name: python3.11
}

// LanguageOf returns the language that a program runs, or NoLanguage. name is in lower case, without a
// directory and without .exe; a version may follow it.
func LanguageOf(name string) Language {
	if s := findInterpreter(name); s != nil {
		return s.language
	}
	if n := len(name); n > 2 && isDigit(name[n-1]) {
		return LanguageOf(strings.TrimRight(strings.TrimRight(name, "0123456789"), ".-"))
	}
	return NoLanguage
}

// findInterpreter returns the row of the program name, or nil if it is not listed.
func findInterpreter(name string) *interpreter {
	return Lookup(interpreters[:], name, func(r *interpreter) string { return r.name })
}

// InterpreterNames returns the names of all programs that run text, including shells.
func InterpreterNames() []string {
	out := make([]string, len(interpreters))
	for i := range interpreters {
		out[i] = interpreters[i].name
	}
	return out
}

// HasVersionedNames reports whether the interpreter name also exists under names with a version, such
// as python3.11.
func HasVersionedNames(name string) bool {
	s := findInterpreter(name)
	return s != nil && s.versions
}

// IsShell reports whether a program runs shell text: the language of sh, fish or csh, or one like it.
func IsShell(name string) bool { return LanguageOf(name).IsShell() }

// IsAnyShell reports whether a program is a shell, including those with a language of their own.
func IsAnyShell(name string) bool {
	t := LanguageOf(name)
	return t > NoLanguage && t < Python
}

// IsInterpreter reports whether a program runs text other than shell text. Awk does not count; it is a
// text tool.
func IsInterpreter(name string) bool { return LanguageOf(name).IsInterpreted() }

// IsShell reports whether t is the language of sh, bash, zsh, ksh, fish or csh.
func (t Language) IsShell() bool { return t >= Sh && t <= Csh }

// IsInterpreted reports whether t is a language other than shell text and Awk.
func (t Language) IsInterpreted() bool { return t > Csh && t < Awk }

// IsPosix reports whether t is the language of sh or includes it.
func (t Language) IsPosix() bool { return t >= Sh && t <= Ksh }

// IsJavaScript reports whether t is the language of a program that runs JavaScript.
func (t Language) IsJavaScript() bool { return t >= Node && t <= Deno }
