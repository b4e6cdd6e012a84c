package audit

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// listingText returns what a listing of lines prints on a screen of this width.
func listingText(columns, colour string, lines ...[]byte) string {
	var out strings.Builder
	env := clitest.Env
	env.Stdout, env.Environ, env.Colour = &out, []string{"COLUMNS=" + columns, "HOME=/home/me"}, colour
	newListing(&env).print(lines)
	return out.String()
}

func TestListing(t *testing.T) {
	t.Parallel()
	read := &record.Record{Seq: 1043, Kind: "event", Time: clitest.Noon.Add(-50 * time.Hour), Event: "pre_tool_use", Host: "claude", Session: "019a8c3e-7b21-7c44-9d10-5a4f0c1e2b3d",
		Tool: &record.Tool{Name: "Read", Canonical: "read"}, Decision: "none", Subject: &record.Subject{Input: &record.Part{JSON: json.RawMessage(`{"file_path":"/home/me/project/README.md"}`)}}}
	redacted := &record.Record{Seq: 1044, Kind: "event", Time: clitest.Noon, Event: "tool_response_transform", Host: "gemini", Session: "019a8c3e-90aa-7d02-8e55-77aa01bc9f10", Decision: "none", Effects: []string{"rewrite_output"},
		Tool: &record.Tool{Name: "run_shell_command", Canonical: "shell"}, Subject: &record.Subject{Input: &record.Part{JSON: json.RawMessage(`{"command":"cat .env"}`)}},
		Plan: []record.Step{{Hook: "guard_secrets", Type: "builtin", Outcome: "answered", Effects: []string{"rewrite_output"}}}}
	shadow := clitest.DeniedRecord()
	shadow.Seq, shadow.Shadow, shadow.Session = 1045, true, "019a8c3f-0001-7d02-8e55-77bb01bc9f10"
	lines := [][]byte{clitest.Raw(t, clitest.DeniedRecord()), clitest.Raw(t, clitest.UndecidedRecord()), clitest.Raw(t, read), clitest.Raw(t, redacted), clitest.Raw(t, shadow), clitest.Raw(t, &record.Record{Seq: 9, Kind: "torn", Time: clitest.Noon})}
	for _, columns := range []string{"80", "120", "200", ""} {
		clitest.Golden(t, "listing_"+cmp.Or(columns, "piped")+".txt", listingText(columns, "never", lines...))
	}
	clitest.Golden(t, "listing_colour.txt", listingText("120", "always", lines...))
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 records", 1: "1 record", 999: "999 records", 1000: "1,000 records", 1234567: "1,234,567 records"} {
		if got := base.Amount(n, "record"); got != want {
			t.Errorf("amount(%d) = %q, want %q", n, got, want)
		}
	}
}

// Control characters in a record must not reach a terminal.
func TestRecordsAreEscapedForTerminals(t *testing.T) {
	t.Parallel()
	raw := clitest.Raw(t, clitest.HostileRecord())
	clitest.CheckVisible(t, map[string]string{
		"table":  listingText("", "never", raw),
		"narrow": listingText("80", "never", raw),
	})
}
