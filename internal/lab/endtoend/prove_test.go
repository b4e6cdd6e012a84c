package endtoend

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// notShown maps hosts to rows that a headless run cannot show, because the host does not offer the
// tools to the model from the start.
var notShown = map[string][]capability.Row{
	"codex": {capability.DenyMCP, capability.DenySubagent},
}

// proofsVar is the environment variable that names a directory for the proofs, in the format of
// `checkrein prove --json`. internal/lab/scoreboard sets it. Each host is then proven only once.
const proofsVar = "CHECKREIN_PROOFS"

func keepProof(t *testing.T, p *prove.Proof) {
	t.Helper()
	dir := os.Getenv(proofsVar)
	if dir == "" {
		return
	}
	text, err := json.Marshal(map[string]any{"proofs": []*prove.Proof{p}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, p.Host+"-"+p.Version+".json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestHostProve proves each host twice: the results are those that checkrein assumes without a proof,
// and both proofs agree.
func TestHostProve(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) {
			known, _ := host.Find(f.host)
			want := prove.ExpectedRows(known)
			for _, row := range notShown[f.host] {
				want[row] = capability.NotShown
			}
			h := hosttest.New(t).Host(f.host)
			times := 2
			if os.Getenv(proofsVar) != "" {
				times = 1
			}
			for range times {
				began := time.Now()
				progress := func(run, runs int, what string) {
					t.Logf("%5.1f s: run %d of %d, %s", time.Since(began).Seconds(), run, runs, what)
				}
				p, err := prove.Run(t.Context(), h.Host, prove.Options{Programs: programs, Progress: progress})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s %s: %.0f s", p.Host, p.Version, p.Took)
				keepProof(t, p)
				for _, o := range p.Outcomes {
					if o.Result != want[o.Row] {
						t.Errorf("%s: %s, want %s: %s", o.Row, o.Result, want[o.Row], o.Said)
					}
				}
				if rows := slices.Collect(maps.Keys(p.Rows())); len(rows) != len(want) {
					t.Errorf("%d rows, want %d", len(rows), len(want))
				}
			}
		})
	}
}
