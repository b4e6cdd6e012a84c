package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Options describe how to parse the words of a program that has no row.
type Options struct {
	Sub   string // subcommands, one of which must occur: "exec app/run"; * is any word
	Short string // flags of one letter that take a value
	Long  string // long flags that take the next word as their value
	Skip  uint8  // words between the flags and the command
}

// A FlagReader skips the flags of a program.
type FlagReader struct {
	Args    []shell.Word
	Options *Options
	Skipped string // the last word before the command
	Late    bool   // flags may follow the skipped words
}

// Operands returns the words after the flags and the words to skip.
func (f *FlagReader) Operands() []shell.Word {
	skip := int(f.Options.Skip)
	args := f.Args
	for len(args) > 0 {
		a := args[0].Text
		switch {
		case a == "--":
			args = args[1:]
			for ; skip > 0 && len(args) > 0; skip-- {
				f.Skipped = args[0].Text
				args = args[1:]
			}
			return args
		case len(a) > 1 && a[0] == '-':
			args = args[f.flagLen(a, args):]
		case skip > 0:
			f.Skipped = a
			skip--
			args = args[1:]
			if skip == 0 && !f.Late {
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

// flagLen returns how many words a flag takes.
func (f *FlagReader) flagLen(a string, args []shell.Word) int {
	if strings.HasPrefix(a, "--") {
		if facts.InList(f.Options.Long, a) {
			return min(2, len(args))
		}
		return 1
	}
	if len(a) > 2 && facts.InList(f.Options.Long, a) {
		return min(2, len(args)) // a long flag with one dash: mpirun -np 4
	}
	for i := 1; i < len(a); i++ {
		if strings.IndexByte(f.Options.Short, a[i]) >= 0 {
			if i+1 == len(a) {
				return min(2, len(args))
			}
			break
		}
	}
	return 1
}

// Subcommand returns the index of the subcommand of a wrapper, or -1. Flags may come before it.
func Subcommand(args []shell.Word, wr *Options) int {
	for list := wr.Sub; list != ""; {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if i := wr.subcommandEnd(args, one); i >= 0 {
			return i
		}
	}
	return -1
}

// subcommandEnd returns the index of the last word of a subcommand such as "app/exec", or -1.
func (wr *Options) subcommandEnd(args []shell.Word, path string) int {
	part, rest, more := strings.Cut(path, "/")
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if a == "" {
			return -1
		}
		if a[0] == '-' {
			if !strings.Contains(a, "=") && facts.InList(wr.Long, a) || len(a) == 2 && strings.IndexByte(wr.Short, a[1]) >= 0 {
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
