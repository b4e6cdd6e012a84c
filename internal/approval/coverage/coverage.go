// Package coverage finds the files that a hook would run, and the parts of them.
//
// A file that is only read is not among them. What cannot be told is said so: a
// plan never leaves out in silence what might run.
//
//	hook → text → calls (shell/resolve) → files and parts of files
//
// All that a plan is told by comes through a [Look], which remembers it: as long
// as that is the same, so is the plan.
package coverage

// A Place is where a hook runs.
type Place struct {
	Root    string   // the directory that hooks run in, absolute
	Top     string   // the repository that it lies in: what lies below came with it
	Home    string   // what ~ means
	Environ []string // of hooks, without their own env; nil = the process's own
}

// A Plan is what a hook would run.
type Plan struct {
	Parts  []Part   // in the order in which they are met, each once
	Unsure []string // what cannot be told, for people, each once
	Vars   []string // variables that it was told by; see [Inputs]
}

// A Part is a file that would run, or the part of one that would.
type Part struct {
	Path string // absolute, as the hook leads there: links are not resolved
	Name string // which part: "target lint", "script test"; "" = the whole file
	// Text is what would run, of a part: it is the same as long as what runs is
	// the same, whatever else changes in the file. nil = the whole file.
	Text []byte
}
