package config

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A limits is what a project's files may cost as long as no person approved
// anything in them: no person has looked at them, and the person's own gates wait.
// What is over a limit does not count, and that is said once.
//
// A file from which hooks were approved is read whatever else there is: a
// repository must not be able to push an approved gate out by bringing more.
type limits struct {
	folders int           // hook folders
	entries int           // names in the directory that they lie in, of whatever kind
	files   int           // all together
	bytes   int           // that are parsed of them, all together
	each    int64         // bytes of one
	time    time.Duration // to parse them, the start of a program that does included
}

var (
	// hurried is for answering a host, patient for a person who looks at what
	// there is, to approve it.
	hurried = limits{folders: 100, entries: 1000, files: 200, bytes: 64 << 10, each: 32 << 10, time: 3 * time.Second}
	patient = limits{folders: 2000, entries: 20_000, files: 4000, bytes: 4 << 20, each: 128 << 10, time: 10 * time.Second}
)

const (
	// maxApproved is how large a file with approved hooks may be, and
	// approvedTime how long all of them may take to be parsed: a gate depends on it, and on
	// a busy machine the start of the program that parses takes seconds.
	maxApproved  = 128 << 10
	approvedTime = 10 * time.Second

	// maxOwnEntries is how many names a directory of the person or of the
	// administrator may have. It is there so that one that fills up by mistake is
	// noticed: gates close then.
	maxOwnEntries = 10_000
)

func (o *Options) limits() *limits {
	if o.Hurried {
		return &hurried
	}
	return &patient
}

// Remedies for a project that brings more than is looked at.
const (
	fewer = "remove some of them; approved hooks still run"
	look  = "to see them, run checkrein hooks list; to use the ones you need, run checkrein hooks approve; approved hooks still run"
)

// errEntries reports that a directory has more names than that.
var errEntries = errors.New("the directory has more than 10000 entries")

// An allowance is what has been spent of the limits above.
type allowance struct {
	files, bytes int
	over         bool         // something was left out, and that was said
	until        [2]time.Time // when parsing must be over, for what is unapproved and approved; zero = not begun
}

// vouched reports whether a person approved hooks of a file.
func (l *loader) vouched(path string) bool { return slices.Contains(l.opts.Approved, path) }

// sizeLimit is how large a file may be: parsing YAML takes memory.
func (l *loader) sizeLimit(path string, scope checkrein.Scope) int64 {
	switch {
	case scope != checkrein.ScopeProject:
		return yamldoc.MaxSize
	case l.vouched(path):
		return maxApproved
	}
	return l.opts.limits().each
}

// spend notes what a file of a project takes, and reports whether there was as
// much left.
func (l *loader) spend(path string, files, bytes int) bool {
	a, most := &l.spent, l.opts.limits()
	a.files, a.bytes = a.files+files, a.bytes+bytes
	switch {
	case a.over:
	case a.files > most.files:
		l.leaveOut(path, fmt.Errorf("this project has more than %d unapproved hook files, so all of those are ignored", most.files))
	case a.bytes > most.bytes:
		l.leaveOut(path, fmt.Errorf("this project has more than %d KiB of unapproved hooks, so all of those are ignored", most.bytes>>10))
	default:
		return true
	}
	a.over = true
	return false
}

// leaveOut notes that there is more than is read. Nothing in it was approved, so
// no gate is lost, unless nobody can tell what was approved.
func (l *loader) leaveOut(path string, why error) {
	err := &checkrein.HookError{Origin: checkrein.Origin{File: path}, Err: why, Remedy: fewer}
	switch {
	case l.opts.NoProject:
		err.Remedy = "work in your own directory, or, if this one is yours, run chmod o-w on it"
	case l.opts.Hurried:
		err.Remedy = look
	}
	f := File{Path: path, Scope: checkrein.ScopeProject, Err: err, Over: err}
	if l.opts.Doubt {
		l.lose(f, err)
		return
	}
	l.out.Files = append(l.out.Files, f)
}

// parseInTime parses a file of a project. What takes longer is left behind.
func (l *loader) parseInTime(d *hookfile.Dialect, src hookfile.Source) (hookfile.File, error) {
	clock, limit := &l.spent.until[0], l.opts.limits().time
	if l.vouched(src.File) {
		clock, limit = &l.spent.until[1], approvedTime
	}
	if clock.IsZero() {
		*clock = time.Now().Add(limit)
	}
	type result struct {
		file hookfile.File
		err  error
	}
	done := make(chan result, 1)
	go func() {
		file, err := d.Parse(src)
		done <- result{file, err}
	}()
	late := time.NewTimer(time.Until(*clock))
	defer late.Stop()
	select {
	case r := <-done:
		return r.file, r.err
	case <-late.C:
		err := &checkrein.HookError{Origin: checkrein.Origin{File: src.File}, Err: fmt.Errorf("%w: more than %s", errLate, limit), Remedy: "make them smaller"}
		return hookfile.File{Lost: err}, err
	}
}
