package health

import (
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/install"
)

// The counts of silent hosts and those of single calls must agree in a report.
func TestSilentCallsCountAsUnseen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, host            string
		unseen, silent        int
		wantUnseen, wantQuiet int
	}{
		{"both say it", "claude", 2, 2, 2, 1},
		{"copies of what was heard", "claude", 0, 2, 0, 0},
		{"no IDs, and not counted one by one", "gemini", 0, 2, 2, 1},
		{"no IDs, both say it", "gemini", 3, 2, 3, 1},
	} {
		r := &misses.Report{Unseen: test.unseen, Sources: []misses.Count{{Host: test.host, Calls: 5, Unseen: test.unseen}}}
		out := reconcileSilent(r, []install.Report{{Host: test.host, Silent: &install.Silent{Calls: test.silent, Now: true}}})
		if r.Failures() != test.wantUnseen || len(out) != test.wantQuiet {
			t.Errorf("%s: %d unseen, %d silent", test.name, r.Unseen, len(out))
		}
	}
}
