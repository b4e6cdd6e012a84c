package taskfile

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// parsedArgs holds the parsed arguments of a call.
type parsedArgs struct {
	options  map[string][]string // values by option; "" for an option without a value
	operands []shell.Word
	unknown  bool // an argument that determines what runs is not known
}

// parseArgs parses the arguments of the call. Valued lists the options that take a value. All
// arguments after the given number of operands, or after --, are operands; if the number is 0, options
// may occur anywhere.
func (r *callReader) parseArgs(valued string, operands int) parsedArgs {
	p := parsedArgs{options: map[string][]string{}}
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

// lastValue returns the last value of the options in names, or "" if there is none.
func (p *parsedArgs) lastValue(names string) (val string) {
	for name := range strings.FieldsSeq(names) {
		if vals := p.options[name]; len(vals) > 0 {
			val = vals[len(vals)-1]
		}
	}
	return val
}

// hasAny reports whether any of the options in names occurs.
func (p *parsedArgs) hasAny(names string) bool {
	for name := range strings.FieldsSeq(names) {
		if len(p.options[name]) > 0 {
			return true
		}
	}
	return false
}

// operand returns the operand at index i, or "" if there are fewer.
func (p *parsedArgs) operand(i int) string {
	if i >= len(p.operands) {
		return ""
	}
	return p.operands[i].Text
}

// operandsFrom returns the operands from index i on.
func (p *parsedArgs) operandsFrom(i int) []shell.Word { return p.operands[min(i, len(p.operands)):] }

// changeDir sets the directory in which the runner runs to dir, unless dir is "".
func (r *callReader) changeDir(dir string) {
	if dir != "" {
		r.dir = r.resolvePath(dir)
	}
}
