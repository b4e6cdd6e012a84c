package taskfile

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A parsed is the words of a call.
type parsed struct {
	options  map[string][]string // values by option, "" for one without
	operands []shell.Word
	unknown  bool // a word that decides what runs is not known
}

// parse splits the words of the call. valued are the options that take a value. What
// follows the last of so many operands, or two dashes, are operands too; 0 = options may
// stand anywhere.
func (r *reading) parse(valued string, operands int) parsed {
	p := parsed{options: map[string][]string{}}
	args := r.call.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		switch key, val, has := strings.Cut(a, "="); {
		case a == "":
		case a == "--":
			p.operands = append(p.operands, args[i+1:]...)
			return p
		case a[0] != '-' || a == "-":
			p.unknown = p.unknown || !args[i].IsKnown()
			if p.operands = append(p.operands, args[i]); len(p.operands) == operands {
				p.operands = append(p.operands, args[i+1:]...)
				return p
			}
		default:
			if !has && inWords(valued, key) && i+1 < len(args) {
				i++
				val = args[i].Text
			}
			p.unknown = p.unknown || !known(key) || inWords(valued, key) && !known(val)
			p.options[key] = append(p.options[key], val)
		}
	}
	return p
}

// value returns the last value of one of several names of an option.
func (p *parsed) value(names string) (val string) {
	for name := range strings.FieldsSeq(names) {
		if vals := p.options[name]; len(vals) > 0 {
			val = vals[len(vals)-1]
		}
	}
	return val
}

// has reports whether one of several options is there.
func (p *parsed) has(names string) bool {
	for name := range strings.FieldsSeq(names) {
		if len(p.options[name]) > 0 {
			return true
		}
	}
	return false
}

// operand returns an operand, "" = there are fewer.
func (p *parsed) operand(i int) string {
	if i >= len(p.operands) {
		return ""
	}
	return p.operands[i].Text
}

// after returns the operands from one on.
func (p *parsed) after(i int) []shell.Word { return p.operands[min(i, len(p.operands)):] }

// enter makes a directory that the call names the one that the runner runs in.
func (r *reading) enter(dir string) {
	if dir != "" {
		r.dir = r.at(dir)
	}
}
