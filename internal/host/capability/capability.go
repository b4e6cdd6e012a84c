// Package capability stores what is proven about the hosts on this machine: for each build of a host,
// and each way to run it, which verdicts it honours.
//
// The prove command adds proofs, and an observation can downgrade a row. The clamp, status, doctor and
// validate use what is stored here. Without a proof for the installed build, the rows that are shipped
// with checkrein count.
//
// A proof only restricts: checkrein does not rely on an effect that a build was seen to ignore. An
// effect that it was seen to honour beyond the shipped rows is shown but not used, because the host's
// wire cannot express it.
package capability

import (
	"maps"
	"slices"
	"time"
)

// A Result is the outcome of a proof for a row.
type Result string

// The results.
const (
	Honoured    Result = "honoured"     // the host was seen to do it
	NotHonoured Result = "not honoured" // the host was seen not to do it
	Differs     Result = "differs"      // the host was seen to do something else, which the proof describes
	NotShown    Result = "not shown"    // the run did not get that far
	Cannot      Result = "cannot"       // the host has no such feature, so it was not tried
)

// AllResults returns all results.
func AllResults() []Result { return []Result{Honoured, NotHonoured, Differs, NotShown, Cannot} }

// A Build is a proof of one build of a host in one mode.
type Build struct {
	Version   string         `json:"version"` // as the build reports it
	Program   Program        `json:"program"`
	Mode      string         `json:"mode"` // how it was run: headless, …
	Proven    time.Time      `json:"proven"`
	Checkrein string         `json:"checkrein"` // the build of checkrein that made the proof
	Rows      map[Row]Result `json:"rows,omitempty"`
	// Downgraded holds rows that the build was seen to ignore in real work after the proof.
	Downgraded map[Row]Downgrade `json:"downgraded,omitempty"`
}

// A Downgrade holds when and why a row was downgraded.
type Downgrade struct {
	When time.Time `json:"when"`
	Why  string    `json:"why"`
}

// isSameBuildAndMode reports whether b and o are proofs of the same build and mode, so that the later
// one replaces the earlier.
func (b *Build) isSameBuildAndMode(o *Build) bool {
	return b.Mode == o.Mode && b.Program.SameBuild(&o.Program)
}

// A Ledger holds the proofs of one host.
type Ledger struct {
	Host string `json:"host"`
	// Program is the host's program at the last installation or proof.
	Program Program `json:"program"`
	Builds  []Build `json:"builds,omitempty"` // the newest proof first
	// OutputsChecked is the time up to which checkrein checked whether the model saw outputs that were
	// replaced.
	OutputsChecked time.Time `json:"checked,omitzero"`
	// RewritesChecked is the time up to which checkrein checked later events of sessions for ignored
	// rewrites.
	RewritesChecked time.Time `json:"heard,omitzero"`
	// Lost is the newest proof that this machine signed, if the file does not have it because it was
	// removed or replaced by an older one; nil = nothing is lost.
	Lost   *Build `json:"-"`
	unread error  // why a newer proof does not count
}

// newestTime returns the time of the newest proof, or zero if there is none.
func (l *Ledger) newestTime() time.Time {
	var t time.Time
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Proven.After(t) {
			t = b.Proven
		}
	}
	return t
}

// mergeLostProof adds b, a lost proof. It only restricts: rows that the file has as not honoured stay
// so.
func (l *Ledger) mergeLostProof(b Build) {
	l.Lost = &b
	l.Builds = slices.Clone(l.Builds)
	if at := slices.IndexFunc(l.Builds, func(o Build) bool { return o.isSameBuildAndMode(&b) }); at >= 0 {
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

// maxBuilds is how many proofs of a host are stored.
const maxBuilds = 16

// AddProof inserts a proof as the newest one, in place of an earlier one of the same build and mode. A
// result of the earlier proof stays unless the new one shows the same row, so that a proof that ended
// early revokes nothing.
func (l *Ledger) AddProof(b Build) {
	l.Builds = slices.DeleteFunc(slices.Clone(l.Builds), func(o Build) bool {
		before := o.isSameBuildAndMode(&b) || o.Proven.IsZero() && o.Program.SameBuild(&b.Program)
		if before {
			b.inheritResults(&o)
		}
		return before
	})
	l.Builds = slices.Insert(l.Builds, 0, b)
	if len(l.Builds) > maxBuilds {
		l.Builds = l.Builds[:maxBuilds]
	}
	l.Program = b.Program
}

// inheritResults copies the results of o, an earlier proof, for rows that b does not show.
func (b *Build) inheritResults(o *Build) {
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

// Downgrade marks a row of the build p as not honoured. A build that was never proven gets an entry
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
