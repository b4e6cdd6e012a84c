package guard

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A planted secret is made while the test runs: no scanner finds it in a file.
func planted(kind string) string {
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
	return "scheme spot photo card baby mountain device kick cradle " + "pact join borrow" // a vector of the standard's
}

var secretKinds = []string{"github", "aws", "slack", "pem", "seed"}

// leaked reports whether a piece of 12 bytes of a secret is in a text.
func leaked(text, secret string) bool {
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

// subject makes an event of any kind whose subject holds a text.
func subject(kind checkrein.Kind, text string) checkrein.Event {
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

func TestRedactSecrets(t *testing.T) {
	t.Parallel()
	for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage} {
		for _, name := range secretKinds {
			secret := planted(name)
			ev := subject(kind, "see "+secret+" here")
			v := verdictOf(t, "redact_secrets", nil, ev)
			after, changed, err := checkrein.Apply(ev, &v)
			if err != nil || !changed {
				t.Errorf("%v %s: changed %v, %v", kind, name, changed, err)
				continue
			}
			whole := after.Text + string(after.Messages)
			if after.Tool != nil {
				whole += string(after.Tool.Input)
				if kind == checkrein.ToolResponseTransform {
					whole = string(after.Tool.Output)
				}
			}
			if kind == checkrein.BeforeLLMCall { // what the service signed stays
				whole = strings.Replace(whole, `"signature":`+string(rawjson.Quote("see "+secret+" here")), "", 1)
				if strings.Contains(string(after.Messages), `"signature":"see [`) {
					t.Errorf("%s: the signature was changed", name)
				}
			}
			if leaked(whole, secret) || !strings.Contains(whole, "[REDACTED]") {
				t.Errorf("%v %s: %s", kind, name, whole)
			}
			if strings.Contains(strings.Join(v.Notice, ""), secret) || len(v.Notice) != 1 {
				t.Errorf("%v %s: notice %q", kind, name, v.Notice)
			}
			if again := verdictOf(t, "redact_secrets", nil, after); !again.IsZero() && kind != checkrein.PreToolUse {
				t.Errorf("%v %s: a second time %+v", kind, name, again)
			}
		}
		if v := verdictOf(t, "redact_secrets", nil, subject(kind, "nothing to see")); !v.IsZero() {
			t.Errorf("%v: %+v", kind, v)
		}
	}
}

// One argument that is redacted keeps the others, byte for byte.
func TestRedactKeepsOtherArguments(t *testing.T) {
	t.Parallel()
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "x", Input: json.RawMessage(`{"big":1e400,"a":"` + planted("github") + `","b":{"k": [1, 2]}}`)}}
	v := verdictOf(t, "redact_secrets", nil, ev)
	after, _, err := checkrein.Apply(ev, &v)
	if err != nil || string(after.Tool.Input) != `{"big":1e400,"a":"[REDACTED]","b":{"k": [1, 2]}}` {
		t.Errorf("%s, %v", after.Tool.Input, err)
	}
	if string(v.Input) != `{"a":"[REDACTED]"}` {
		t.Errorf("patch %s", v.Input)
	}
}
