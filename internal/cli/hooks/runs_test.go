package hooks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/state"
)

func listedHook(name, file string, line int) checkrein.Hook {
	return checkrein.Hook{ID: name, Name: name, On: checkrein.PreToolUse, Run: "command", With: json.RawMessage(`{"command":"true"}`), Priority: 100,
		From: checkrein.Origin{Scope: checkrein.ScopeProject, File: file, Line: line}}
}

// recordedStep returns the JSON that a record has about one hook.
func recordedStep(h *checkrein.Hook, ms float64, more string) string {
	return fmt.Sprintf(`{"hook":%q,"type":"command","scope":"project","origin":%q,"digest":%q,"ms":%g,%s}`, h.Label(), h.From.String(), approval.DefinitionHex(h)[:32], ms, more)
}

// writeAndReadRuns writes a ledger with one record for each of plans, and reads its runs.
func writeAndReadRuns(t *testing.T, home state.Dir, segment int64, plans ...string) *runLog {
	t.Helper()
	l := ledger.Open(ledger.Options{Dir: home, Now: time.Now, Segment: segment})
	for _, plan := range plans {
		if _, err := l.Append(ledger.KindEvent, []byte(`"event":"pre_tool_use","host":"claude","session":"s-1","plan":[`+plan+`]`), false); err != nil {
			t.Fatal(err)
		}
	}
	r, err := readRecentRuns(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecentRuns(t *testing.T) {
	t.Parallel()
	home := state.NewDir(filepath.Join(t.TempDir(), "state"))
	a, moved := listedHook("a", "/p/c.yaml", 4), listedHook("a", "/p/c.yaml", 9)
	edited := listedHook("a", "/p/c.yaml", 4)
	edited.With = json.RawMessage(`{"command":"false"}`)
	elsewhere := listedHook("a", "/q/c.yaml", 4)
	r := writeAndReadRuns(t, home, 0,
		recordedStep(&a, 3, `"outcome":"answered","decision":"deny","reason":"no"`),
		recordedStep(&a, 1, `"outcome":"fault","fault":"exit 7","decision":"deny"`),
		recordedStep(&a, 2, `"outcome":"silent"`)+","+recordedStep(&elsewhere, 50, `"outcome":"silent"`),
		recordedStep(&a, 0, `"outcome":"unapproved","skipped":"not approved"`),
	)
	if r.Records != 4 || !r.Whole || r.Since.IsZero() {
		t.Errorf("looked at %+v", r)
	}
	for name, h := range map[string]*checkrein.Hook{"as it is": &a, "moved": &moved, "edited": &edited} {
		got := r.historyOf(h, []checkrein.Hook{*h})
		if got.last == nil || got.last.Outcome != "silent" || got.last.Session != "s-1" || got.catch == nil || got.catch.Reason != "no" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	other := listedHook("b", "/p/c.yaml", 4)
	if got := r.historyOf(&other, nil); got.last != nil {
		t.Errorf("another hook ran: %+v", got)
	}
	// A hook that two files declare runs once, under the name of one of them.
	twin := listedHook("a", "/home/c.yaml", 1)
	if got := r.historyOf(&twin, []checkrein.Hook{a, twin}); got.last == nil {
		t.Error("a twin did not run")
	}
}

// Only the newest segments are read, and the list shows that.
func TestRecentRunsAreBounded(t *testing.T) {
	t.Parallel()
	home := state.NewDir(filepath.Join(t.TempDir(), "state"))
	a := listedHook("a", "/p/c.yaml", 4)
	step := recordedStep(&a, 1, `"outcome":"silent","reason":"`+strings.Repeat("x", 900<<10)+`"`)
	var plans []string
	for range 60 { // records of nearly a megabyte each
		plans = append(plans, step)
	}
	r := writeAndReadRuns(t, home, 16<<20, plans...)
	if r.Whole || r.Records < 30 || r.Records > 54 {
		t.Errorf("looked at %d records, whole: %v", r.Records, r.Whole)
	}
}

// How an asynchronous hook ended is read from a log.
func TestRunsOfAsyncHooks(t *testing.T) {
	t.Parallel()
	home := state.NewDir(filepath.Join(t.TempDir(), "state"))
	a := listedHook("a", "/p/c.yaml", 4)
	a.Async = true
	log := home.OpenLog("log/async.log")
	for _, line := range []string{"torn", `{"time":"2026-11-15T10:00:00Z","hook":"a","event":"pre_tool_use","origin":"/p/c.yaml:4","ms":7,"ended":"done"}`,
		`{"time":"2026-11-15T10:00:01Z","hook":"a","event":"pre_tool_use","origin":"/p/c.yaml:4","ms":9,"ended":"failed: exit 3"}`} {
		if err := log.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	r := writeAndReadRuns(t, home, 0, recordedStep(&a, 0, `"outcome":"detached"`))
	got := r.historyOf(&a, nil)
	if got.last == nil || got.last.Outcome != "failed" || got.last.Fault != "exit 3" {
		t.Errorf("got %+v", got.last)
	}
	a.Async = false
	if got := r.historyOf(&a, nil); got.last == nil || got.last.Outcome == "failed" {
		t.Errorf("a hook that is waited for: %+v", got.last)
	}
}

// Whatever a hook is named and prints, the list stays within its width, except for names and commands,
// which people copy.
func TestHookListWidth(t *testing.T) {
	t.Parallel()
	long, command := strings.Repeat("many words ", 40), strings.TrimSpace(strings.Repeat("a command ", 40))
	r := &listReport{On: true, Root: "/p", Hooks: []hookReport{{
		ID: "guard", Event: "pre_tool_use", Layer: "tool", Match: long, Shows: command, Scope: "project", Origin: "/p/c.yaml:4", Approval: "not needed",
		Health: "not executable", HealthWhy: long, LastRun: &runRecord{}, LastCatch: &runRecord{Decision: "deny", Reason: long, Session: long, Host: "claude"},
		Drift: []driftReport{{Name: "x", Why: long, MTime: time.Now(), Approved: time.Now()}},
	}}, Git: &githook.Layer{Path: "/p/.git/hooks", Hooks: []githook.Hook{{Name: "pre-push", Path: "/p/.git/hooks/pre-push", Health: long}}, Warnings: []string{long}}}
	for _, width := range []int{80, 120, 200} {
		for _, verbose := range []bool{false, true} {
			var out strings.Builder
			_ = r.report(&console.Env{Stdout: &out, Environ: []string{"COLUMNS=" + strconv.Itoa(width)}, Now: time.Now}, verbose).Show()
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width && !strings.Contains(line, command) {
					t.Errorf("%d wide of %d: %s", n, width, line)
				}
			}
		}
	}
}
