package handover

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/google/go-cmp/cmp"
)

func sample() Task {
	return Task{
		Build: build.Version,
		Hook: checkrein.Hook{ID: "h", Name: "h", On: checkrein.PreToolUse, Match: "shell", If: checkrein.Condition(`{"tool":{"is":"shell"}}`),
			Run: "command", With: json.RawMessage(`{"command":"x"}`), Timeout: time.Second, Priority: 7, Rewrites: true,
			OnFault: checkrein.FaultBlock, Dialect: "native", From: checkrein.Origin{Scope: checkrein.ScopeProject, File: "/f", Line: 3, Approval: true}},
		Event: checkrein.Event{Kind: checkrein.PreToolUse, Host: "x", Native: "PreToolUse", Session: checkrein.Session{ID: "s", Dir: "/d", Root: "/r", Agent: "a"},
			Tool:    &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c", Input: json.RawMessage(`{"n":12345678901234567890}`)},
			Details: []checkrein.Detail{{Name: "k", Value: json.RawMessage(`[1]`)}}},
		Deadline: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func TestTaskSurvivesTheTrip(t *testing.T) {
	t.Parallel()
	want := sample()
	line, err := EncodeLine(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTask(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrongMessagesAreErrors(t *testing.T) {
	t.Parallel()
	good, _ := EncodeLine(Outcome{Build: build.Version, Answer: &checkrein.Answer{}})
	for _, tt := range []struct{ name, line, want string }{
		{"empty", "", "EOF"},
		{"not JSON", "nonsense", "invalid character"},
		{"cut short", string(good[:len(good)/2]), "EOF"},
		{"two lines", string(good) + string(good), "more than one line"},
		{"two messages", strings.TrimSpace(string(good)) + " {}", "more than one message"},
		{"unknown field", `{"build":"dev","extra":1}`, "unknown field"},
		{"other build", `{"build":"other","answer":{"decision":"none"}}`, "install both"},
		{"no answer", `{"build":"` + build.Version + `"}`, "did not answer"},
		{"a fault", `{"build":"` + build.Version + `","fault":"out of ink"}`, "out of ink"},
		{"unknown decision", `{"build":"` + build.Version + `","answer":{"decision":"maybe"}}`, "unknown decision"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := DecodeOutcome([]byte(tt.line))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func FuzzReadTask(f *testing.F) {
	line, _ := EncodeLine(sample())
	f.Add(line)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if task, err := DecodeTask(line); err == nil && task.Build != build.Version {
			t.Errorf("a task of build %q was accepted", task.Build)
		}
	})
}

func FuzzReadDone(f *testing.F) {
	f.Add([]byte(`{"build":"dev","answer":{"decision":"deny","reason":"no"}}`))
	f.Fuzz(func(_ *testing.T, line []byte) { _, _ = DecodeOutcome(line) })
}
