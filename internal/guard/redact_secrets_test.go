package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestRedactSecrets(t *testing.T) {
	t.Parallel()
	for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage} {
		for _, name := range guardtest.SecretKinds {
			secret := guardtest.PlantedSecret(name)
			ev := guardtest.EventWithText(kind, "see "+secret+" here")
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
			if kind == checkrein.BeforeLLMCall { // values that the provider signed stay unchanged
				whole = strings.Replace(whole, `"signature":`+string(rawjson.Quote("see "+secret+" here")), "", 1)
				if strings.Contains(string(after.Messages), `"signature":"see [`) {
					t.Errorf("%s: the signature was changed", name)
				}
			}
			if guardtest.Leaks(whole, secret) || !strings.Contains(whole, "[REDACTED]") {
				t.Errorf("%v %s: %s", kind, name, whole)
			}
			if strings.Contains(strings.Join(v.Notice, ""), secret) || len(v.Notice) != 1 {
				t.Errorf("%v %s: notice %q", kind, name, v.Notice)
			}
			if again := verdictOf(t, "redact_secrets", nil, after); !again.IsZero() && kind != checkrein.PreToolUse {
				t.Errorf("%v %s: a second time %+v", kind, name, again)
			}
		}
		if v := verdictOf(t, "redact_secrets", nil, guardtest.EventWithText(kind, "nothing to see")); !v.IsZero() {
			t.Errorf("%v: %+v", kind, v)
		}
	}
}

// TestRedactKeepsOtherArguments checks that redacting one argument leaves the others unchanged.
func TestRedactKeepsOtherArguments(t *testing.T) {
	t.Parallel()
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "x", Input: json.RawMessage(`{"big":1e400,"a":"` + guardtest.PlantedSecret("github") + `","b":{"k": [1, 2]}}`)}}
	v := verdictOf(t, "redact_secrets", nil, ev)
	after, _, err := checkrein.Apply(ev, &v)
	if err != nil || string(after.Tool.Input) != `{"big":1e400,"a":"[REDACTED]","b":{"k": [1, 2]}}` {
		t.Errorf("%s, %v", after.Tool.Input, err)
	}
	if string(v.Input) != `{"a":"[REDACTED]"}` {
		t.Errorf("patch %s", v.Input)
	}
}
