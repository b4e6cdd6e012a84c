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
