package prove_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var firstProof = time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC)

// proofOf returns a proof of host, made some hours after the first, with evidence of these contents.
func proofOf(host string, hours int, contents ...string) *prove.Proof {
	p := &prove.Proof{
		Host: host, Title: host, Version: "1.2.3", Mode: prove.Headless, Began: firstProof.Add(time.Duration(hours) * time.Hour),
		Outcomes: []prove.Outcome{{Row: capability.DenyShell, Result: capability.Honoured, Said: "it did not run"}},
	}
	for _, c := range contents {
		p.Evidence = append(p.Evidence, prove.Evidence{Digest: digest(c), Kind: prove.ModelEvidence, Run: 1, Bytes: len(c), Content: []byte(c)})
		p.Outcomes[0].Evidence = append(p.Outcomes[0].Evidence, digest(c))
	}
	return p
}

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func newStore(t *testing.T) prove.Store {
	t.Helper()
	return prove.Store{Dir: state.NewDir(filepath.Join(t.TempDir(), "state"))}
}

func keep(t *testing.T, s prove.Store, p *prove.Proof) (file string) {
	t.Helper()
	file, err := s.Save(p)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// changeFile replaces the contents of a stored file.
func changeFile(t *testing.T, path string, to func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, to(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Proofs are returned by host, newest first, and evidence by the beginning of its digest.
func TestStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if all, err := s.All(); err != nil || len(all) > 0 {
		t.Fatalf("nothing is kept: %v, %v", all, err)
	}
	if _, err := s.ReadEvidence(digest("x")); err == nil || !strings.Contains(err.Error(), "checkrein prove --show AGENT") {
		t.Errorf("evidence that was never kept: %v", err)
	}
	keep(t, s, proofOf("qwen", 0, "of qwen"))
	keep(t, s, proofOf("claude", 0, "of claude"))
	file := keep(t, s, proofOf("claude", 1, "of claude", "more"))
	all, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range all {
		got = append(got, k.Host+k.Began.Format(" 15"))
	}
	if want := []string{"claude 06", "claude 05", "qwen 05"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if all[0].File != file {
		t.Errorf("the newest is in %s, want %s", all[0].File, file)
	}
	for _, d := range []string{digest("more"), digest("more")[:8]} {
		if b, err := s.ReadEvidence(d); err != nil || string(b) != "more" {
			t.Errorf("%s: %q, %v", d, b, err)
		}
	}
}

// Evidence that was changed after it was stored is not shown, not even a part of it.
func TestChangedEvidence(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]func([]byte) []byte{
		"another byte": func(b []byte) []byte { b[0] ^= 1; return b },
		"more":         func(b []byte) []byte { return append(b, ' ') },
		"less":         func(b []byte) []byte { return b[1:] },
		"nothing":      func([]byte) []byte { return nil },
	} {
		s := newStore(t)
		keep(t, s, proofOf("claude", 0, "what was seen"))
		changeFile(t, s.Dir.Path("proofs", "seen", digest("what was seen")), to)
		b, err := s.ReadEvidence(digest("what was seen"))
		if err == nil || len(b) > 0 || !strings.Contains(err.Error(), "was changed after it was kept: run checkrein prove again") {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// A certificate that was changed, or that another machine signed, is reported and not shown; the
// others are shown.
func TestChangedCertificate(t *testing.T) {
	t.Parallel()
	other := newStore(t)
	foreign, err := os.ReadFile(keep(t, other, proofOf("claude", 1, "x")))
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]func([]byte) []byte{
		"another result":  func(b []byte) []byte { return bytes.Replace(b, []byte("honoured"), []byte("notshown"), 1) },
		"another version": func(b []byte) []byte { return bytes.Replace(b, []byte("1.2.3"), []byte("1.2.4"), 1) },
		"half of it":      func(b []byte) []byte { return b[:len(b)/2] },
		"nothing":         func([]byte) []byte { return nil },
		"another machine": func([]byte) []byte { return foreign },
	} {
		s := newStore(t)
		keep(t, s, proofOf("claude", 0, "x"))
		file := keep(t, s, proofOf("claude", 1, "x"))
		changeFile(t, file, to)
		all, err := s.All()
		if err == nil || !strings.Contains(err.Error(), file+" is not shown") {
			t.Errorf("%s: %v", name, err)
		}
		if len(all) != 1 || !all[0].Began.Equal(firstProof) {
			t.Errorf("%s: %d proofs are shown, want the one that was not changed", name, len(all))
		}
	}
}

// The last three proofs of each host are kept, with their evidence. A damaged file does not prevent
// that.
func TestPruning(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	keep(t, s, proofOf("codex", 0, "of codex"))
	for hour := range 5 {
		keep(t, s, proofOf("claude", hour, "of all", "of "+string(rune('0'+hour))))
		if hour == 2 {
			changeFile(t, s.Dir.Path("proofs", "claude-20261117T070000Z.json"), func([]byte) []byte { return []byte("{") })
		}
	}
	names := func(sub string) []string {
		list, err := s.Dir.Names(sub)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(list)
		return slices.DeleteFunc(list, func(n string) bool { return n == "seen" })
	}
	want := []string{"claude-20261117T070000Z.json", "claude-20261117T080000Z.json", "claude-20261117T090000Z.json", "codex-20261117T050000Z.json"}
	if got := names("proofs"); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	want = []string{digest("of codex"), digest("of all"), digest("of 3"), digest("of 4")}
	slices.Sort(want)
	if got := names("proofs/seen"); !slices.Equal(got, want) {
		t.Errorf("evidence %q, want %q", got, want)
	}
}
