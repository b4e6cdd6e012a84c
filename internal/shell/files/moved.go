package files

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// findOrigin returns the location from which an earlier call moved files to s, to something below it, or
// to a directory above it, if more is lost with them than with other files at s. It returns nil if there
// is none. Moves of earlier commands count if the call may delete or empty temporary files.
func (j *job) findOrigin(s *location) *location {
	if s.path == "" || s.hasUnknown || !s.isDisposable() && s.zone != inTempRoot {
		return nil
	}
	list := j.c.Moved
	if s.zone == inTemp && j.p != nil && j.p.Moved != nil && losesFiles(j.c.Name) {
		list = append(j.p.Moved(), list...)
	}
	if len(list) == 0 {
		return nil
	}
	where, _ := trimMatchAll(j.base.absolutePath(s.path))
	var worst *location
	for _, c := range list[max(0, len(list)-maxPaths):] {
		from := newJob(c, j.p)
		t := parseTransfer(c)
		for _, w := range t.sources {
			if w.Text == "" || t.target.Text == "" || !from.movesTo(&t, w, where) {
				continue
			}
			o := from.locateWord(w)
			if o.createdHere || o.zone == inNowhere || o.zone == s.zone || o.zone == inTemp || o.zone == inGenerated {
				continue
			}
			if worst == nil || worseVerdict(zoneDeleteVerdict(*worst, true), zoneDeleteVerdict(o, true)) != zoneDeleteVerdict(*worst, true) {
				worst = &o
			}
		}
	}
	return worst
}

// movesTo reports whether the call moves the source w, by its parsed arguments t, to where, to something
// below it, or to a directory above it.
func (j *job) movesTo(t *transfer, w shell.Word, where string) bool {
	s := j.base.locate(t.target.Text)
	to := j.base.absolutePath(t.target.Text)
	if isTargetDir(s, *t) || s.zone == inTempRoot {
		last := path.Base(strings.TrimRight(w.Text, "/"))
		switch {
		case !isGlob(last) && last != "." && last != placeholder:
			to += "/" + last
		case s.zone == inTempRoot:
			return isBelow(to, where) || to == where
		}
	}
	return to == where || isBelow(to, where) || isBelow(where, to)
}

// losesFiles reports whether the program name deletes or empties the files that it names or finds.
func losesFiles(name string) bool {
	switch program.FilesOf(name) {
	case program.FilesRm, program.FilesWipe, program.FilesUnlink, program.FilesTruncate, program.FilesFind, program.FilesFd:
		return true
	}
	return false
}
