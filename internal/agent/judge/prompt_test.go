package judge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// formatPieces returns a prompt with its data in brackets.
func formatPieces(pieces []piece) string {
	var out strings.Builder
	for _, p := range pieces {
		if p.data {
			out.WriteString("[" + p.text + "]")
		} else {
			out.WriteString(p.text)
		}
	}
	return out.String()
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	ev := toolEvent(`{"cmd":"ls > a","n":12345678901234567890,"f":1.0,"ok":true,"list":["a"]}`)
	ev.Messages = json.RawMessage(`[{"role":"user","content":"hi","tool_calls":[{"id":"x"}]}]`)
	ev.Details = []checkrein.Detail{{Name: "usage", Value: json.RawMessage(`{"input_tokens":5}`)}, {Name: "cost", Value: json.RawMessage(`0.25`)}, {Name: "iteration", Value: json.RawMessage(`7`)}}
	for _, tt := range []struct{ name, source, want string }{
		{"name", "{{ .ToolName }}", "[shell]"},
		{"absent is empty", "{{ .Prompt }}{{ .ToolError }}{{ .ToolInput.none }}", "[][false][]"},
		{"json", "{{ .ToolInput | toJSON }}", `[{"cmd":"ls > a","f":1.0,"list":["a"],"n":12345678901234567890,"ok":true}]`},
		{"object", "{{ .ToolInput.list }}", `[["a"]]`},
		{"truncate", "{{ .ToolInput | toJSON | truncate 8 }} {{ truncate 99 .ToolName }} {{ truncate 3 \"aé€x\" }}", `[{"cmd":"…] [shell] [aé…]`},
		{"messages by Go names", "{{ range .Messages }}{{ .Role }}: {{ .Content }} {{ range .ToolCalls }}{{ .ID }}{{ end }}{{ end }}", "[user]: [hi] [x]"},
		{"messages as they are", "{{ .Messages | toJSON }}", `[[{"content":"hi","role":"user","tool_calls":[{"id":"x"}]}]]`},
		{"numbers compare", "{{ if and (gt .Iteration 6) (lt .Cost 0.5) (eq .Usage.InputTokens 5) }}yes{{ else }}no{{ end }}", "yes"},
		{"constants are text", `{{ "{{" }}{{ 5 }}{{ true }}`, "{{5true"},
		{"comments and trimming", "a {{- /* x */ -}} b", "ab"},
		{"whole", "{{ . | toJSON | truncate 19 }}", `[{"session_id":"s","…]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j, err := newHandler(benchReplying("").options(), modelHook(checkrein.PreToolUse, "prompt", tt.source))
			if err != nil {
				t.Fatal(err)
			}
			seen, err := j.newView(ev)
			if err != nil {
				t.Fatal(err)
			}
			if got := formatPieces(seen.pieces); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// A member whose name resembles a field's is not that field.
func TestFieldNamesMatchExactly(t *testing.T) {
	t.Parallel()
	const payload = `{"Tool_Input":{"cmd":"bait"},"ToolInput":{"cmd":"bait"},"tool__input":{"cmd":"bait"},"tool_name":"shell","Tool_Name":"bait","_tool_name":"bait",` +
		`"TOOL_INPUT":{"cmd":"bait"},"tool_input":{"cmd":"real"},"toolInput":{"cmd":"bait"},"Prompt":"bait","_cwd":"bait","":"bait",` +
		`"messages":[{"Role":"bait","role":"user","_role":"bait","":"bait","_":"bait"}]}`
	p, err := compilePrompt("{{ .ToolName }} {{ .ToolInput.cmd }} {{ .Prompt }} {{ .Cwd }} {{ range .Messages }}{{ .Role }}{{ end }}")
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		in, err := parseInput([]byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		pieces, _, err := p.render(in, false)
		if got, want := formatPieces(pieces), "[shell] [real] [] [] [user]"; err != nil || got != want {
			t.Fatalf("%s, %v, want %s", got, err, want)
		}
	}
}

// Errors in a template are reported when a hook is loaded, with their line.
func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, want string }{
		{"empty", " \n", "no prompt"},
		{"open", "a\nb {{ .ToolName", "line 2 of the prompt: unclosed action"},
		{"function", "a\n\n{{ env \"HOME\" }}", `line 3 of the prompt: function "env" not defined`},
		{"the fence", "{{ _fence .ToolName }}", "not defined"},
		{"field", "a\n{{ .ToolNam }}", "line 2 of the prompt: events have no .ToolNam, did you mean \"ToolName\"?"},
		{"snake", "{{ .tool_name }}", "events have no .tool_name"},
		{"field in a condition", "{{ if .Tool }}{{ if .Tol }}x{{ end }}{{ end }}", "events have no .Tol"},
		{"field by the root", "{{ range .Messages }}{{ $.Nope }}{{ end }}", "events have no .Nope"},
		{"field of an argument", "{{ printf \"%s\" (toJSON .Nope) }}", "events have no .Nope"},
		{"truncate", "{{ .ToolInput | truncate }}", "truncate takes a number"},
		{"toJSON", "{{ toJSON }}", "toJSON takes one value"},
		{"only a definition", "{{ define \"x\" }}y{{ end }}", "empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := compilePrompt(tt.source)
			wantError(t, err, tt.want)
		})
	}
	for _, tt := range []struct {
		name string
		hook checkrein.Hook
		want string
	}{
		{"no model", modelHook(checkrein.PreToolUse, "model", ""), "has no model"},
		{"no provider", modelHook(checkrein.PreToolUse, "model", "gpt-4o"), "write provider/model"},
		{"schema", modelHook(checkrein.PreToolUse, "schema", "pre_tool_use"), "is unknown"},
		{"schema where nothing blocks", modelHook(checkrein.AfterLLMCall, "schema", decisionSchema), "which cannot be blocked"},
		{"guard where nothing blocks", modelHook(checkrein.SessionEnd, "schema", guardSchema), "which cannot be blocked"},
		{"raw", modelHook(checkrein.PreToolUse, "raw", "yes"), "raw must be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Type(benchReplying("").options()).New(tt.hook)
			wantError(t, err, tt.want)
		})
	}
}

// A question that is too long is a fault, because the judge would not see all of it.
func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	b := benchReplying(`{"decision":"allow","reason":"x"}`)
	long := `{"cmd":"` + strings.Repeat("x", maxPrompt) + `"}`
	_, err := b.handler(t, modelHook(checkrein.PreToolUse, "prompt", "{{ .ToolInput | toJSON }}", "raw", "true")).Handle(t.Context(), toolEvent(long))
	wantError(t, err, "truncate 4000")
	if _, err := b.handler(t, modelHook(checkrein.PreToolUse, "raw", "true", "schema", decisionSchema)).Handle(t.Context(), toolEvent(long)); err != nil {
		t.Error(err)
	}
	if len(b.asked) != 1 {
		t.Errorf("asked %d times", len(b.asked))
	}
}
