package health

import (
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// Events from the project show that a host trusts it; records of another format, of other projects and
// of foreign processes do not matter.
func TestEventsSettleTrust(t *testing.T) {
	t.Parallel()
	project := filepath.Join(t.TempDir(), "project")
	for name, tt := range map[string]struct {
		record *record.Record
		want   install.State
	}{
		"of the project":       {&record.Record{Host: "gemini", Event: "pre_tool_use", Root: project}, install.Yes},
		"below it":             {&record.Record{Host: "gemini", Event: "pre_tool_use", Dir: filepath.Join(project, "sub")}, install.Yes},
		"of another project":   {&record.Record{Host: "gemini", Event: "pre_tool_use", Root: project + "2"}, install.NotYet},
		"of a foreign process": {&record.Record{Host: "gemini", Event: "pre_tool_use", Root: project, Foreign: true}, install.NotYet},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 0)
			b.Add(t, tt.record)
			if _, err := b.Append(ledger.KindEvent, []byte(`"event":"pre_tool_use","host":"gemini","dir":["odd"]`), false); err != nil {
				t.Fatal(err)
			}
			ix, err := index.Open(t.Context(), b.Dir(), index.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			h := install.Report{Host: "gemini", TrustsFolders: true, Trusted: &install.Check{State: install.NotYet}}
			h.Seen.Count = 2
			if err := correctTrusted(t.Context(), ix, b.Dir(), project, &h); err != nil || h.Trusted.State != tt.want {
				t.Errorf("%s, %v; want %s", h.Trusted.State, err, tt.want)
			}
		})
	}
}
