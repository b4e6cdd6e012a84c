package match

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

func render(t *testing.T, src string, ev checkrein.Event) string {
	t.Helper()
	text, err := CompileText(src, checkrein.ContractOf(ev.Kind))
	if err != nil {
		t.Fatalf("text %q: %v", src, err)
	}
	view := ViewOf(&ev, home, nil)
	return text.Render(&view)
}

func TestTextFillsFieldsIn(t *testing.T) {
	t.Parallel()
	shell := call(checkrein.PreToolUse, "Bash", `{"cmd":"rm -rf {{tool}} $& \\1 %s","n":1.50,"deep":{"a":[1,2]},"nil":null}`)
	files := call(checkrein.PreToolUse, "read_many_files", `{"paths":["a","b c"]}`)
	prompt := checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hi"}
	tests := []struct {
		name, src string
		ev        checkrein.Event
		want      string
	}{
		{"nothing", "", shell, ""},
		{"plain", "blocked", shell, "blocked"},
		{"single braces", "{a} }} {b}", shell, "{a} }} {b}"},
		{"field", "Blocked: {{tool}}", shell, "Blocked: shell"},
		{"spaces", "{{ tool_name }}", shell, "Bash"},
		{"several, adjacent", "{{tool}}{{tool_name}}!", shell, "shellBash!"},
		{"values are not filled in again", "{{command}}", shell, `rm -rf {{tool}} $& \1 %s`},
		{"argument under another host's word", "{{tool_input.command}}", shell, `rm -rf {{tool}} $& \1 %s`},
		{"number keeps its text", "{{tool_input.n}}", shell, "1.50"},
		{"structure", "{{tool_input.deep}}", shell, `{"a":[1,2]}`},
		{"element", "{{tool_input.deep.a.1}}", shell, "2"},
		{"absent", "<{{tool_input.x}}>", shell, "<>"},
		{"null", "<{{tool_input.nil}}>", shell, "<>"},
		{"list", "{{paths}}", files, "a b c"},
		{"prompt", "{{prompt}}", prompt, "hi"},
		{"absent session", "<{{session_id}}>", prompt, "<>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := render(t, tt.src, tt.ev); got != tt.want {
				t.Errorf("%q is %q, want %q", tt.src, got, tt.want)
			}
		})
	}
}

func TestTextMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, src, want string }{
		{"never closed", "Blocked: {{command", "never closed"},
		{"unknown field", "{{comand}}", `did you mean "command"?`},
		{"no field", "{{}}", "unknown field"},
		{"another event's field", "{{prompt}}", "unknown field"},
		{"function call", "{{toJSON .}}", "unknown field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := CompileText(tt.src, checkrein.ContractOf(checkrein.PreToolUse))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestTextPlain(t *testing.T) {
	t.Parallel()
	row := checkrein.ContractOf(checkrein.PreToolUse)
	for src, want := range map[string]bool{"": true, "a": true, "{{tool}}": false, "a{{tool}}": false} {
		text, err := CompileText(src, row)
		if err != nil {
			t.Fatal(err)
		}
		if got, plain := text.Plain(); plain != want || plain && got != src {
			t.Errorf("Plain of %q is %q, %v, want %v", src, got, plain, want)
		}
		if got := text.IsZero(); got != (src == "") {
			t.Errorf("IsZero of %q is %v", src, got)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("Blocked: {{command}} in {{ cwd }}", `{"command":"{{tool}}"}`, byte(checkrein.PreToolUse))
	f.Add("{{{{}}}}", `[]`, byte(checkrein.Stop))
	f.Fuzz(func(t *testing.T, src, input string, kind byte) {
		k := checkrein.Kind(kind % byte(checkrein.NumKinds))
		text, err := CompileText(src, checkrein.ContractOf(k))
		if err != nil {
			return
		}
		ev := checkrein.Event{Kind: k, Text: input, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: json.RawMessage(input)}}
		view := ViewOf(&ev, home, nil)
		got := text.Render(&view)
		if !strings.Contains(src, "{{") && got != src {
			t.Errorf("%q became %q", src, got)
		}
		empty := ViewOf(&checkrein.Event{Kind: k}, "", nil)
		text.Render(&empty)
	})
}
