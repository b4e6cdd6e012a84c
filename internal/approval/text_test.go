package approval

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"pgregory.net/rapid"
)

func TestDefinitionText(t *testing.T) {
	t.Parallel()
	h := checkrein.Hook{Name: "guard", On: checkrein.PreToolUse, Match: "shell", Run: "command", Timeout: time.Minute, Priority: 100, Gate: true,
		If: checkrein.Condition(`{ "tool": {"is":"shell"} }`), With: json.RawMessage(`{"command":"one\n\ttwo\u001b[2J","env":{"A":"b"}}`), Dialect: "native"}
	want := "event: pre_tool_use\nname: guard\nmatch: shell\nif: {\"tool\":{\"is\":\"shell\"}}\ntype: command\nsettings:\n  command:\n    | one\n    | \"\\ttwo\\x1b[2J\"\n" +
		"  env: {\"A\":\"b\"}\ntimeout: 1m0s\ngate: true\ndialect: native\n"
	if got := DefinitionText(&h); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// The text for people differs exactly when the digest does, so that no change of a definition can
// hide.
func TestDefinitionTextIsComplete(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"", "a", "b", " a", "a ", "a\nb", "a\n\nb", "\n", "true", "5", "null", `"a"`, "{}", "a\n  timeout: 1s", "\u202ea"})
	values := rapid.SampledFrom([]string{``, `{}`, `[]`, `null`, `{"a":1}`, `{"a":"1"}`, `{"a":true}`, `{"a":"true"}`, `{"a":""}`, `{"a":"x\ny"}`, `{"a": "x\n"}`,
		`{"a":"x","b":"y"}`, `{"b":"y","a":"x"}`, `{"a\n":"x"}`, `{"a":"x\n  b: y"}`, `{"a":{"b":"c"}}`, `{"a":"{\"b\":\"c\"}"}`})
	hooks := rapid.Custom(func(t *rapid.T) checkrein.Hook {
		return checkrein.Hook{
			Name: words.Draw(t, "name"), On: rapid.SampledFrom([]checkrein.Kind{checkrein.Other, checkrein.PreToolUse}).Draw(t, "on"), Event: words.Draw(t, "event"),
			Match: words.Draw(t, "match"), MatchWords: rapid.Bool().Draw(t, "by"), Args: words.Draw(t, "args"), Search: words.Draw(t, "search"),
			Chain: words.Draw(t, "chain"), If: checkrein.Condition(values.Draw(t, "if")), Run: rapid.SampledFrom([]string{"command", "http", "rule"}).Draw(t, "run"),
			With: json.RawMessage(values.Draw(t, "with")), Timeout: time.Duration(rapid.IntRange(0, 2).Draw(t, "timeout")), Priority: rapid.SampledFrom([]int{0, 100}).Draw(t, "priority"),
			Async: rapid.Bool().Draw(t, "async"), Strict: rapid.Bool().Draw(t, "strict"), OnFault: checkrein.FaultPolicy(rapid.IntRange(0, 3).Draw(t, "fault")), Dialect: words.Draw(t, "dialect"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a := hooks.Draw(t, "a")
		b := a
		switch other := hooks.Draw(t, "b"); rapid.IntRange(0, 7).Draw(t, "what") { // mostly one thing differs
		case 0:
			b = other
		case 1:
			b.With = other.With
		case 2:
			b.If = other.If
		case 3:
			b.Name = other.Name
		case 4:
			b.Event, b.On = other.Event, other.On
		case 5:
			b.Match, b.Args = other.Match, other.Args
		case 6:
			b.Run = other.Run
		case 7:
			b.Priority, b.Async, b.OnFault, b.Timeout = other.Priority, other.Async, other.OnFault, other.Timeout
		}
		if same := DefinitionHex(&a) == DefinitionHex(&b); same != (DefinitionText(&a) == DefinitionText(&b)) {
			t.Fatalf("definitions alike: %v, texts:\n%s---\n%s", same, DefinitionText(&a), DefinitionText(&b))
		}
	})
}
