package grant

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A call may be judged twice, before it runs and for permission. Once it has ended, the same call is
// another one, however soon it comes and whatever its id.
func TestCallEnds(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "call_0"} {
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		s := Store{Dir: ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state"))), Now: func() Moment { return Moment{Wall: now} }}
		by := []Decider{{Hook: packs, Type: "builtin", Scope: "user"}}
		if _, err := s.Add(Grant{Scope: Once, Lifts: by, Binding: Binding{Text: "t"}, Until: now.Add(Life)}); err != nil {
			t.Fatal(err)
		}
		pass := func() bool {
			t.Helper()
			m, err := s.Match(&Call{Binding: Binding{Text: "t"}, Host: "h", Session: "s", ID: id}, by, nil)
			if err != nil {
				t.Fatal(err)
			}
			ok, err := s.RecordUse(&m)
			if err != nil {
				t.Fatal(err)
			}
			return ok && m.By[0] != ""
		}
		end := func(session, id, text string) {
			t.Helper()
			if err := s.EndCall("h", session, id, func() string { return text }); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if !pass() {
				t.Errorf("%q: a call that is judged twice does not pass", id)
			}
		}
		end("other", id, "t")
		end("s", "another", "t")
		if id == "" {
			end("s", id, "other")
		}
		if !pass() {
			t.Errorf("%q: the end of another call ends it", id)
		}
		end("s", id, "t")
		if pass() {
			t.Errorf("%q: the same call after the end of the first passes", id)
		}
	}
}
