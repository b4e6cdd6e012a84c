package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Options are how the words of a program are read that has no row for it.
type Options struct {
	Sub   string // subcommands, one of which must be there: "exec app/run"; * is any word
	Short string // flags of one letter that take a value
	Long  string // long flags that take the next word as their value
	Skip  uint8  // words between the flags and the command
}

// A Reader reads words by options.
type Reader struct {
	Args    []shell.Word
	Options *Options
	Skipped string // the last word before the command
	Late    bool   // flags may stand behind the skipped words
}

// Read returns the command behind the flags.
func (f *Reader) Read() []shell.Word {
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
			args = args[f.flag(a, args):]
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

// flag reads one flag and returns how many words it is.
func (f *Reader) flag(a string, args []shell.Word) int {
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

// Subcommand finds the subcommand of a wrapper; flags may stand before it.
func Subcommand(args []shell.Word, wr *Options) int {
	for list := wr.Sub; list != ""; {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if i := wr.path(args, one); i >= 0 {
			return i
		}
	}
	return -1
}

// path finds where the words of a subcommand end: "app/exec".
func (wr *Options) path(args []shell.Word, path string) int {
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
