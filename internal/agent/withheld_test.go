package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestReplacedIsNeverSent has hooks remove a secret from a result: no request contains it, even if
// another hook restores it.
func TestReplacedIsNeverSent(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	redact := func(ev checkrein.Event) checkrein.Verdict {
		return checkrein.Verdict{Output: bytes.ReplaceAll(ev.Tool.Output, []byte(token), []byte("[REDACTED]"))}
	}
	restore := func(ev checkrein.Event) checkrein.Verdict {
		return checkrein.Verdict{Messages: bytes.ReplaceAll(ev.Messages, []byte("[REDACTED]"), []byte(token))}
	}
	for _, tt := range []struct {
		name, prompt string
		transform    func(checkrein.Event) checkrein.Verdict
		before       func(checkrein.Event) checkrein.Verdict
		requests     int
		sent, stops  bool
	}{
		{"replaced", "go", redact, nil, 3, false, false},
		{"put back by another hook", "go", redact, restore, 1, false, true},
		{"not replaced", "go", nil, nil, 3, true, false},
		{"known from the person", "use " + token, redact, nil, 3, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.yolo = true
			own := filepath.Join(l.dir, "home", "config", "checkrein")
			if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "checkrein.yaml"), []byte("version: 1\npacks: []\n"), 0o600)); err != nil { // else the guards mask it once more
				t.Fatal(err)
			}
			l.runs = func(string, json.RawMessage) (string, error) { return "token " + token + " is here", nil }
			l.script["root"] = []scriptedAnswer{{calls: []string{"look {}"}}, {calls: []string{"act {}"}}, {text: "done"}}
			if tt.transform != nil {
				l.on["tool_response_transform"] = tt.transform
			}
			if tt.before != nil {
				l.on["before_llm_call"] = tt.before
			}
			err := l.runPrompt(tt.prompt)
			if (err != nil) != tt.stops || len(l.asked) != tt.requests {
				t.Errorf("%d requests, %v", len(l.asked), err)
			}
			sent := false
			for _, r := range l.asked {
				for _, m := range r.Messages {
					sent = sent || strings.Contains(m.Content, token)
				}
			}
			if sent != tt.sent {
				t.Errorf("the model was sent the token: %v", sent)
			}
			told := false
			for _, r := range l.reports {
				told = told || r.Type == Failure && strings.Contains(r.Text, "the request was not sent: its tool message contains a secret") && !strings.Contains(r.Text, token)
			}
			if told != tt.stops {
				t.Errorf("the person was told: %v", told)
			}
		})
	}
}

// TestClearedIsForgotten clears a session after a secret was withheld.
func TestClearedIsForgotten(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	r := newLab(t).start()
	r.main.recordWithheld("token "+token, "token [REDACTED]")
	if r.withheld.FindIn("again "+token) == "" {
		t.Error("it is not known")
	}
	r.Clear(context.Background())
	if rule := r.withheld.FindIn("again " + token); rule != "" {
		t.Error("it is still known: " + rule)
	}
}
