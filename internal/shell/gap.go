package shell

// A Gap is why a report does not tell everything that a command does.
type Gap uint8

// The gaps. The guard asks about the last two: what hides in them can be anything,
// and whoever wrote the command put it there.
const (
	NoGap      Gap = iota
	GapProgram     // an unknown program
	GapOption      // an unknown option or subcommand of a known program
	GapUnread      // a file or an output that runs and was not read
	GapOpaque      // text that is evaluated and cannot be read
	GapLimit       // more than is looked at
)

var gapNames = [...]string{"", "program", "option", "unread", "opaque", "limit"}

// String returns program, option, unread, opaque or limit; "" for NoGap.
func (g Gap) String() string { return gapNames[g] }

// Gaps is a set of gaps.
type Gaps uint8

// Add puts a gap into the set.
func (s *Gaps) Add(g Gap) {
	if g != NoGap {
		*s |= 1 << g
	}
}

// Has reports whether a gap is in the set.
func (s Gaps) Has(g Gap) bool { return s&(1<<g) != 0 }

// Complete reports whether nothing is missing.
func (s Gaps) Complete() bool { return s == 0 }

// Worst is the gap that matters most: what evaluates or exceeds before what is only
// not known.
func (s Gaps) Worst() Gap {
	for g := GapLimit; g > NoGap; g-- {
		if s.Has(g) {
			return g
		}
	}
	return NoGap
}

// Gap is what an effect leaves open.
func (e *Effect) Gap() Gap {
	switch {
	case e.Label != Unknown:
		return NoGap
	case e.Maybe:
		return GapOption // a word that decides is not known
	}
	return e.Row().Gap
}

// RuleTooMuch is the rule of effects which say that the rest of a command was not
// followed.
const RuleTooMuch = "too-much"

// Exceeds is the effect of what holds more than can be checked: what is not looked at
// is not harmless.
func Exceeds(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: TooMuch, Rule: RuleTooMuch, Radius: RadiusUnknown, Words: words, Reason: reason}
}

// Evaluates is the effect of text that is run and cannot be read.
func Evaluates(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: Opaque, Rule: "opaque", Radius: RadiusUnknown, Words: words, Reason: reason}
}

// RuleSyntax is the rule of effects which say that a text is no shell's.
const RuleSyntax = "syntax"

// Unreads is the effect of running a file or an output that was not read.
func Unreads(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: Unread, Rule: "unread", Radius: RadiusUnknown, Words: words, Reason: reason}
}
