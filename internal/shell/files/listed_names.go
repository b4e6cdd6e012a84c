package files

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// listsOutside reports whether calls, a pipeline that prints names of files, may print names outside the
// project: because it searches there, reads the names from there, or asks an index of the whole machine.
// Temporary and generated files are as good as those of the project if a call finds them itself. depth is
// the number of files with names that were followed.
func (j *job) listsOutside(calls []*shell.Call, depth int) bool {
	for i, c := range calls[:min(len(calls), maxSources)] {
		if c == nil {
			continue
		}
		at := newJob(c, j.p)
		searches := program.Is(c.Name, program.IsGrep|program.IsFinder|program.IsLister|program.IsGit)
		switch {
		case program.Is(c.Name, program.IsFileIndex):
			return true
		case searches:
			if at.searchesOutside(i+1 == len(calls)) {
				return true
			}
		default:
			if at.readsNamesOutside(depth) {
				return true
			}
		}
	}
	return false
}

// maxSources bounds how many calls of a pipeline are checked, and how many files are followed.
const maxSources = 8

// searchesOutside reports whether the call, which searches for files or in them, does so outside the
// project. first reports whether it is the first call of a pipeline, which has no input to filter.
func (j *job) searchesOutside(first bool) bool {
	operands := 0
	grep := program.Is(j.c.Name, program.IsGrep)
	if grep && (hasShortOption(j.c.Args, "ef") || hasAnyOption(j.c.Args, "--regexp", "--file", "--files")) {
		operands++ // there is no pattern among the operands
	}
	for i := range j.c.Args {
		t := j.c.Args[i].Text
		if t == "" || t[0] == '-' {
			continue
		}
		if operands++; grep && operands == 1 {
			continue
		}
		if s := j.locateWord(shell.Word{Text: t}); s.isOutsideProject() || s.zone == inTempRoot {
			return true
		}
	}
	if !first {
		return false
	}
	s := j.base.locate(".")
	return s.isOutsideProject()
}

// readsNamesOutside reports whether the call gets its text from the network, or from a file outside the
// project that no earlier part of the command wrote with names of the project.
func (j *job) readsNamesOutside(depth int) bool {
	for _, part := range program.Parts(j.c) {
		switch {
		case part.Role == shell.URL:
			return true
		case part.Role != shell.Reads || part.Word.Text == "" || !part.Word.IsKnown():
			continue
		}
		if f := j.writtenFile(part.Word.Text); f != nil {
			if depth < maxSources && j.listsOutside(f.From, depth+1) {
				return true
			}
			continue
		}
		s := j.base.locate(part.Word.Text)
		if s.isOutsideProject() || s.zone == inTemp || s.zone == inTempRoot {
			return true
		}
	}
	return false
}

// writtenFile returns the file that an earlier part of the command wrote and the call names as text, or
// nil if there is none.
func (j *job) writtenFile(text string) *shell.File {
	for i := range j.c.Files[:min(len(j.c.Files), maxPaths)] {
		if f := &j.c.Files[i]; f.Path == text && len(f.From) > 0 {
			return f
		}
	}
	return nil
}
