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

// limits bound the cost of a project's files without approved hooks: no person has reviewed them, and
// the user's own gates have to wait for them. Files beyond a limit are ignored, which is reported
// once.
//
// A file with approved hooks is always loaded, so that a repository cannot displace an approved gate
// by adding files.
type limits struct {
	folders int           // hook folders
	entries int           // entries of the directory with the hook folders
	files   int           // number of files in total
	bytes   int           // number of parsed bytes in total
	each    int64         // maximum size of one file
	time    time.Duration // for parsing all files, including the start of the parser process
}

var (
	// hurried applies while a host is waiting for an answer, patient while a person reviews files.
	hurried = limits{folders: 100, entries: 1000, files: 200, bytes: 64 << 10, each: 32 << 10, time: 3 * time.Second}
	patient = limits{folders: 2000, entries: 20_000, files: 4000, bytes: 4 << 20, each: 128 << 10, time: 10 * time.Second}
)

const (
	// maxApproved limits the size of a file with approved hooks, and approvedTime the time to parse
	// all of them. The time is long because gates depend on it and starting the parser process can
	// take seconds on a busy machine.
	maxApproved  = 128 << 10
	approvedTime = 10 * time.Second

	// maxOwnEntries limits the entries of a directory of the user or the administrator. If a
	// directory exceeds it, gates deny, so that the mistake is noticed.
	maxOwnEntries = 10_000
)

// unapprovedLimits returns the limits for unapproved files.
func (o *Options) unapprovedLimits() *limits {
	if o.Hurried {
		return &hurried
	}
	return &patient
}

// Remedies for a project that exceeds the limits.
const (
	fewerRemedy   = "remove some of them; approved hooks still run"
	approveRemedy = "to see them, run checkrein hooks list; to use the ones you need, run checkrein hooks approve; approved hooks still run"
)

// errEntries is the error for a directory with more than maxOwnEntries entries.
var errEntries = errors.New("the directory has more than 10000 entries")

// A usage counts how much of the limits was used.
type usage struct {
	files, bytes int
	over         bool         // a limit was exceeded and has been reported
	until        [2]time.Time // deadlines for parsing unapproved and approved files; zero until the first is parsed
}

// isApproved reports whether a person has approved hooks from the file path.
func (l *loader) isApproved(path string) bool { return slices.Contains(l.opts.Approved, path) }

// sizeLimit returns the maximum size of the file path. Files are limited because parsing YAML takes
// memory.
func (l *loader) sizeLimit(path string, scope checkrein.Scope) int64 {
	switch {
	case scope != checkrein.ScopeProject:
		return yamldoc.MaxSize
	case l.isApproved(path):
		return maxApproved
	}
	return l.opts.unapprovedLimits().each
}

// countUsage counts files and parsed bytes of a project, and reports whether they are within the
// limits. The first time they are not, it records that files are ignored.
func (l *loader) countUsage(path string, files, bytes int) bool {
	a, most := &l.spent, l.opts.unapprovedLimits()
	a.files, a.bytes = a.files+files, a.bytes+bytes
	switch {
	case a.over:
	case a.files > most.files:
		l.addIgnored(path, fmt.Errorf("this project has more than %d unapproved hook files, so all of those are ignored", most.files))
	case a.bytes > most.bytes:
		l.addIgnored(path, fmt.Errorf("this project has more than %d KiB of unapproved hooks, so all of those are ignored", most.bytes>>10))
	default:
		return true
	}
	a.over = true
	return false
}

// addIgnored records that unapproved files are ignored because a limit was exceeded. No gate is lost
// thereby, unless the list of approved files may be incomplete.
func (l *loader) addIgnored(path string, why error) {
	err := &checkrein.HookError{Origin: checkrein.Origin{File: path}, Err: why, Remedy: fewerRemedy}
	switch {
	case l.opts.NoProject:
		err.Remedy = "work in your own directory, or, if this one is yours, run chmod o-w on it"
	case l.opts.Hurried:
		err.Remedy = approveRemedy
	}
	f := File{Path: path, Scope: checkrein.ScopeProject, Err: err, OverLimit: err}
	if l.opts.Doubt {
		l.addLost(f, err)
		return
	}
	l.out.Files = append(l.out.Files, f)
}

// parseWithDeadline parses a file of a project. If that takes too long, it returns an error while the
// parser finishes in the background.
func (l *loader) parseWithDeadline(d *hookfile.Dialect, src hookfile.Source) (hookfile.File, error) {
	clock, limit := &l.spent.until[0], l.opts.unapprovedLimits().time
	if l.isApproved(src.File) {
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
