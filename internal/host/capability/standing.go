package capability

import (
	"cmp"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
)

// A State tells which rows of a host count.
type State uint8

// The states. The zero State is the one without any proof.
const (
	Shipped State = iota // nothing was proven, so the shipped rows count
	Stale                // another build was proven, so the shipped rows count
	Proven               // this build was proven
)

// A Standing describes what is known about the installed build of a host.
type Standing struct {
	State   State
	Version string    // of the installed build, "" = unknown
	Last    *Build    // the newest proof of this build or, without one, of another build; nil = none
	Why     string    // why the shipped rows count; "" = they do not
	Since   time.Time // when the proof was made; zero without one
	builds  []Build   // proofs of this build, one for each mode
}

// StandingOf returns what is known about the build now, the installed program.
func (l *Ledger) StandingOf(now Program) Standing {
	s := Standing{Version: now.Version}
	for i := range l.Builds {
		if b := &l.Builds[i]; b.Program.SameBuild(&now) {
			s.builds = append(s.builds, *b)
		}
	}
	at := slices.IndexFunc(s.builds, func(b Build) bool { return !b.Proven.IsZero() })
	if at >= 0 {
		s.State, s.Last, s.Since = Proven, &s.builds[at], s.builds[at].Proven
		s.Version = cmp.Or(s.Last.Version, s.Version) // the version that the build reported takes precedence
		return s
	}
	at = slices.IndexFunc(l.Builds, func(b Build) bool { return !b.Proven.IsZero() })
	if at < 0 {
		s.Why = "not proven"
		return s
	}
	s.State, s.Last = Stale, &l.Builds[at]
	switch {
	case now.Size == 0:
		s.Why = "proven for " + versionOrEarlier(s.Last.Version) + ", which is gone"
	case s.Version == "" || s.Version == s.Last.Version || s.Version == s.Last.Program.Version:
		s.Why = "proven for " + versionOrEarlier(s.Last.Version) + ", but another build runs now"
	default:
		s.Why = "proven for " + versionOrEarlier(s.Last.Version) + ", " + s.Version + " runs now"
	}
	return s
}

// versionOrEarlier returns version, or "an earlier build" if it is "".
func versionOrEarlier(version string) string {
	if version == "" {
		return "an earlier build"
	}
	return version
}

// Rows returns the results of this build in all modes together. A row that is not honoured in one mode
// is not honoured. It returns nil if the build was not proven.
func (s *Standing) Rows() map[Row]Result {
	if s.State != Proven {
		return nil
	}
	out := map[Row]Result{}
	for i := range s.builds {
		for row, r := range s.builds[i].Rows {
			if was, ok := out[row]; !ok || resultRank(r) > resultRank(was) {
				out[row] = r
			}
		}
		for row := range s.builds[i].Downgraded {
			out[row] = NotHonoured
		}
	}
	return out
}

// resultRank returns the rank of r, by which the results of several modes are merged: the highest
// counts.
func resultRank(r Result) int {
	return slices.Index([]Result{Cannot, NotShown, Honoured, Differs, NotHonoured}, r)
}

// A Doubt is a row that the installed build was seen to ignore.
type Doubt struct {
	Row    Row
	Effect checkrein.Effect
	When   time.Time // when it was seen
	Why    string    // what the build did, such as "ran a shell command that was denied"
	Work   bool      // it was seen in real work, not in a proof
}

// DoubtsAbout returns the rows about verdicts on ev that this build was seen to ignore, each once.
func (s *Standing) DoubtsAbout(ev *checkrein.Event) []Doubt {
	var out []Doubt
	for i := range facts {
		f := &facts[i]
		if !f.isAbout(ev) {
			continue
		}
		if d, ok := s.findDoubt(f); ok {
			out = append(out, d)
		}
	}
	return out
}

// AllDoubts returns all rows that this build was seen to ignore, but only one for each cause.
func (s *Standing) AllDoubts() []Doubt {
	var out []Doubt
	for i := range facts {
		if cause := facts[i].SameCauseAs; slices.ContainsFunc(out, func(d Doubt) bool { return d.Row == cause }) {
			continue
		}
		if d, ok := s.findDoubt(&facts[i]); ok {
			out = append(out, d)
		}
	}
	return out
}

// findDoubt returns the doubt about the row of f. It reports false if the build was not seen to ignore
// it.
func (s *Standing) findDoubt(f *Fact) (Doubt, bool) {
	for i := range s.builds {
		if d, ok := s.builds[i].Downgraded[f.Row]; ok {
			return Doubt{f.Row, f.Effect, d.When, d.Why, true}, true
		}
	}
	for i := range s.builds {
		if s.builds[i].Rows[f.Row] == NotHonoured {
			return Doubt{f.Row, f.Effect, s.builds[i].Proven, f.DoesNot, false}, true
		}
	}
	return Doubt{}, false
}
