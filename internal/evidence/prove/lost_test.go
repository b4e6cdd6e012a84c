package prove_test

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/capability"
)

// A proof is not forgotten if the ledger is removed or replaced by an older one. Both are reported,
// and what the proof disproves still counts.
func TestLostLedger(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	book := capability.Book{Dir: s.Dir, Secret: ledger.Open(ledger.Options{Dir: s.Dir}).SecretFunc(ledger.LabelCaps), Witness: s.Witness()}
	program := capability.Program{Path: "/bin/claude", Size: 7, Version: "1.2.3"}
	add := func(hours int, result capability.Result) (certificate string) {
		p := proofOf("claude", hours, "seen")
		p.Program, p.Outcomes[0].Result = program, result
		certificate = keep(t, s, p)
		if err := book.Replace("claude", func(l *capability.Ledger) { l.AddProof(p.Build()) }); err != nil {
			t.Fatal(err)
		}
		return certificate
	}
	// doubts is what is known not to be honoured, by all who ask.
	doubts := func() (all, hot int, says string) {
		l, err := book.Load("claude")
		if err != nil {
			t.Fatal(err)
		}
		d, err := book.LoadDoubts("claude")
		if err != nil {
			t.Fatal(err)
		}
		at, soon := l.StandingOf(program), d.StandingOf(program)
		lost := ""
		if m := book.LostProof(&l); m != nil {
			lost = m.String()
		}
		return len(at.AllDoubts()), len(soon.AllDoubts()), lost
	}
	want := func(what string, n int, says string) {
		t.Helper()
		all, hot, said := doubts()
		if all != n || hot != n || (says == "") != (said == "") || !strings.Contains(said, says) {
			t.Errorf("%s: %d and %d doubts, %q", what, all, hot, said)
		}
	}
	want("nothing was proven", 0, "")
	add(0, capability.Honoured)
	want("honoured", 0, "")
	old, err := os.ReadFile(book.Path("claude"))
	if err != nil {
		t.Fatal(err)
	}
	newest := add(1, capability.NotHonoured)
	want("not honoured", 1, "")
	bad, err := os.ReadFile(book.Path("claude"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(book.Path("claude"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	want("an older one", 1, "replaced by an older one")
	if err := os.Remove(book.Path("claude")); err != nil {
		t.Fatal(err)
	}
	want("none", 1, "checkrein prove claude")
	changeFile(t, newest, func(b []byte) []byte { return append(b, ' ') })
	want("none, and the proof was changed", 0, "does not count")
	// A proof that is better than what the ledger says takes nothing back by itself.
	if err := os.WriteFile(book.Path("claude"), bad, 0o600); err != nil {
		t.Fatal(err)
	}
	p := proofOf("claude", 2, "seen")
	p.Program = program
	keep(t, s, p)
	want("a better proof that was never added", 1, "does not have the proof")
}
