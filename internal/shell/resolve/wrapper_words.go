package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A wrapper is how the words of a program are read that has no row for it.
type wrapper struct {
	sub   string // subcommands, one of which must be there: "exec app/run"; * is any word
	short string // flags of one letter that take a value
	long  string // long flags that take the next word as their value
	skip  uint8  // words between the flags and the command
}

// flags reads them.
type flags struct {
	args    []shell.Word
	wr      *wrapper
	skipped string // the last word before the command
	late    bool   // flags may stand behind the skipped words
}

// read returns the command behind the flags.
func (f *flags) read() []shell.Word {
	skip := int(f.wr.skip)
	args := f.args
	for len(args) > 0 {
		a := args[0].Text
		switch {
		case a == "--":
			args = args[1:]
			for ; skip > 0 && len(args) > 0; skip-- {
				f.skipped = args[0].Text
				args = args[1:]
			}
			return args
		case len(a) > 1 && a[0] == '-':
			args = args[f.flag(a, args):]
		case skip > 0:
			f.skipped = a
			skip--
			args = args[1:]
			if skip == 0 && !f.late {
				if len(args) > 0 && args[0].Text == "--" {
					args = args[1:]
				}
				return args
			}
		default:
			return args
		}
	}
	return nil
}

// flag reads one flag and returns how many words it is.
func (f *flags) flag(a string, args []shell.Word) int {
	if strings.HasPrefix(a, "--") {
		if facts.InList(f.wr.long, a) {
			return min(2, len(args))
		}
		return 1
	}
	if len(a) > 2 && facts.InList(f.wr.long, a) {
		return min(2, len(args)) // a long flag with one dash: mpirun -np 4
	}
	for i := 1; i < len(a); i++ {
		if strings.IndexByte(f.wr.short, a[i]) >= 0 {
			if i+1 == len(a) {
				return min(2, len(args))
			}
			break
		}
	}
	return 1
}

// subcommand finds the subcommand of a wrapper; flags may stand before it.
func subcommand(args []shell.Word, wr *wrapper) int {
	for list := wr.sub; list != ""; {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if i := wr.path(args, one); i >= 0 {
			return i
		}
	}
	return -1
}

// path finds where the words of a subcommand end: "app/exec".
func (wr *wrapper) path(args []shell.Word, path string) int {
	part, rest, more := strings.Cut(path, "/")
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if a == "" {
			return -1
		}
		if a[0] == '-' {
			if !strings.Contains(a, "=") && facts.InList(wr.long, a) || len(a) == 2 && strings.IndexByte(wr.short, a[1]) >= 0 {
				i++
			}
			continue
		}
		if a != part && part != "*" {
			return -1
		}
		if !more {
			return i
		}
		part, rest, more = strings.Cut(rest, "/")
	}
	return -1
}
