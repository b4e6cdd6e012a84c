package prove_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// installFakeHost installs a build of the test agent, and returns the host that is found there.
func installFakeHost(t *testing.T, program string, b fakehost.Build) *hostlab.Host {
	t.Helper()
	dir := t.TempDir()
	faketest.Put(t, program, filepath.Join(dir, "claude"), b)
	h, err := setups.Labs().Find(t.Context(), "claude", hostlab.Where{Path: dir, Home: t.TempDir(), Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHonest proves an honest host twice. Everything that checkrein relies on is shown, both proofs
// agree, and each row has stored evidence.
func TestHonest(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	known, _ := host.Find("claude")
	want := prove.ExpectedRows(known)
	var first map[capability.Row]capability.Result
	for range 2 {
		h := installFakeHost(t, program, fakehost.Build{})
		p, err := prove.Run(t.Context(), h, prove.Options{Programs: programs})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Outcomes {
			t.Logf("%-16s %-12s %s", o.Row, o.Result, o.Said)
			if o.Result != want[o.Row] {
				t.Errorf("%s: %s, want %s", o.Row, o.Result, want[o.Row])
			}
			if len(o.Evidence) == 0 {
				t.Errorf("%s has no evidence", o.Row)
			}
		}
		if len(p.Outcomes) != len(capability.Facts()) {
			t.Errorf("%d rows, want %d", len(p.Outcomes), len(capability.Facts()))
		}
		if first != nil && !maps.Equal(first, p.Rows()) {
			t.Errorf("two proofs do not agree: %v and %v", first, p.Rows())
		}
		first = p.Rows()
	}
}
