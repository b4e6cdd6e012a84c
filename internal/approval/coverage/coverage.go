// Package coverage finds the files that a hook would run, and which parts of them.
//
// Files that are only read are not included. A plan never silently omits something that might run:
// what cannot be determined is listed in [Plan.Unsure].
//
//	hook → text → calls (shell/resolve) → files and parts of files
//
// A plan reads the disk only through a [DiskView], which records what it read: as long as the recorded
// observations hold, the plan is unchanged.
package coverage

// A Place is where a hook runs.
type Place struct {
	Root    string   // the directory that hooks run in, absolute
	Top     string   // the repository that contains Root; everything below it belongs to the repository
	Home    string   // the directory that ~ stands for
	Environ []string // the environment of hooks, without their own env; nil means that of this process
}

// A Plan lists what a hook would run.
type Plan struct {
	Parts  []Part   // in the order in which they were found, without duplicates
	Unsure []string // what cannot be determined, worded for the user, without duplicates; approvals store and compare these texts, so a hook whose text is reworded counts as changed
	Vars   []string // the environment variables that the plan depends on; see [InputsDigest]
}

// A Part is a file that would run, or a named part of one.
type Part struct {
	Path string // absolute, as the hook names it: symlinks are not resolved
	Name string // which part, such as "target lint" or "script test"; "" means the whole file
	// Text is the text of the named part. It stays the same while that part is unchanged, whatever
	// else changes in the file. nil means the whole file.
	Text []byte
}
