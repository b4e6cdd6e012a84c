package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// placeholder stands for an unknown part of text.
const placeholder = string(shell.Placeholder)

// A truth is the result of a condition on words that may be unknown.
type truth = program.Truth

const (
	no    = program.No
	maybe = program.Maybe
	yes   = program.Yes
)

// A reading holds the words of a call as its program interprets them, for matching against rules.
type reading struct {
	program.Reading
	truncated bool // the call has more statements than can be checked

	lineName string       // the program that line is about; "" until line is set
	line     program.Line // the rules about lineName
}

// rulesFor returns the rules about the program name, which is one of the names of the call. It returns
// "" if there are none.
func (r *reading) rulesFor(name string) program.Line {
	if r.lineName != name {
		r.lineName, r.line = name, program.RulesFor(name)
	}
	return r.line
}

// hasRules reports whether there are rules about the program of the call.
func (r *reading) hasRules() bool { return r.rulesFor(r.Name) != "" }

// newReading returns a reading of c.
func newReading(c *shell.Call) reading { return reading{Reading: program.ReadingOf(c)} }

// rowEffects returns the effect that the row of the program or its subcommand lists. If the row lists
// all options of the program, an option that it lacks, or a word that may be one, makes the effect
// unknown. It reports false if the row lists no effect.
func (r *reading) rowEffects() ([]shell.Effect, bool) {
	row := r.InnermostRow()
	if row.Is == shell.NoCategory {
		return nil, false
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: row.Is, Impact: shell.ImpactLow, Rule: r.Name, Words: callText(r.Call)}
	e.Reason = e.Row().Doc
	if !row.All {
		return []shell.Effect{e}, true
	}
	option := ""
	if r.Open {
		option = "an argument that may be an option"
	}
	for i := range r.Flags {
		if f := &r.Flags[i]; !r.IsListed(f) {
			option = "unknown option " + f.Raw
		}
	}
	if option != "" {
		e.Label, e.Category, e.Impact = shell.Unknown, shell.UnknownOption, shell.ImpactUnknown
		e.Reason = option + " of " + r.Name
	}
	return []shell.Effect{e}, true
}
