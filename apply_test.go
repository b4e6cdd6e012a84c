package checkrein

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func toolEvent(k Kind, input, output string) Event {
	tool := &Tool{Name: "Bash", Canonical: "shell"}
	if input != "" {
		tool.Input = json.RawMessage(input)
	}
	if output != "" {
		tool.Output = json.RawMessage(output)
	}
	return Event{Kind: k, Tool: tool}
}

// subjectText returns the subject of an event as text.
func subjectText(ev Event) string {
	switch {
	case ev.Tool != nil && ev.Kind == PreToolUse:
		return string(ev.Tool.Input)
	case ev.Tool != nil:
		return string(ev.Tool.Output)
	case ev.Messages != nil:
		return string(ev.Messages)
	}
	return ev.Text
}

func TestApply(t *testing.T) {
	t.Parallel()
	prompt := Event{Kind: UserPromptSubmit, Text: "hi"}
	messages := Event{Kind: BeforeLLMCall, Messages: json.RawMessage(`[1]`)}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name    string
		ev      Event
		v       Verdict
		want    string
		changed bool
	}{
		{"no rewrite", toolEvent(PreToolUse, `{"a":1}`, ""), Verdict{Decision: Deny}, `{"a":1}`, false},
		{"keys not mentioned stay", toolEvent(PreToolUse, `{"a":1,"b":2}`, ""), Verdict{Input: raw(`{"b":3}`)}, `{"a":1,"b":3}`, true},
		{"null deletes", toolEvent(PreToolUse, `{"a":1,"b":2}`, ""), Verdict{Input: raw(`{"a":null}`)}, `{"b":2}`, true},
		{"numbers keep their text", toolEvent(PreToolUse, `{"n":12345678901234567890,"f":1.0}`, ""), Verdict{Input: raw(`{"z":1e2}`)}, `{"n":12345678901234567890,"f":1.0,"z":1e2}`, true},
		{"same value", toolEvent(PreToolUse, `{"a":1}`, ""), Verdict{Input: raw(`{ "a" : 1 }`)}, `{"a":1}`, false},
		{"empty patch", toolEvent(PreToolUse, `{"a":1}`, ""), Verdict{Input: raw(`{}`)}, `{"a":1}`, false},
		{"deleting what is not there", toolEvent(PreToolUse, `{"a":1}`, ""), Verdict{Input: raw(`{"b":null}`)}, `{"a":1}`, false},
		{"no arguments, one set", toolEvent(PreToolUse, "", ""), Verdict{Input: raw(`{"a":1}`)}, `{"a":1}`, true},
		{"no arguments, one deleted", toolEvent(PreToolUse, "", ""), Verdict{Input: raw(`{"b":null}`)}, ``, false},
		{"no arguments, empty patch", toolEvent(PreToolUse, "", ""), Verdict{Input: raw(`{}`)}, ``, false},
		{"input on a row without it", toolEvent(PostToolUse, `{"a":1}`, `"o"`), Verdict{Input: raw(`{"a":2}`)}, `"o"`, false},

		{"output replaced", toolEvent(ToolResponseTransform, "", `"old"`), Verdict{Output: raw(`"new"`)}, `"new"`, true},
		{"output cleared", toolEvent(ToolResponseTransform, "", `"old"`), Verdict{Output: raw(`""`)}, `""`, true},
		{"output of any type", toolEvent(ToolResponseTransform, "", `"old"`), Verdict{Output: raw(`{"stdout":"x"}`)}, `{"stdout":"x"}`, true},
		{"same output", toolEvent(ToolResponseTransform, "", `{"a":1,"b":2}`), Verdict{Output: raw(`{"b":2,"a":1}`)}, `{"a":1,"b":2}`, false},
		{"a key that another overrules", toolEvent(ToolResponseTransform, "", `{"a":"x","a":1}`), Verdict{Output: raw(`{"a":"y","a":1}`)}, `{"a":"y","a":1}`, true},
		{"no longer twice", toolEvent(ToolResponseTransform, "", `{"a":"x","a":1}`), Verdict{Output: raw(`{"a":1}`)}, `{"a":1}`, true},
		{"note after text", toolEvent(ToolResponseTransform, "", `"old"`), Verdict{Append: "note"}, `"old\nnote"`, true},
		{"note after a structure", toolEvent(ToolResponseTransform, "", `{"a":1}`), Verdict{Append: "note"}, `"{\"a\":1}\nnote"`, true},
		{"note after nothing", toolEvent(ToolResponseTransform, "", ""), Verdict{Append: "note"}, `"note"`, true},
		{"note after a replacement", toolEvent(ToolResponseTransform, "", `"old"`), Verdict{Output: raw(`"new"`), Append: "note"}, `"new\nnote"`, true},
		{"output on a row without it", toolEvent(PostToolUse, "", `"old"`), Verdict{Output: raw(`"new"`)}, `"old"`, false},

		{"text replaced", prompt, Verdict{Output: raw(`"ho"`)}, `ho`, true},
		{"text emptied", prompt, Verdict{Output: raw(`""`)}, ``, true},
		{"same text", prompt, Verdict{Output: raw(`"h\u0069"`)}, `hi`, false},
		{"note after the text", prompt, Verdict{Append: "note"}, "hi\nnote", true},
		{"messages replaced", messages, Verdict{Messages: raw(`[2]`)}, `[2]`, true},
		{"same messages", messages, Verdict{Messages: raw(`[ 1 ]`)}, `[ 1 ]`, false},
		{"messages with a key twice", Event{Kind: BeforeLLMCall, Messages: raw(`[{"a":"x","a":1}]`)}, Verdict{Messages: raw(`[{"a":"y","a":1}]`)}, `[{"a":"y","a":1}]`, true},
		{"messages on a row without them", prompt, Verdict{Messages: raw(`[2]`)}, `hi`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, changed, err := Apply(tt.ev, &tt.v)
			if err != nil {
				t.Fatal(err)
			}
			if s := subjectText(got); s != tt.want && !rawjson.Equal([]byte(s), []byte(tt.want)) {
				t.Errorf("subject %s, want %s", s, tt.want)
			}
			if changed != tt.changed {
				t.Errorf("changed is %v, want %v", changed, tt.changed)
			}
		})
	}
}

func TestApplyRejectsUnfitRewrites(t *testing.T) {
	t.Parallel()
	tool, prompt := toolEvent(PreToolUse, `{"a":1}`, ""), Event{Kind: UserPromptSubmit, Text: "hi"}
	messages := Event{Kind: BeforeLLMCall, Messages: json.RawMessage(`[1]`)}
	tests := []struct {
		name string
		ev   Event
		v    Verdict
	}{
		{"input is a list", tool, Verdict{Input: json.RawMessage(`[1]`)}},
		{"input is a text", tool, Verdict{Input: json.RawMessage(`"rm"`)}},
		{"input is null", tool, Verdict{Input: json.RawMessage(`null`)}},
		{"input is broken", tool, Verdict{Input: json.RawMessage(`{"a":`)}},
		{"text is a number", prompt, Verdict{Output: json.RawMessage(`5`)}},
		{"text is an object", prompt, Verdict{Output: json.RawMessage(`{}`)}},
		{"output is broken", toolEvent(ToolResponseTransform, "", `"x"`), Verdict{Output: json.RawMessage(`{"a":`)}},
		{"messages are an object", messages, Verdict{Messages: json.RawMessage(`{}`)}},
		{"messages are broken", messages, Verdict{Messages: json.RawMessage(`[1`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, changed, err := Apply(tt.ev, &tt.v)
			if err == nil {
				t.Fatal("no error")
			}
			if changed || subjectText(got) != subjectText(tt.ev) {
				t.Errorf("beside the error the subject is %s, want %s", subjectText(got), subjectText(tt.ev))
			}
		})
	}
}

func TestApplyDoesNotChangeItsArgument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev, v := drawSubject(t), drawRewrite(t)
		before, _ := json.Marshal(ev)
		given, _ := json.Marshal(v)
		got, changed, err := Apply(ev, &v)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(ev); string(after) != string(before) {
			t.Fatalf("event became %s, was %s", after, before)
		}
		if after, _ := json.Marshal(v); string(after) != string(given) {
			t.Fatalf("verdict became %s, was %s", after, given)
		}
		if !changed && !sameSubject(got, ev) {
			t.Fatalf("reported unchanged, but %+v became %+v", ev.Tool, got.Tool)
		}
	})
}

// TestApplyTwiceChangesNothingMore checks that applying a rewrite a second time changes nothing. It
// does not append notes, which would be added each time.
func TestApplyTwiceChangesNothingMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev, v := drawSubject(t), drawRewrite(t)
		v.Append = ""
		once := mustApply(t, ev, &v)
		if _, changed, err := Apply(once, &v); err != nil || changed {
			t.Fatalf("the second time changed=%v err=%v", changed, err)
		}
	})
}
