package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A Walk goes through a call's arguments in their order, as the program's row reads
// them.
type Walk struct {
	// The current one.
	Name   string     // the letter or the long option, without dashes and not cut short; "" = an operand, [Unclear] = it is not known
	Arg    shell.Word // the operand, or the option's value
	HasArg bool
	Role   string // of the value or the mode, as the row writes it
	Whole  bool   // the option has a word of its own, without other letters

	r     Reading
	space Room
	i     int  // the next argument
	f, w  int  // the next flag and word of the reading
	dim   bool // behind them comes an option that is not known
}

// Unclear is the name of an option that is not known.
const Unclear = "?"

// Start begins a walk through a call.
func (k *Walk) Start(c *shell.Call) { k.StartAs(c, c.Name) }

// StartAs begins a walk through a call, whose program reads its words like another one.
func (k *Walk) StartAs(c *shell.Call, name string) {
	*k = Walk{}
	k.i = k.r.begin(c, name, &k.space)
	k.w = len(k.r.Words)
}

// Next moves on to the next option or operand.
func (k *Walk) Next() bool {
	k.Name, k.Arg, k.HasArg, k.Role = "", shell.Word{}, false, ""
	for {
		switch r := &k.r; {
		case k.f < len(r.Flags):
			k.flag(&r.Flags[k.f])
			k.f++
			return true
		case k.w < len(r.Words):
			k.Arg = r.Words[k.w]
			if at := r.At[k.w]; at >= 0 {
				k.Arg = r.Call.Args[at]
			}
			k.w++
			k.Role, _, _ = strings.Cut(r.at().Words, " ")
			return true
		case k.dim:
			k.Name, k.dim = Unclear, false
			return true
		case k.i >= len(r.Call.Args):
			return false
		default:
			words := len(r.Words)
			r.Open = false
			k.i += 1 + r.word(r.Call.Args, k.i)
			k.dim = r.Open && len(r.Words) == words
		}
	}
}

// flag makes a flag the current one.
func (k *Walk) flag(f *Flag) {
	k.Name = f.Name
	o, ok := k.r.optionAt(f)
	k.Role, k.Whole = o.role, !f.Short || len(f.Raw) == 2
	if ok && !f.Short {
		for o.name != "" && o.name[0] == '-' {
			o.name = o.name[1:]
		}
		k.Name = o.name
	}
	if f.Set {
		k.Arg, k.HasArg = k.r.valueOf(f), true
	}
}

// Enters reports whether the current operand is a subcommand that has a row, which says
// what the operands behind it are.
func (k *Walk) Enters() bool {
	n := len(k.r.Words)
	return n <= 3 && k.w == n && k.r.at().depth() == n
}

// Back gives the value of the current option back, when it is a word of its own: it is
// the next argument.
func (k *Walk) Back() bool {
	own := k.HasArg && k.r.Call.Args[k.i-1].Text == k.Arg.Text
	if own {
		k.i--
	}
	return own
}

// Missing reports whether the current option wants a value, and the call ends.
func (k *Walk) Missing() bool { return k.Arg.Text == "" && k.r.Call.Args[k.i-1].Text != "" }

// From are the arguments from the current operand on.
func (k *Walk) From() []shell.Word { return k.r.Call.Args[k.i-1:] }

// Rest are the arguments behind the current one.
func (k *Walk) Rest() []shell.Word { return k.r.Call.Args[k.i:] }

// Skip leaves the next n arguments out.
func (k *Walk) Skip(n int) { k.i = min(k.i+n, len(k.r.Call.Args)) }
