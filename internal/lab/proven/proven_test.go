package proven

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/checkrein/checkrein/internal/host/capability"
)

// TestAll checks the rows of all stored proofs against the table of rows.
func TestAll(t *testing.T) {
	all, err := All()
	if err != nil || len(all) == 0 {
		t.Fatalf("%d builds: %v", len(all), err)
	}
	for _, b := range all {
		for _, f := range capability.Facts() {
			if b.Rows[f.Row] == "" {
				t.Errorf("%s has no row %s: prove that build again", b.File(), f.Row)
			}
		}
		if b.Rows[capability.DenyShell] != capability.Honoured || b.Proven.IsZero() || len(b.SHA256) != 64 {
			t.Errorf("%s proves nothing: %+v", b.File(), b)
		}
	}
}

func TestFrom(t *testing.T) {
	const printed = `{"proofs":[{"host":"claude","title":"Claude Code","version":"9.9.9","mode":"headless","began":"2026-11-17T06:38:13Z","took":35.97,
		"program":{"path":"/home/somebody/claude","sha256":"ab"},
		"outcomes":[{"row":"ask","result":"honoured","said":"it asked"},{"row":"rewrite","result":"cannot","said":"it has no way"}]}]}`
	all, err := ParseProofs(strings.NewReader(printed))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	b := all[0]
	if b.File() != "claude-9.9.9.json" || b.Took != 35.9 || b.Count(capability.Honoured) != 1 || b.Count(capability.Cannot) != 1 {
		t.Errorf("%+v", b)
	}
	if len(b.Said) != 1 || b.Said[capability.Rewrite] != "it has no way" {
		t.Errorf("what was seen instead: %v", b.Said)
	}
	for _, bad := range []string{``, `{"proofs":[{"host":"../x","version":"1.0.0","outcomes":[{"row":"ask"}]}]}`, `{"proofs":[{"host":"claude","version":"1.0.0"}]}`} {
		if _, err := ParseProofs(strings.NewReader(bad)); err == nil {
			t.Errorf("%s is taken for a proof", bad)
		}
	}
}

func TestNames(t *testing.T) {
	_, err := Read(fstest.MapFS{"builds/codex-1.0.0.json": {Data: []byte(`{"host":"claude","version":"2.0.0"}`)}})
	if err == nil || !strings.Contains(err.Error(), "builds/claude-2.0.0.json") {
		t.Errorf("a file with another build's name: %v", err)
	}
}
