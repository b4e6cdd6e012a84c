package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Walk iterates over the arguments of a call in order, as the program's row reads them.
type Walk struct {
	// The current option or operand.
	Name   string     // the letter or full long option, without dashes; "" for an operand, [UnknownOption] if unknown
	Arg    shell.Word // the operand, or the option's value
	HasArg bool
	Role   string // the role of the value or the mode, as written in the row
	Whole  bool   // the option is a separate word, not bundled with other letters

	r           Reading
	space       Buffer
	i           int  // the index of the next argument to read
	f, w        int  // the indexes of the next flag and word of the reading
	unknownNext bool // an unknown option comes next
}

// UnknownOption is the value of [Walk.Name] for an unknown option.
const UnknownOption = "?"

// Start begins a walk over the arguments of c. Next must be called before the first one is valid.
func (k *Walk) Start(c *shell.Call) { k.StartAs(c, c.Name) }

// StartAs is Start with the arguments of c read like those of the program name.
func (k *Walk) StartAs(c *shell.Call, name string) {
	*k = Walk{}
	k.i = k.r.begin(c, name, &k.space)
	k.w = len(k.r.Words)
}

// Next moves to the next option or operand. It reports false at the end.
func (k *Walk) Next() bool {
	k.Name, k.Arg, k.HasArg, k.Role = "", shell.Word{}, false, ""
	for {
		switch r := &k.r; {
		case k.f < len(r.Flags):
			k.setFlag(&r.Flags[k.f])
			k.f++
			return true
		case k.w < len(r.Words):
			k.Arg = r.Words[k.w]
			if at := r.At[k.w]; at >= 0 {
				k.Arg = r.Call.Args[at]
			}
			k.w++
			k.Role, _, _ = strings.Cut(r.currentRow().Words, " ")
			return true
		case k.unknownNext:
			k.Name, k.unknownNext = UnknownOption, false
			return true
		case k.i >= len(r.Call.Args):
			return false
		default:
			words := len(r.Words)
			r.Open = false
			k.i += 1 + r.readArg(r.Call.Args, k.i)
			k.unknownNext = r.Open && len(r.Words) == words
		}
	}
}

// setFlag makes f the current option.
func (k *Walk) setFlag(f *Flag) {
	k.Name = f.Name
	o, ok := k.r.findOption(f)
	k.Role, k.Whole = o.role, !f.Short || len(f.Raw) == 2
	if ok && !f.Short {
		for o.name != "" && o.name[0] == '-' {
			o.name = o.name[1:]
		}
		k.Name = o.name
	}
	if f.Set {
		k.Arg, k.HasArg = k.r.valueWord(f), true
	}
}

// IsAtSubcommand reports whether the current operand is a subcommand with a row, which describes the
// operands after it.
func (k *Walk) IsAtSubcommand() bool {
	n := len(k.r.Words)
	return n <= 3 && k.w == n && k.r.currentRow().depth() == n
}

// UnreadValue makes the value of the current option the next argument. It reports false and changes
// nothing unless the value is a separate word.
func (k *Walk) UnreadValue() bool {
	own := k.HasArg && k.r.Call.Args[k.i-1].Text == k.Arg.Text
	if own {
		k.i--
	}
	return own
}

// IsValueMissing reports whether the current option requires a value but is the last argument.
func (k *Walk) IsValueMissing() bool { return k.Arg.Text == "" && k.r.Call.Args[k.i-1].Text != "" }

// ArgsFromCurrent returns the arguments from the current operand on.
func (k *Walk) ArgsFromCurrent() []shell.Word { return k.r.Call.Args[k.i-1:] }

// RestArgs returns the arguments after the current one.
func (k *Walk) RestArgs() []shell.Word { return k.r.Call.Args[k.i:] }

// Skip skips the next n arguments.
func (k *Walk) Skip(n int) { k.i = min(k.i+n, len(k.r.Call.Args)) }
