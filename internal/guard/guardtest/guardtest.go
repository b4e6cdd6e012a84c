// Package guardtest provides helpers for tests of builtins: events, secrets that are generated while a
// test runs, and temporary files.
package guardtest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CheckEqual reports a test error if got is not want.
func CheckEqual(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// JoinLines joins lines with newlines. Tables use it because raw strings in them are hard to read.
func JoinLines(l ...string) string { return strings.Join(l, "\n") }

// TempDir returns a temporary directory without symlinks in its path.
func TempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// WriteFile writes a file and creates its directory.
func WriteFile(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// RunProgram runs a program and returns its standard output.
func RunProgram(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	return cmd.Output()
}

// ShellEvent returns the event of a call of the shell tool with command as its argument arg.
func ShellEvent(tool, arg, command string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{arg: command})
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/home/u/p", Root: "/home/u/p"},
		Tool: &checkrein.Tool{Name: tool, Input: input}}
}

// PlantedSecret returns a secret of a kind in [SecretKinds]. It is generated, so that scanners do not
// find it in this file.
func PlantedSecret(kind string) string {
	r := rand.New(rand.NewPCG(7, uint64(len(kind))))
	pick := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	const alnum = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	switch kind {
	case "github":
		return "gh" + "p_" + pick(alnum, 36)
	case "aws":
		return "AK" + "IA" + pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
	case "slack":
		return "xo" + "xb-" + pick("0123456789", 12) + "-" + pick("0123456789", 12) + "-" + pick(alnum, 24)
	case "pem":
		return "-----BEGIN " + "PRIVATE KEY-----\n" + pick(alnum, 64) + "\n" + pick(alnum, 64) + "\n-----END " + "PRIVATE KEY-----"
	}
	return "scheme spot photo card baby mountain device kick cradle " + "pact join borrow" // a test vector of BIP 39
}

// SecretKinds lists the kinds that PlantedSecret accepts.
var SecretKinds = []string{"github", "aws", "slack", "pem", "seed"}

// Leaks reports whether text contains 12 consecutive bytes of secret.
func Leaks(text, secret string) bool {
	var plain string
	if json.Unmarshal([]byte(text), &plain) == nil {
		text += plain
	}
	text += strings.ReplaceAll(text, `\n`, "\n")
	for i := 0; i+12 <= len(secret); i++ {
		if piece := secret[i : i+12]; strings.Contains(text, piece) && !strings.Contains(piece, "KEY--") && !strings.Contains(piece, "---") {
			return true
		}
	}
	return false
}

// EventWithText returns an event of the given kind whose subject contains text.
func EventWithText(kind checkrein.Kind, text string) checkrein.Event {
	ev := checkrein.Event{Kind: kind, Session: checkrein.Session{ID: "s", Dir: "/home/u/proj"}}
	row := checkrein.ContractOf(kind)
	switch {
	case row.Subject == checkrein.SubjectText:
		ev.Text = text
	case row.Can(checkrein.CanRewriteMessages):
		ev.Messages, _ = json.Marshal([]map[string]any{
			{"role": "user", "content": text},
			{"role": "assistant", "content": []map[string]any{{"type": "text", "text": text}, {"type": "thinking", "thinking": "x", "signature": text}},
				"tool_calls": []map[string]any{{"function": map[string]any{"name": "f", "arguments": `{"a":` + string(rawjson.Quote(text)) + `}`}}}},
		})
	case row.Subject == checkrein.SubjectTool:
		ev.Tool = &checkrein.Tool{Name: "Bash", Canonical: "shell"}
		ev.Tool.Input, _ = json.Marshal(map[string]any{"command": "echo hi", "note": text, "deep": map[string]any{"list": []string{text}, text: 1}, "n": 7})
		ev.Tool.Output, _ = json.Marshal(map[string]any{"stdout": "before " + text + " after", "code": 0})
	}
	return ev
}

// CheckRuleNamed reports a test error if v denies or asks without naming its rule and, in one line,
// its reason. The tests of builtins check every verdict with it.
func CheckRuleNamed(t *testing.T, name string, v *checkrein.Verdict) {
	t.Helper()
	if v.Decision < checkrein.Ask {
		return
	}
	const final = "self-protection"
	m := v.Metadata
	if group, rule, ok := strings.Cut(m["rule"], "/"); !ok || group == "" || rule == "" || strings.ContainsAny(m["rule"], " \n") {
		t.Errorf("%s: rule %q of %s: %s", name, m["rule"], v.Decision, v.Reason)
	}
	if m["reason"] == "" || strings.Contains(m["reason"], "\n") {
		t.Errorf("%s: reason %q of %s", name, m["reason"], m["rule"])
	}
	if self := strings.HasPrefix(m["rule"], "self/"); self && m["final"] != final || m["final"] != "" && m["final"] != final {
		t.Errorf("%s: %s is final: %q", name, m["rule"], m["final"])
	}
}

// SessionEvent returns an event of session s with details, which are alternating names and JSON
// values.
func SessionEvent(kind checkrein.Kind, text string, details ...string) checkrein.Event {
	ev := checkrein.Event{Kind: kind, Text: text, Session: checkrein.Session{ID: "s", Dir: "/home/u/p"}}
	for i := 0; i < len(details); i += 2 {
		ev.Details = append(ev.Details, checkrein.Detail{Name: details[i], Value: json.RawMessage(details[i+1])})
	}
	return ev
}

// SingleDetail returns the details of an event that has only the detail name, with the JSON value val.
func SingleDetail(name, val string) []checkrein.Detail {
	return []checkrein.Detail{{Name: name, Value: json.RawMessage(val)}}
}

// ToolCall returns the event of a call of tool with the JSON input.
func ToolCall(tool, input string) *checkrein.Event {
	return &checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Root: "/home/u/p"}, Tool: &checkrein.Tool{Name: tool, Input: json.RawMessage(input)}}
}
