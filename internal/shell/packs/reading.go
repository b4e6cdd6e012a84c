package packs

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
	cut bool // it has more statements than are read

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
