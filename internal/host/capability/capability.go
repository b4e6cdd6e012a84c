// Package capability keeps what was proven of the hosts on this machine: for each build of a
// host, and each way to run it, which verdicts it honours.
//
// `checkrein prove` fills it, an observation may take a row back, and everything that
// asks what a host honours reads it here: the clamp, status, doctor, validate. Without a
// proof of the very build that is installed, the rows that come with checkrein count.
//
// A proof only ever takes away: what a build was seen not to honour is not relied on.
// What it was seen to honour beyond the shipped rows is shown and not used, because the
// host's wire has no words for it.
package capability

import (
	"maps"
	"slices"
	"time"
)

// A Result is what a proof found out about a row.
type Result string

// The results.
const (
	Honoured    Result = "honoured"     // seen to do it
	NotHonoured Result = "not honoured" // seen not to do it
	Differs     Result = "differs"      // seen to do something else; Said in the proof tells what
	NotShown    Result = "not shown"    // the run did not come that far
	Cannot      Result = "cannot"       // the host has no way to do it, and was not asked to
)

// Results lists them.
func Results() []Result { return []Result{Honoured, NotHonoured, Differs, NotShown, Cannot} }

// A Build is what was proven of one build of a host in one mode.
type Build struct {
	Version   string         `json:"version"` // as the build itself says
	Program   Program        `json:"program"`
	Mode      string         `json:"mode"` // how it was run: headless, …
	Proven    time.Time      `json:"proven"`
	Checkrein string         `json:"checkrein"` // the build that proved it
	Rows      map[Row]Result `json:"rows,omitempty"`
	// Downgraded are rows that were taken back after the proof, because something
	// else was seen in real work.
	Downgraded map[Row]Downgrade `json:"downgraded,omitempty"`
}

// A Downgrade describes when and why a row was taken back.
type Downgrade struct {
	When time.Time `json:"when"`
	Why  string    `json:"why"`
}

// is reports whether two are of one build and mode, so that the later takes the place
// of the earlier.
func (b *Build) is(o *Build) bool { return b.Mode == o.Mode && b.Program.Same(&o.Program) }

// A Ledger is what is known of one host.
type Ledger struct {
	Host string `json:"host"`
	// Program is the one that was found when checkrein was installed or proven last.
	Program Program `json:"program"`
	Builds  []Build `json:"builds,omitempty"` // the newest proof first
	// Checked is until when it was looked whether results that were replaced reached the
	// model all the same.
	Checked time.Time `json:"checked,omitzero"`
	// Heard is until when later events of sessions were held against what hooks changed.
	Heard time.Time `json:"heard,omitzero"`
	// Lost is the newest proof that this machine signed and that the file does not have:
	// somebody removed the file, or put an older one back. nil = nothing is lost.
	Lost   *Build `json:"-"`
	unread error  // why a newer proof does not count
}

// newest is when the newest proof was made.
func (l *Ledger) newest() time.Time {
	var t time.Time
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Proven.After(t) {
			t = b.Proven
		}
	}
	return t
}

// recall takes over what a proof says that is lost. It only ever makes it tighter: what
// the file says not to be honoured stays so.
func (l *Ledger) recall(b Build) {
	l.Lost = &b
	l.Builds = slices.Clone(l.Builds)
	if at := slices.IndexFunc(l.Builds, func(o Build) bool { return o.is(&b) }); at >= 0 {
		o := &l.Builds[at]
		rows := map[Row]Result{}
		maps.Copy(rows, o.Rows)
		for row, r := range b.Rows {
			if r == NotHonoured {
				rows[row] = r
			}
		}
		o.Rows = rows
		return
	}
	l.Builds = slices.Insert(l.Builds, 0, b)
	if l.Program.Path == "" {
		l.Program = b.Program
	}
}

// maxBuilds bounds how many proofs of a host are kept.
const maxBuilds = 16

// Add puts a proof first, in place of an earlier one of the same build and mode. What was
// seen of that build stays until the new proof shows the same row: a proof that ended
// early takes nothing back.
func (l *Ledger) Add(b Build) {
	l.Builds = slices.DeleteFunc(slices.Clone(l.Builds), func(o Build) bool {
		before := o.is(&b) || o.Proven.IsZero() && o.Program.Same(&b.Program)
		if before {
			b.keep(&o)
		}
		return before
	})
	l.Builds = slices.Insert(l.Builds, 0, b)
	if len(l.Builds) > maxBuilds {
		l.Builds = l.Builds[:maxBuilds]
	}
	l.Program = b.Program
}

// keep takes over from an earlier proof what b does not show.
func (b *Build) keep(o *Build) {
	b.Rows, b.Downgraded = maps.Clone(b.Rows), maps.Clone(b.Downgraded)
	open := func(row Row) bool { r, ok := b.Rows[row]; return !ok || r == NotShown }
	for row, d := range o.Downgraded {
		if open(row) {
			if b.Downgraded == nil {
				b.Downgraded = map[Row]Downgrade{}
			}
			b.Downgraded[row] = d
		}
	}
	for row, r := range o.Rows {
		if open(row) && r != NotShown {
			if b.Rows == nil {
				b.Rows = map[Row]Result{}
			}
			b.Rows[row] = r
		}
	}
}

// Downgrade takes a row of a build back. A build that was never proven gets an entry
// without a proof: what was seen counts all the same.
func (l *Ledger) Downgrade(p Program, row Row, d Downgrade) {
	found := false
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Program.Same(&p) {
			found = true
			b.Downgraded = maps.Clone(b.Downgraded)
			if b.Downgraded == nil {
				b.Downgraded = map[Row]Downgrade{}
			}
			b.Downgraded[row] = d
		}
	}
	if !found {
		l.Builds = slices.Insert(l.Builds, 0, Build{Version: p.Version, Program: p, Downgraded: map[Row]Downgrade{row: d}})
		if len(l.Builds) > maxBuilds {
			l.Builds = l.Builds[:maxBuilds]
		}
	}
}
