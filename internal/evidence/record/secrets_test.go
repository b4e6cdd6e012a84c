package record_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// A record lists which secrets each part of an event contains, by the digits in their markers, and
// never a secret.
func TestSecretsAreListedByPart(t *testing.T) {
	t.Parallel()
	token, other := "ghp_"+strings.Repeat("aB3dE5gH7j", 4)[:36], "ghp_"+strings.Repeat("Zx9wV7uT5s", 4)[:36]
	quote := func(s string) json.RawMessage { return json.RawMessage(`{"text":"` + s + `"}`) }
	made := func(kind checkrein.Kind, input, output string, to json.RawMessage) (*record.Record, record.Secrets) {
		e := fullEntry()
		memory := new(secret.Memory)
		e.Redact, e.Found, e.Mark = secret.Redactor{Memory: memory}, memory.DistinctValues, func(s string) string { return "id of " + s[4:6] }
		e.Event.Kind, e.Event.Tool.Input, e.Event.Tool.Output = kind, quote(input), quote(output)
		e.Outcome.Verdict = checkrein.Verdict{Output: to}
		raw := line(e)
		_ = e.Members() // of the copy that line made nothing is left
		if strings.Contains(string(raw), token) || strings.Contains(string(raw), other) {
			t.Errorf("the record has the secret: %s", raw)
		}
		r, err := record.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		return r, e.Secrets()
	}
	r, kept := made(checkrein.ToolResponseTransform, "cat x", "a "+token+" b "+other, quote("a [REDACTED:1a2b3c4d] b "+other))
	if s := r.Secrets; s == nil || s.Input != nil || strings.Join(s.Output, ",") != "id of aB,id of Zx" || strings.Join(s.Replaced, ",") != "id of aB" || len(kept.Replaced) != 1 {
		t.Errorf("a result: %+v, %+v", s, kept)
	}
	r, _ = made(checkrein.PostToolUse, "cat x", "a "+token, quote("a"))
	if s := r.Secrets; s == nil || s.Replaced != nil || len(s.Output) != 1 {
		t.Errorf("where nothing can be replaced: %+v", s)
	}
	if r, kept = made(checkrein.PreToolUse, "echo x", "", nil); r.Secrets != nil || kept.Input != nil {
		t.Errorf("without a secret: %+v", r.Secrets)
	}
	if r, _ = made(checkrein.PreToolUse, "curl -u me:"+token+" https://x.example", "", nil); r.Secrets == nil || len(r.Secrets.Input) != 1 {
		t.Errorf("a call: %+v", r.Secrets)
	}
}

// The words of a prompt that may be secrets can be recognised, but are not in the record.
func TestWordsOfPrompts(t *testing.T) {
	t.Parallel()
	key := placeholder.Key{1}
	password := "kR7" + "vTq2mXw9LpZ4sHn6BdYc1"
	made := func(kind checkrein.Kind, text string) *record.Secrets {
		e := fullEntry()
		memory := new(secret.Memory)
		e.Redact, e.Found, e.Mark = secret.Redactor{Memory: memory}, memory.DistinctValues, key.ID
		e.Event.Kind, e.Event.Tool, e.Event.Text = kind, nil, text
		r, err := record.Decode(line(e))
		if err != nil {
			t.Fatal(err)
		}
		if r.Secrets == nil {
			return &record.Secrets{}
		}
		if strings.Contains(r.Secrets.Said, password) {
			t.Error("the record has it")
		}
		return r.Secrets
	}
	for _, text := range []string{password, "use " + password + " to log in", `{"x": "` + password + `"}`, "x " + password[:9] + "\n  " + password[9:]} {
		if s := made(checkrein.UserPromptSubmit, text); !slices.Contains(s.PromptWords(), key.ID(password)) || s.SaidMore {
			t.Errorf("%q: %+v", text, s)
		}
	}
	if s := made(checkrein.UserPromptSubmit, "fix the tests of package 2"); s.Said != "" {
		t.Errorf("prose: %+v", s)
	}
	if s := made(checkrein.Stop, password); s.Said != "" {
		t.Errorf("no prompt: %+v", s)
	}
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "word%06d ", i)
	}
	if s := made(checkrein.UserPromptSubmit, many.String()); !s.SaidMore || len(s.PromptWords()) != 1024 {
		t.Errorf("many: %d, %v", len(s.PromptWords()), s.SaidMore)
	}
}
