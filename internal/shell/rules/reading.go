package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// hole stands in a text for a part that is not known.
const hole = string(shell.Hole)

// Answers to conditions when words may be unknown.
type truth = program.Truth

const (
	no    = program.No
	maybe = program.Maybe
	yes   = program.Yes
)

// A reading is a call's words as its program takes them, to hold rules against.
type reading struct {
	program.Reading
	cut bool // it has more statements than can be checked

	asked string       // the program that the index was last asked about
	line  program.Line // what it said
}

// about returns the rules about a program by one of the call's names.
func (r *reading) about(name string) program.Line {
	if r.asked != name {
		r.asked, r.line = name, program.RulesAbout(name)
	}
	return r.line
}

// known reports whether some rule is about the call's program.
func (r *reading) known() bool { return r.about(r.Name) != "" }

func readingOf(c *shell.Call) reading { return reading{Reading: program.Of(c)} }

// byRow is what the program's row says by itself. Where all options are listed, one
// that is not, or a word that may be one, leaves open what the program does.
func (r *reading) byRow() ([]shell.Effect, bool) {
	row := r.Last()
	if row.Is == shell.NoCategory {
		return nil, false
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: row.Is, Radius: shell.RadiusLow, Rule: r.Name, Words: wordsOf(r.Call)}
	e.Reason = e.Row().Doc
	if !row.All {
		return []shell.Effect{e}, true
	}
	option := ""
	if r.Open {
		option = "an argument that may be an option"
	}
	for i := range r.Flags {
		if f := &r.Flags[i]; !r.Listed(f) {
			option = "unknown option " + f.Raw
		}
	}
	if option != "" {
		e.Label, e.Category, e.Radius = shell.Unknown, shell.UnknownOption, shell.RadiusUnknown
		e.Reason = option + " of " + r.Name
	}
	return []shell.Effect{e}, true
}
