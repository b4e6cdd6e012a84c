package shell

// A Gap is a reason why a report does not contain everything that a command does.
type Gap uint8

// The gaps. The guard asks about the last two, because they can hide anything and the
// author of the command put them there.
const (
	NoGap      Gap = iota
	GapProgram     // an unknown program
	GapOption      // an unknown option or subcommand of a known program
	GapUnread      // a file or output that is run and was not read
	GapOpaque      // text that is evaluated and cannot be read
	GapLimit       // more than checkrein follows
)

var gapNames = [...]string{"", "program", "option", "unread", "opaque", "limit"}

// String returns program, option, unread, opaque or limit, or "" for NoGap.
func (g Gap) String() string { return gapNames[g] }

// Gaps is a set of gaps.
type Gaps uint8

// Add adds g to the set. NoGap is ignored.
func (s *Gaps) Add(g Gap) {
	if g != NoGap {
		*s |= 1 << g
	}
}

// Has reports whether g is in the set.
func (s Gaps) Has(g Gap) bool { return s&(1<<g) != 0 }

// IsEmpty reports whether the set has no gaps.
func (s Gaps) IsEmpty() bool { return s == 0 }

// Worst returns the gap that matters most, or NoGap if the set is empty. Exceeded limits and opaque
// text matter more than unknown programs and options.
func (s Gaps) Worst() Gap {
	for g := GapLimit; g > NoGap; g-- {
		if s.Has(g) {
			return g
		}
	}
	return NoGap
}

// Gap returns why the effect is unknown, or NoGap if it is known.
func (e *Effect) Gap() Gap {
	switch {
	case e.Label != Unknown:
		return NoGap
	case e.Uncertain:
		return GapOption // a word that matters is unknown
	}
	return e.Row().Gap
}

// RuleTooMuch is the rule of the effect for the part of a command that was not followed.
const RuleTooMuch = "too-much"

// LimitEffect returns the effect of text that exceeds what can be checked. It is not safe, because the
// unchecked rest may do anything.
func LimitEffect(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: TooMuch, Rule: RuleTooMuch, Impact: ImpactUnknown, Words: words, Reason: reason}
}

// OpaqueEffect returns the effect of running text that cannot be read.
func OpaqueEffect(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: Opaque, Rule: "opaque", Impact: ImpactUnknown, Words: words, Reason: reason}
}

// RuleSyntax is the rule of the effect of text that no shell can parse.
const RuleSyntax = "syntax"

// UnreadEffect returns the effect of running a file or output that was not read.
func UnreadEffect(words, reason string) Effect {
	return Effect{Label: Unknown, Kind: "run", Category: Unread, Rule: "unread", Impact: ImpactUnknown, Words: words, Reason: reason}
}
