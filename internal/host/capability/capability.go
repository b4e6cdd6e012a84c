// Package capability stores what was proven of the hosts on this machine: for each build of a host,
// and each way to run it, which verdicts it honours.
//
// `checkrein prove` adds proofs, and an observation can downgrade a row. The clamp, status, doctor and
// validate read here what a host honours. Without a proof of the installed build, the rows that come
// with checkrein count.
//
// A proof only restricts: checkrein does not rely on what a build was seen not to honour. What it was
// seen to honour beyond the shipped rows is shown but not used, because the host's wire cannot express
// it.
package capability

import (
	"maps"
	"slices"
	"time"
)

// A Result is what a proof found for a row.
type Result string

// The results.
const (
	Honoured    Result = "honoured"     // seen to do it
	NotHonoured Result = "not honoured" // seen not to do it
	Differs     Result = "differs"      // seen to do something else, which the proof describes
	NotShown    Result = "not shown"    // the run did not get that far
	Cannot      Result = "cannot"       // the host has no such feature, so it was not tried
)

// Results returns all results.
func Results() []Result { return []Result{Honoured, NotHonoured, Differs, NotShown, Cannot} }

// A Build is a proof of one build of a host in one mode.
type Build struct {
	Version   string         `json:"version"` // as the build reports it
	Program   Program        `json:"program"`
	Mode      string         `json:"mode"` // how it was run: headless, …
	Proven    time.Time      `json:"proven"`
	Checkrein string         `json:"checkrein"` // the build that proved it
	Rows      map[Row]Result `json:"rows,omitempty"`
	// Downgraded are rows that were seen not to be honoured in real work after the proof.
	Downgraded map[Row]Downgrade `json:"downgraded,omitempty"`
}

// A Downgrade describes when and why a row was downgraded.
type Downgrade struct {
	When time.Time `json:"when"`
	Why  string    `json:"why"`
}

// replaces reports whether two proofs are of the same build and mode, so that the later replaces the
// earlier.
func (b *Build) replaces(o *Build) bool { return b.Mode == o.Mode && b.Program.SameBuild(&o.Program) }

// A Ledger holds the proofs of one host.
type Ledger struct {
	Host string `json:"host"`
	// Program is the one that was found at the last installation or proof.
	Program Program `json:"program"`
	Builds  []Build `json:"builds,omitempty"` // the newest proof first
	// OutputsChecked is the time up to which checkrein checked whether the model saw outputs that were
	// replaced.
	OutputsChecked time.Time `json:"checked,omitzero"`
	// RewritesChecked is the time up to which checkrein compared later events of sessions with
	// rewrites.
	RewritesChecked time.Time `json:"heard,omitzero"`
	// Lost is the newest proof that this machine signed and that the file does not have, because it
	// was removed or replaced by an older one; nil = nothing is lost.
	Lost   *Build `json:"-"`
	unread error  // why a newer proof does not count
}

// newestTime returns the time of the newest proof.
func (l *Ledger) newestTime() time.Time {
	var t time.Time
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Proven.After(t) {
			t = b.Proven
		}
	}
	return t
}

// addLost adds a lost proof. It only restricts: rows that the file has as not honoured stay so.
func (l *Ledger) addLost(b Build) {
	l.Lost = &b
	l.Builds = slices.Clone(l.Builds)
	if at := slices.IndexFunc(l.Builds, func(o Build) bool { return o.replaces(&b) }); at >= 0 {
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

// maxBuilds is how many proofs of a host are kept.
const maxBuilds = 16

// Add adds a proof as the first one, in place of an earlier one of the same build and mode. Results of
// the earlier one stay until the new one shows the same row: a proof that ended early revokes nothing.
func (l *Ledger) Add(b Build) {
	l.Builds = slices.DeleteFunc(slices.Clone(l.Builds), func(o Build) bool {
		before := o.replaces(&b) || o.Proven.IsZero() && o.Program.SameBuild(&b.Program)
		if before {
			b.inherit(&o)
		}
		return before
	})
	l.Builds = slices.Insert(l.Builds, 0, b)
	if len(l.Builds) > maxBuilds {
		l.Builds = l.Builds[:maxBuilds]
	}
	l.Program = b.Program
}

// inherit copies results of an earlier proof for rows that b does not show.
func (b *Build) inherit(o *Build) {
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

// Downgrade marks a row of a build as not honoured. A build that was never proven gets an entry
// without a proof.
func (l *Ledger) Downgrade(p Program, row Row, d Downgrade) {
	found := false
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Program.SameBuild(&p) {
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
