// Package clitest has helpers for the tests of commands: records, a ledger and golden files.
package clitest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/term"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
	"github.com/google/go-cmp/cmp"
)

// MustContain fails the test for each part that text does not contain.
func MustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// SkipWithoutUnixHome skips a test on Windows that sets the user's directories with HOME.
func SkipWithoutUnixHome(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("HOME does not set the user's directories on Windows")
	}
}

// Env is a console environment without variables.
var Env = console.Env{Now: func() time.Time { return Noon }}

// Update is the flag -update, with which Golden writes files instead of comparing them.
var Update = flag.Bool("update", false, "write the output to the golden files in testdata")

// Golden compares got with the file name in testdata.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Noon is the time of records in tests.
var Noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// DeniedRecord returns a record of a denied tool call that many hooks answered.
func DeniedRecord() *record.Record {
	return &record.Record{
		V: 1, Seq: 1042, Kind: "event", Time: Noon, Boot: "b1", Mono: 5_000_000_000,
		Prev: strings.Repeat("0", 64), Hash: strings.Repeat("ab", 32),
		Program: "checkrein dev", Policy: "sha256:1234", Event: "pre_tool_use", Native: "PreToolUse", Host: "native",
		Session: "0123456789abcdef", Agent: "main", Dir: "/work/app/sub", Root: "/work/app",
		Tool:     &record.Tool{Name: "Bash", Canonical: "shell", CallID: "call-1"},
		Decision: "deny", Reason: "no force push\nhook \"broken\" on pre_tool_use failed: timed out after 1s", Effects: []string{"deny"},
		Plan: []record.Step{
			{Hook: "no-force", Type: "rule", Scope: "project", Origin: "/work/app/checkrein.yaml:4", Digest: "sha256:aa", Stage: 1, MS: 0.004,
				Outcome: "answered", Decision: "deny", Reason: "no force push", Effects: []string{"deny"}, Rejudged: true},
			{Hook: "tidy", Type: "command", Scope: "user", Origin: "/home/me/checkrein.yaml:9", Digest: "sha256:bb", Stage: 2, MS: 12.5,
				Outcome: "answered", Decision: "allow", Effects: []string{"allow", "rewrite_input"}},
			{Hook: "broken", Type: "http", Scope: "managed", Origin: "/etc/checkrein/checkrein.yaml:2", Digest: "sha256:cc", Stage: 2, MS: 1000,
				Outcome: "fault", Fault: "timed out after 1s", Decision: "deny", Reason: `hook "broken" on pre_tool_use failed: timed out after 1s`, Effects: []string{"deny"}},
			{Hook: "quiet", Type: "builtin", Scope: "user", Origin: "/home/me/checkrein.yaml:12", Digest: "sha256:dd", Stage: 3, Outcome: "silent", Stale: true},
			{Hook: "stranger", Type: "command", Scope: "project", Origin: "/work/app/checkrein.yaml:8", Digest: "sha256:ff", Stage: 3,
				Outcome: "unapproved", Skipped: "not approved"},
			{Hook: "log", Type: "command", Scope: "user", Origin: "/home/me/checkrein.yaml:20", Digest: "sha256:01", Outcome: "detached"},
		},
		Unmet:   []string{"picky"},
		Dropped: []record.Dropped{{Hook: "tidy", Effect: "rewrite_input", Why: "the agent does not honour this on pre_tool_use"}},
		Ignored: []string{"tidy: colour"},
		Notices: []string{"careful"},
		Subject: &record.Subject{Input: &record.Part{Bytes: 32, Digest: "d", JSON: json.RawMessage(`{"command":"git push -f"}`)}},
		Reply:   &record.Reply{Exit: 2, Stderr: &record.Part{Bytes: 13, Text: "no force push\n"}},
		MS:      1013.2,
	}
}

// UndecidedRecord returns a record of an event that no hook decided.
func UndecidedRecord() *record.Record {
	return &record.Record{V: 1, Seq: 7, Kind: "event", Time: Noon, Event: "stop", Host: "native", Dir: "/work/app", Decision: "none",
		Reply: &record.Reply{Stdout: &record.Part{Bytes: 20_000, Digest: "d", Head: "begin", Tail: "end"}}, MS: 0.3}
}

// Raw returns r as JSON.
func Raw(t *testing.T, r *record.Record) []byte {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// OnScreen returns what print writes to a terminal with the given number of columns and colour
// setting.
func OnScreen(columns string, colour string, print func(*report.Report)) string {
	var b strings.Builder
	r := &report.Report{Screen: term.New(&b, term.Options{Environ: []string{"COLUMNS=" + columns}, Colour: colour, Home: "/home/me", Now: Noon.Add(3 * time.Minute)})}
	print(r)
	_ = r.Show() // to memory
	return b.String()
}

// Controls consists of characters that control a terminal. CheckVisible looks for them.
const Controls = "\x1b[2J\u202e\a"

// HostileRecord returns a record whose texts contain control characters for terminals.
func HostileRecord() *record.Record {
	const bad = Controls
	r := DeniedRecord()
	r.Host, r.Session, r.Native, r.Agent, r.Dir, r.Policy, r.Program, r.Reason = bad, bad, bad, bad, bad, bad, bad, bad
	r.Event, r.Root, r.Fault, r.Decision = bad, bad+"root", bad, bad
	r.Tool = &record.Tool{Name: bad, Canonical: bad + "c", CallID: bad}
	r.Notices, r.Ignored, r.Unmet = []string{bad}, []string{bad}, []string{bad}
	r.Dropped = []record.Dropped{{Hook: bad, Effect: bad, Why: bad}}
	for i := range r.Plan {
		s := &r.Plan[i]
		s.Hook, s.Type, s.Scope, s.Origin, s.Digest, s.Reason, s.Fault, s.Skipped = bad, bad, bad, bad+":1", bad, bad, bad, bad
		s.Effects = []string{bad}
	}
	r.Plan = append(r.Plan, record.Step{Hook: bad, Outcome: bad}, record.Step{Hook: bad, Outcome: "skipped", Skipped: "switched off" + bad, Origin: bad, Scope: bad})
	r.Reply = &record.Reply{Stdout: &record.Part{Text: bad}, Stderr: &record.Part{Head: bad, Tail: bad}}
	r.Subject = &record.Subject{Text: &record.Part{Text: bad}}
	return r
}

// CheckVisible fails the test for each text that contains control characters for terminals.
func CheckVisible(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if strings.ContainsAny(text, "\x1b\u202e\a") {
			t.Errorf("%s contains control characters: %q", name, text)
		}
	}
}

// LongReason is the repeated reason in a RepeatedReasonRecord.
const LongReason = "the remote is shared, and others have pushed to it since"

// RepeatedReasonRecord returns a record in which a reason occurs several times.
func RepeatedReasonRecord() *record.Record {
	r := DeniedRecord()
	r.Reason = LongReason + "\nhook \"broken\" on pre_tool_use failed: timed out after 1s"
	r.Plan[0].Reason = LongReason
	r.Reply = &record.Reply{Stdout: &record.Part{JSON: json.RawMessage(`{"reason":"checkrein blocked git push -f: ` + LongReason + ` [no-force]."}`)}}
	return r
}

// CheckReasonOnce fails the test if print writes a reason of a RepeatedReasonRecord more than once, or
// LongReason not at all.
func CheckReasonOnce(t *testing.T, print func(*report.Report)) {
	t.Helper()
	got := OnScreen("", "never", print)
	for _, reason := range []string{LongReason, "timed out after 1s"} {
		if n := strings.Count(got, reason); n > 1 || n == 0 && reason == LongReason {
			t.Errorf("%q is printed %d times:\n%s", reason, n, got)
		}
	}
}

// CheckScreens compares screens with golden files: at 80 and at 120 columns, and at 80 columns with
// colours.
func CheckScreens(t *testing.T, screens map[string]func(env *console.Env)) {
	t.Helper()
	for name, show := range screens {
		for _, c := range []struct {
			width  int
			colour string
		}{{80, "never"}, {120, "never"}, {80, "always"}} {
			var out strings.Builder
			show(&console.Env{Stdout: &out, Colour: c.colour, Now: func() time.Time { return Noon }, Environ: []string{"HOME=/home/ann", "TZ=UTC", "COLUMNS=" + strconv.Itoa(c.width)}})
			file := "screens/" + name + "-" + strconv.Itoa(c.width)
			if c.colour == "always" {
				file += "-colour"
			}
			Golden(t, file+".txt", out.String())
		}
	}
}
