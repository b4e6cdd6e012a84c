package guard

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// TestRedactTextInOpaqueMembers checks that a secret is redacted where a signature or an image could
// be: a tool may give its arguments any name, and a document may be plain text.
func TestRedactTextInOpaqueMembers(t *testing.T) {
	t.Parallel()
	for _, name := range guardtest.SecretKinds {
		s := guardtest.PlantedSecret(name)
		q := string(rawjson.Quote(s))
		inText := func(key string) string {
			return string(rawjson.Quote(`{"` + key + `":` + q + `,"type":"image"}`))
		}
		for _, content := range []string{
			`[{"type":"tool_use","input":{"data":` + q + `}}]`,
			`[{"type":"tool_use","input":{"signature":` + q + `}}]`,
			`[{"type":"tool_use","input":{"deep":[{"encrypted_content":` + q + `}]}}]`,
			`[{"type":"tool_use","input":{"name":"data","value":` + q + `}}]`,
			`[{"type":"tool_use","input":{"type":"image","data":` + q + `}}]`,
			`[{"type":"tool_result","content":` + inText("data") + `}]`,
			`[{"type":"tool_result","content":` + inText("signature") + `}]`,
			`[{"functionCall":{"args":{"thoughtSignature":` + q + `}}}]`,
			`[{"functionResponse":{"response":{"inlineData":` + q + `}}}]`,
			`[{"type":"document","source":{"type":"text","media_type":"text/plain","data":` + q + `}}]`,
			`[{"type":"input_image","image_url":` + string(rawjson.Quote("https://x.example/?k="+s)) + `}]`,
			`[{"type":"input_file","file_data":` + string(rawjson.Quote("data:text/plain,"+s)) + `}]`,
		} {
			ev := checkrein.Event{Kind: checkrein.BeforeLLMCall, Messages: json.RawMessage(`[{"role":"user","content":` + content + `}]`)}
			v := verdictOf(t, "redact_secrets", nil, ev)
			if v.Messages == nil || guardtest.Leaks(string(v.Messages), s) || rawjson.Check(v.Messages) != nil {
				t.Errorf("%s in %s: %s", name, content, v.Messages)
			}
		}
	}
}

// TestRedactKeepsBinaryData checks that binary data next to a secret stay unchanged.
func TestRedactKeepsBinaryData(t *testing.T) {
	t.Parallel()
	s := guardtest.PlantedSecret("github")
	// an image that contains the letters of a secret
	picture := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG picture ", 40))) + "/" + guardtest.PlantedSecret("aws") + "/" + strings.Repeat("A", 80)
	for _, block := range []string{
		`{"type":"thinking","thinking":"x","signature":"` + s + `"}`,
		`{"type":"redacted_thinking","data":"` + s + `"}`,
		`{"type":"reasoning","encrypted_content":"` + s + `"}`,
		`{"text":"x","thoughtSignature":"` + s + `"}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture + `"}}`,
		`{"type":"image","mimeType":"image/png","data":"` + picture + `"}`,
		`{"inlineData":{"mimeType":"image/jpeg","data":"` + picture + `"}}`,
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + picture + `"}}`,
		`{"type":"input_image","image_url":"data:image/png;base64,` + picture + `"}`,
		`{"type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture + `"}}]}`,
	} {
		ev := checkrein.Event{Kind: checkrein.BeforeLLMCall, Messages: json.RawMessage(`[{"role":"user","content":[` + block + `,{"type":"text","text":"key ` + s + `"}]}]`)}
		v := verdictOf(t, "redact_secrets", nil, ev)
		if want := `[{"role":"user","content":[` + block + `,{"type":"text","text":"key [REDACTED]"}]}]`; string(v.Messages) != want {
			t.Errorf("%s\nbecame %s", want, v.Messages)
		}
	}
	// The form in which a tool returns it.
	for _, val := range []string{
		`{"type":"image","file":{"base64":"` + picture + `","type":"image/png","note":"` + s + `"}}`,
		`[{"type":"text","text":"` + s + `"},{"type":"image","data":"` + picture + `","mimeType":"image/png"}]`,
	} {
		v := verdictOf(t, "redact_secrets", nil, checkrein.Event{Kind: checkrein.ToolResponseTransform, Tool: &checkrein.Tool{Name: "Read", Output: json.RawMessage(val)}})
		if want := strings.Replace(val, s, "[REDACTED]", 1); string(v.Output) != want {
			t.Errorf("%s\nbecame %s", want, v.Output)
		}
	}
}

// TestManyImages checks that the time for many images is proportional to their length.
func TestManyImages(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	one := `{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 300) + `"}`
	val := `[` + strings.Repeat(one+",", 20_000) + `"` + guardtest.PlantedSecret("github") + `"]`
	out, n := secretguard.CleanJSON(&secret.Cleaner{Want: secret.Secrets}, []byte(val), true)
	if n != 1 || len(out) > len(val) || rawjson.Check(out) != nil {
		t.Errorf("%d, %d bytes", n, len(out))
	}
}

// TestVerdictsHaveNoSecrets checks that the texts of verdicts contain no secrets, whatever they quote.
func TestVerdictsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	for _, b := range Names() {
		for _, name := range guardtest.SecretKinds {
			s := guardtest.PlantedSecret(name)
			h, err := Type(Env{Machine: builtin.Machine{Home: "/home/u"}}).New(checkrein.Hook{Run: "builtin", With: json.RawMessage(`{"name":"` + b + `"}`)})
			if err != nil {
				continue // the builtin requires arguments
			}
			for _, kind := range []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform} {
				for _, tool := range []string{"Bash", "Bash " + s, "mcp__ " + s + " __send_message", "Write"} {
					ev := checkrein.Event{Kind: kind, Session: checkrein.Session{ID: s, Dir: "/home/u/proj"}, Tool: &checkrein.Tool{Name: tool, CallID: s}}
					ev.Tool.Input, _ = json.Marshal(map[string]string{"command": "rm -rf / " + s, "file_path": "/home/u/.ssh/" + s})
					ev.Tool.Output, _ = json.Marshal("mail joe@gmail.com " + s)
					v, err := h.Handle(t.Context(), ev)
					said := v.Reason + strings.Join(v.Notice, "") + v.Append + v.Log
					if err != nil {
						said += err.Error()
					}
					for _, val := range v.Metadata {
						said += val
					}
					if guardtest.Leaks(said, s) {
						t.Errorf("%s on %v of %s: %s", b, kind, tool, said)
					}
				}
			}
		}
	}
}
