package desk

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*60*60)
	now := time.Date(2026, 11, 15, 12, 30, 0, 0, zone)
	tests := []struct {
		text string
		end  bool
		want string // in RFC 3339; "" = an error
	}{
		{"90m", false, "2026-11-15T11:00:00+02:00"},
		{"2h", true, "2026-11-15T10:30:00+02:00"},
		{"7d", false, "2026-11-08T12:30:00+02:00"},
		{"1d12h", false, "2026-11-14T00:30:00+02:00"},
		{"1w1d", false, "2026-11-07T12:30:00+02:00"},
		{"now", true, "2026-11-15T12:30:00+02:00"},
		{"today", false, "2026-11-15T00:00:00+02:00"},
		{"today", true, "2026-11-16T00:00:00+02:00"},
		{"Yesterday", false, "2026-11-14T00:00:00+02:00"},
		{"yesterday", true, "2026-11-15T00:00:00+02:00"},
		{"2026-11-01", false, "2026-11-01T00:00:00+02:00"},
		{"2026-11-01", true, "2026-11-02T00:00:00+02:00"},
		{"2026-11-01 08:15", true, "2026-11-01T08:15:00+02:00"},
		{"2026-11-01T08:15:30", false, "2026-11-01T08:15:30+02:00"},
		{"2026-11-01T08:15:30Z", false, "2026-11-01T08:15:30Z"},
		{"2026-11-01t08:15:30.5-05:00", false, "2026-11-01T08:15:30.5-05:00"},
		{"", false, ""},
		{"-2h", false, ""},
		{"d", false, ""},
		{"7", false, ""},
		{"2026-13-01", false, ""},
		{"soon", false, ""},
		{"99999d", false, "1753-01-31T12:30:00+02:00"},
		{"1.5h", false, "2026-11-15T11:00:00+02:00"},
		{"99999999999d", false, ""},
		{"65535w", false, ""},
		{"99999999999h", false, ""},
		{"15250w9999999h", false, ""},
		{"1d1w", false, ""},
	}
	for _, tt := range tests {
		got, err := records.ParseMoment(tt.text, now, tt.end)
		if tt.want == "" {
			if err == nil {
				t.Errorf("moment(%q) = %v, want an error", tt.text, got)
			}
			continue
		}
		if text := got.Format(time.RFC3339Nano); err != nil || text != tt.want {
			t.Errorf("moment(%q, %v) = %v, %v, want %v", tt.text, tt.end, text, err, tt.want)
		}
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	got, err := (&records.FilterFlags{Since: "2d", Until: "1d", Events: []string{"PreToolUse", "stop", "other", "transform_tool_result"},
		Decisions: []string{"deny", "none"}, Effects: []string{"rewrite_input"}, Limit: 5}).Selection(clitest.Noon)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pre_tool_use", "stop", "other", "tool_response_transform"}; !slices.Equal(got.Events, want) {
		t.Errorf("events %q, want %q", got.Events, want)
	}
	if !got.Since.Equal(clitest.Noon.Add(-2*records.Day)) || !got.Until.Equal(clitest.Noon.Add(-records.Day)) || got.Limit != 5 {
		t.Errorf("got %+v", got)
	}
	tests := []struct {
		name  string
		flags records.FilterFlags
		want  string
	}{
		{"since", records.FilterFlags{Since: "soon"}, `--since: "soon" is not a valid time`},
		{"until", records.FilterFlags{Until: "soon"}, `--until: "soon" is not a valid time`},
		{"order", records.FilterFlags{Since: "1h", Until: "2h"}, "--since 1h must be earlier than --until 2h"},
		{"event", records.FilterFlags{Events: []string{"pre_tool_us"}}, `unknown event "pre_tool_us", did you mean "pre_tool_use"?`},
		{"decision", records.FilterFlags{Decisions: []string{"block"}}, `unknown decision "block", did you mean "deny"? (must be one of none, allow, ask, deny)`},
		{"effect", records.FilterFlags{Effects: []string{"rewrite_inputs"}}, `did you mean "rewrite_input"?`},
		{"limit", records.FilterFlags{Limit: -1}, "must not be negative"},
	}
	for _, tt := range tests {
		if _, err := tt.flags.Selection(clitest.Noon); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// listed is a list of records on a screen.
func listed(columns, colour string, lines ...[]byte) string {
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
	shadow := clitest.Denied()
	shadow.Seq, shadow.Shadow, shadow.Session = 1045, true, "019a8c3f-0001-7d02-8e55-77bb01bc9f10"
	lines := [][]byte{clitest.Raw(t, clitest.Denied()), clitest.Raw(t, clitest.Undecided()), clitest.Raw(t, read), clitest.Raw(t, redacted), clitest.Raw(t, shadow), clitest.Raw(t, &record.Record{Seq: 9, Kind: "torn", Time: clitest.Noon})}
	for _, columns := range []string{"80", "120", "200", ""} {
		clitest.Golden(t, "listing_"+cmp.Or(columns, "piped")+".txt", listed(columns, "never", lines...))
	}
	clitest.Golden(t, "listing_colour.txt", listed("120", "always", lines...))
}

func TestShortSession(t *testing.T) {
	t.Parallel()
	all := []string{"019a8c3e-7b21-7c44-9d10-5a4f0c1e2b3d", "019a8c3e-90aa-7d02-8e55-77aa01bc9f10", "019a8c3f-0001-7d02-8e55-77bb01bc9f10", "s1", "session-"}
	for i, want := range []string{"1e2b3d", "a01bc9f10", "b01bc9f10", "s1", "session-"} {
		if got := shortSession(all[i], all...); got != want {
			t.Errorf("%s: got %s, want %s", all[i], got, want)
		}
		choose := records.Selection{Sessions: []string{want}}
		for j, id := range all {
			if choose.InSession(id, "") != (i == j) {
				t.Errorf("--session %s and %s", want, id)
			}
		}
	}
}

func TestShowText(t *testing.T) {
	t.Parallel()
	shown := func(columns string, raw []byte) string {
		return onScreen(columns, "never", func(p *report.Paper) { printRecord(p, raw, time.UTC) })
	}
	clitest.Golden(t, "show_asked.txt", shown("", clitest.Raw(t, clitest.Denied())))
	clitest.Golden(t, "show_asked_80.txt", shown("80", clitest.Raw(t, clitest.Denied())))
	clitest.Golden(t, "show_torn.txt", shown("", []byte(`{"v":1,"seq":9,"kind":"torn","time":"2026-11-15T12:00:00Z","bytes":17,"digest":"ab","hash":"cd"}`)))
	clitest.Golden(t, "show_no_record.txt", shown("", []byte(`{"v":1,`)))
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 records", 1: "1 record", 999: "999 records", 1000: "1,000 records", 1234567: "1,234,567 records"} {
		if got := base.Amount(n, "record"); got != want {
			t.Errorf("amount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestClipKeepsCharacters(t *testing.T) {
	t.Parallel()
	got := records.Clip(strings.Repeat("a", records.MaxShown-1) + "é" + "more")
	if want := strings.Repeat("a", records.MaxShown-1) + " [… 6 bytes more: --json shows them]"; got != want {
		t.Errorf("got %q", got[records.MaxShown-2:])
	}
}
