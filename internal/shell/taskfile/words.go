package taskfile

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// parsed are the parsed words of a call.
type parsed struct {
	options  map[string][]string // values by option, "" for one without
	operands []shell.Word
	unknown  bool // a word that determines what runs is unknown
}

// parse parses the words of the call. valued are the options that take a value. What follows the given
// number of operands, or two dashes, are operands too; 0 means that options may occur anywhere.
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
			p.unknown = p.unknown || !isKnown(key) || inWords(valued, key) && !isKnown(val)
			p.options[key] = append(p.options[key], val)
		}
	}
	return p
}

// value returns the last value of an option with one of several names.
func (p *parsed) value(names string) (val string) {
	for name := range strings.FieldsSeq(names) {
		if vals := p.options[name]; len(vals) > 0 {
			val = vals[len(vals)-1]
		}
	}
	return val
}

// has reports whether one of several options occurs.
func (p *parsed) has(names string) bool {
	for name := range strings.FieldsSeq(names) {
		if len(p.options[name]) > 0 {
			return true
		}
	}
	return false
}

// operand returns operand i, or "" if there are fewer.
func (p *parsed) operand(i int) string {
	if i >= len(p.operands) {
		return ""
	}
	return p.operands[i].Text
}

// operandsFrom returns the operands from i on.
func (p *parsed) operandsFrom(i int) []shell.Word { return p.operands[min(i, len(p.operands)):] }

// changeDir makes a directory that the call names the one in which the runner runs.
func (r *reading) changeDir(dir string) {
	if dir != "" {
		r.dir = r.pathOf(dir)
	}
}
