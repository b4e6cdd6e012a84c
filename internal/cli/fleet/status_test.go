package fleet

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/machine"
)

// TestAdvisoryMachineTriesNothing checks that the status of an advisory machine does not claim that a
// bundle is tried there.
func TestAdvisoryMachineTriesNothing(t *testing.T) {
	t.Parallel()
	for _, advisory := range []bool{false, true} {
		var out bytes.Buffer
		printPolicy(&console.Env{Stdout: &out, Now: time.Now}, "", &machine.Status{Trial: "bundles/base-1.tar.gz"}, advisory)
		if strings.Contains(out.String(), "not tried") != advisory {
			t.Errorf("advisory %v: %s", advisory, out.String())
		}
	}
}

// TestRecordsOfNoTime checks that a time that ends before it begins is a mistake.
func TestRecordsOfNoTime(t *testing.T) {
	t.Parallel()
	env := &console.Env{Now: func() time.Time { return time.Date(2031, 5, 3, 12, 0, 0, 0, time.UTC) }}
	for _, tt := range []struct {
		since, until string
		wrong        bool
	}{{"2031-05-01", "2031-05-01", false}, {"2031-05-02", "2031-05-01", true}, {"1h", "2h", true}, {"2h", "1h", false}, {"1h", "", false}} {
		_, err := query{"since": &tt.since, "until": &tt.until}.values(env)
		if (err != nil) != tt.wrong {
			t.Errorf("--since %s --until %s: %v", tt.since, tt.until, err)
		}
	}
}
