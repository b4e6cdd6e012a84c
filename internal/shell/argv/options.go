package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Options describes how to parse the arguments of a program that has no row in the program table.
type Options struct {
	Sub   string // subcommands, one of which must occur, such as "exec app/run"; * is any word
	Short string // letters of short flags that take a value
	Long  string // long flags that take the next word as their value, separated by spaces
	Skip  uint8  // number of words between the flags and the command
}

// A FlagReader finds the operands of a program after its flags.
type FlagReader struct {
	Args      []shell.Word
	Options   *Options
	Skipped   string // the last skipped word, set by Operands
	LateFlags bool   // flags may also follow the skipped words
}

// Operands returns the arguments after the flags and the words to skip. It sets f.Skipped.
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
			if skip == 0 && !f.LateFlags {
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

// flagLen returns the number of words, at the start of args, that the flag a takes with its value.
func (f *FlagReader) flagLen(a string, args []shell.Word) int {
	if strings.HasPrefix(a, "--") {
		if facts.InList(f.Options.Long, a) {
			return min(2, len(args))
		}
		return 1
	}
	if len(a) > 2 && facts.InList(f.Options.Long, a) {
		return min(2, len(args)) // a long flag with a single dash, as in mpirun -np 4
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

// SubcommandIndex returns the index in args of the last word of the subcommand that wr requires, or -1
// if there is none. Flags may come before it.
func SubcommandIndex(args []shell.Word, wr *Options) int {
	for list := wr.Sub; list != ""; {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if i := wr.subcommandEnd(args, one); i >= 0 {
			return i
		}
	}
	return -1
}

// subcommandEnd returns the index of the last word of the subcommand path, such as "app/exec", or -1
// if args do not have it.
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
