package program

import (
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Wrap is a call of a program that runs the command in its words.
type Wrap struct {
	Row   *Row         // of the program, or of the subcommand that runs it
	Parts []shell.Part // up to the first word of the command
	Over  bool         // it has more words than are read
}

// Command reads the words of a program that runs a command, up to that command.
// ok = its row, or that of the subcommand which is given, says that it runs one.
func Command(name string, args []shell.Word) (w Wrap, ok bool) {
	if row, _, _, _ := lookup(name); row.Runs == "" {
		return w, false
	}
	desk := desks.Get().(*desk)
	r := &desk.reading
	desk.call.Name, desk.call.Args = name, args
	for i := r.begin(&desk.call, name, &desk.room); i < len(args) && !r.reached(); i++ {
		if len(r.Flags) > maxRead {
			w.Over = true
			break
		}
		i += r.word(args, i)
	}
	w.Row = r.at()
	if ok = w.Row.Runs != "" && w.Row.Runs != bySub; ok {
		w.Parts = r.parts()
		ok = !r.other
	}
	*desk = commandDesk
	desks.Put(desk)
	return w, ok
}

// A desk is what a call is read on, so that it need not be allocated.
type desk struct {
	reading Reading
	call    shell.Call
	room    Room
}

var (
	commandDesk desk // an empty one
	desks       = sync.Pool{New: func() any { return new(desk) }}
)

// becomesWords is the role of a text that becomes words, with those behind it: env -S.
const becomesWords = "command:words"

// bySub is said of a program that runs a command only by its subcommands.
const bySub = "sub"

// Does reports whether a word is among those that say how a program runs a command.
func (r *Row) Does(word string) bool { return facts.InList(r.Runs, word) }

// depth is how many words a subcommand is; 0 = the row is a program's own.
func (r *Row) depth() int { return strings.Count(r.Name, " ") }

// command returns behind how many operands the command begins, and whether that is
// behind -- only; -1 = no operand is a command. Once first words are read, options are
// the command's own.
func (r *Row) command() (at, first int, dashed bool) {
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

// reached reports whether the first word of the command was read.
func (r *Reading) reached() bool {
	row := r.at()
	if n := len(r.Flags); n > 0 && r.Flags[n-1].Set && (strings.Contains(row.Options, "="+becomesWords) || strings.Contains(row.Options, "=argv")) {
		if o, _ := r.option(&r.Flags[n-1]); o.role == becomesWords || strings.HasPrefix(o.role, "argv") {
			return true
		}
	}
	at, _, dashed := row.command()
	switch {
	case at < 0:
		return false
	case dashed:
		return r.Dash >= 0 && len(r.Words) > r.Dash+at
	}
	return len(r.Words)-r.lead > row.depth()+at
}

// leads reports whether the last word is one that may stand before the operands:
// NAME=value, or a word that a row has in brackets.
func (r *Reading) leads() bool {
	row := r.at()
	if row.Runs == "" || len(r.Words)-1-r.lead != row.depth() {
		return false
	}
	first, _, more := strings.Cut(row.Words, " ")
	text := r.Words[len(r.Words)-1].Text
	switch {
	case !more:
		return false
	case first == "assign…":
		return isAssignment(text)
	case r.lead > 0 || first[0] != '[':
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

// isAssignment reports whether a word is NAME=value.
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

// isVersion reports whether a word is a version or a number: 18, v20.1, lts/*.
func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	return s != "" && s[0] >= '0' && s[0] <= '9' || s == "node" || s == "default" || s == "system" || strings.HasPrefix(s, "lts/") || strings.HasPrefix(s, "ruby-")
}

// isArchitecture reports whether a word is what setarch may have before its options:
// newer ones do without it.
func isArchitecture(s string) bool {
	switch s {
	case "linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "amd64", "arm", "armv7l", "armv8l", "armh", "aarch64", "arm64",
		"ppc", "ppc32", "ppc64", "ppc64le", "s390", "s390x", "mips", "mips32", "mips64", "sparc", "sparc64", "riscv64", "alpha", "ia64", "uname26":
		return true
	}
	return false
}
