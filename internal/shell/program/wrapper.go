package program

import (
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Wrapper is a call of a program that runs the command in its words.
type Wrapper struct {
	Row     *Row         // the row of the program or of the subcommand that runs the command
	Parts   []shell.Part // the parts up to the first word of the command
	TooLong bool         // the call has more flags than can be read
}

// ReadWrapper reads args, the arguments of a program that runs a command, up to that command. It
// reports false if neither the row of the program name nor that of its subcommand runs a command.
func ReadWrapper(name string, args []shell.Word) (w Wrapper, ok bool) {
	if row, _, _, _ := lookupProgram(name); row.Runs == "" {
		return w, false
	}
	s := scratchPool.Get().(*scratch)
	r := &s.reading
	s.call.Name, s.call.Args = name, args
	for i := r.begin(&s.call, name, &s.room); i < len(args) && !r.isAtCommand(); i++ {
		if len(r.Flags) > maxRead {
			w.TooLong = true
			break
		}
		i += r.readArg(args, i)
	}
	w.Row = r.currentRow()
	if ok = w.Row.Runs != "" && w.Row.Runs != runsBySubcommand; ok {
		w.Parts = r.assignRoles()
		ok = !r.mismatch
	}
	*s = emptyScratch
	scratchPool.Put(s)
	return w, ok
}

// A scratch is reusable space for reading a call.
type scratch struct {
	reading Reading
	call    shell.Call
	room    Buffer
}

var (
	emptyScratch scratch
	scratchPool  = sync.Pool{New: func() any { return new(scratch) }}
)

// wordsRole is the role of text that is split into words and followed by the remaining words, as in
// env -S.
const wordsRole = "command:words"

// runsBySubcommand is the value of Runs for a program of which only subcommands run a command.
const runsBySubcommand = "sub"

// RunsWith reports whether word is one of those in r.Runs, which describe how the program runs a
// command.
func (r *Row) RunsWith(word string) bool { return facts.InList(r.Runs, word) }

// depth returns the number of words of the subcommand that r describes, or 0 if r is the row of a
// program.
func (r *Row) depth() int { return strings.Count(r.Name, " ") }

// commandPosition returns the number of operands before the command (at), or -1 if no operand is a
// command. After the first words (first), options belong to the command. It reports whether the
// command must follow -- (dashed).
func (r *Row) commandPosition() (at, first int, dashed bool) {
	for list := r.Words; list != ""; {
		var role string
		role, list, _ = strings.Cut(list, " ")
		switch {
		case role == "--":
			at, first, dashed = 0, 1, true
		case strings.HasPrefix(role, "argv"), role == "command:joined", strings.HasPrefix(role, "script:"):
			return at, max(first, 1), dashed
		case role[0] == '=':
			at++
			first = at + 1
		case role != "assign…" && role[0] != '[':
			at++
			first = at
		}
	}
	return -1, 0, false
}

// isAtCommand reports whether the last word that was read is the first word of the command.
func (r *Reading) isAtCommand() bool {
	row := r.currentRow()
	if n := len(r.Flags); n > 0 && r.Flags[n-1].Set && (strings.Contains(row.Options, "="+wordsRole) || strings.Contains(row.Options, "=argv")) {
		if o, _ := r.currentOption(&r.Flags[n-1]); o.role == wordsRole || strings.HasPrefix(o.role, "argv") {
			return true
		}
	}
	at, _, dashed := row.commandPosition()
	switch {
	case at < 0:
		return false
	case dashed:
		return r.Dash >= 0 && len(r.Words) > r.Dash+at
	}
	return len(r.Words)-r.numLeading > row.depth()+at
}

// isLeadingWord reports whether the last word that was read may precede the operands. Such a word is
// NAME=value, or one that the row has in brackets.
func (r *Reading) isLeadingWord() bool {
	row := r.currentRow()
	if row.Runs == "" || len(r.Words)-1-r.numLeading != row.depth() {
		return false
	}
	first, _, more := strings.Cut(row.Words, " ")
	text := r.Words[len(r.Words)-1].Text
	switch {
	case !more:
		return false
	case first == "assign…":
		return isAssignment(text)
	case r.numLeading > 0 || first[0] != '[':
		return false
	}
	switch first {
	case "[version]":
		return isVersion(text)
	case "[architecture]":
		return isArchitecture(text)
	}
	return first[1:len(first)-1] == text
}

// isAssignment reports whether text is NAME=value.
func isAssignment(text string) bool {
	name, val, ok := strings.Cut(text, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return strings.HasPrefix(name, "BASH_FUNC_") && val != ""
		}
	}
	return true
}

// isVersion reports whether s is a version or a name for one, such as 18, v20.1 or lts/*.
func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	return s != "" && s[0] >= '0' && s[0] <= '9' || s == "node" || s == "default" || s == "system" || strings.HasPrefix(s, "lts/") || strings.HasPrefix(s, "ruby-")
}

// isArchitecture reports whether s is an architecture, which setarch accepts before its options.
func isArchitecture(s string) bool {
	switch s {
	case "linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "amd64", "arm", "armv7l", "armv8l", "armh", "aarch64", "arm64",
		"ppc", "ppc32", "ppc64", "ppc64le", "s390", "s390x", "mips", "mips32", "mips64", "sparc", "sparc64", "riscv64", "alpha", "ia64", "uname26":
		return true
	}
	return false
}
