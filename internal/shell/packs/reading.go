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
}
