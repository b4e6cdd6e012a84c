package program

import "github.com/checkrein/checkrein/internal/shell"

// A Walk goes through a call's arguments in their order, as the program's row reads
// them.
type Walk struct {
	// The current one.
	Name   string     // the letter or the long option, without dashes and not cut short; "" = an operand, [Unclear] = it is not known
	Arg    shell.Word // the operand, or the option's value
	HasArg bool

	r     Reading
	space Room
	i     int  // the next argument
	f, w  int  // the next flag and word of the reading
	dim   bool // behind them comes an option that is not known
}

// Unclear is the name of an option that is not known.
const Unclear = "?"

// Start begins a walk through a call.
func (k *Walk) Start(c *shell.Call) {
	*k = Walk{}
	k.i = k.r.begin(c, &k.space)
	k.w = len(k.r.Words)
}

// Next moves on to the next option or operand.
func (k *Walk) Next() bool {
	k.Name, k.Arg, k.HasArg = "", shell.Word{}, false
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

// Rest are the arguments behind the current one.
func (k *Walk) Rest() []shell.Word { return k.r.Call.Args[k.i:] }

// Skip leaves the next n arguments out.
func (k *Walk) Skip(n int) { k.i = min(k.i+n, len(k.r.Call.Args)) }
