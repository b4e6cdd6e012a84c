package approval

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
)

// TestDefinitionCoversHook fails if a field was added to Hook and it was not decided whether it
// belongs to the definition.
func TestDefinitionCoversHook(t *testing.T) {
	t.Parallel()
	// Shadow and ShadowUntil count in files that need no approval; Exact follows from Dialect.
	outside := map[string]bool{"ID": true, "From": true, "Also": true, "Implied": true, "Off": true, "Broken": true, "Shadow": true, "ShadowUntil": true, "Exact": true}
	base := commandHook("/p", "n", "true")
	base.If = checkrein.Condition(`{"a":1}`)
	kind := reflect.TypeOf(base)
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		h := base
		field := reflect.ValueOf(&h).Elem().Field(i)
		switch v := field.Addr().Interface().(type) {
		case *string:
			*v += "x"
		case *bool:
			*v = !*v
		case *int:
			*v++
		case *time.Duration:
			*v++
		case *checkrein.Kind:
			*v++
		case *checkrein.FaultPolicy:
			*v++
		case *checkrein.Condition:
			*v = checkrein.Condition(`{"a":2}`)
		case *json.RawMessage:
			*v = json.RawMessage(`{"a":2}`)
		case *checkrein.Origin:
			*v = checkrein.Origin{Scope: checkrein.ScopeUser, File: "/other", Line: 7}
		case *[]checkrein.Origin:
			*v = []checkrein.Origin{{File: "/other"}}
		default:
			t.Fatalf("field %s has a type that this test does not know", name)
		}
		if changed := DefinitionHex(&h) != DefinitionHex(&base); changed == outside[name] {
			t.Errorf("field %s: part of the definition = %v", name, changed)
		}
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	hook := func(match, run, with string) checkrein.Hook {
		return checkrein.Hook{Match: match, Run: run, With: json.RawMessage(with)}
	}
	tests := []struct {
		name string
		a, b checkrein.Hook
		same bool
	}{
		{"layout", hook("", "", `{"a": [1, 2]}`), hook("", "", "{\n\"a\":[1,2]}"), true},
		{"space in a string", hook("", "", `{"a":"x y"}`), hook("", "", `{"a":"xy"}`), false},
		{"number", hook("", "", `{"a":1}`), hook("", "", `{"a":1.0}`), false},
		{"broken JSON", hook("", "", `{"a" "b"}`), hook("", "", `{"a""b"}`), false},
		{"the sandbox", hook("", "command", `{"command":"x","sandbox":{}}`), hook("", "command", `{"command":"x","sandbox":{"read":["/"]}}`), false},
		{"no sandbox", hook("", "command", `{"command":"x","sandbox":{}}`), hook("", "command", `{"command":"x"}`), false},
		{"a byte moves to the next field", hook("ab", "c", ""), hook("a", "bc", ""), false},
		{"a field moves", hook("ab", "", ""), hook("", "ab", ""), false},
	}
	for _, test := range tests {
		if got := DefinitionHex(&test.a) == DefinitionHex(&test.b); got != test.same {
			t.Errorf("%s: same = %v", test.name, got)
		}
	}
	if d := DefinitionHex(&checkrein.Hook{}); len(d) != 64 {
		t.Errorf("digest is %q", d)
	}
}

func TestRunText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, run, with, want string }{
		{"command", "command", `{"command":"./x.sh a"}`, "./x.sh a"},
		{"lines", "command", `{"command":"set -e\n\t./x.sh\n"}`, "set -e\n\t./x.sh"},
		{"argv", "command", `{"argv":["./x.sh","a b","it's",""]}`, `./x.sh 'a b' 'it'\''s' ''`},
		{"url", "http", `{"url":"https://example.com/hook"}`, "POST https://example.com/hook"},
		{"builtin", "builtin", `{"name":"add_date"}`, "add_date"},
		{"builtin, docker-agent", "builtin", `{"command":"add_date"}`, "add_date"},
		{"rule", "rule", `{"decision":"deny"}`, "the-id"},
		{"nothing", "command", ``, "the-id"},
		{"escape sequence", "command", `{"command":"true \u001b[8m rm -rf ~"}`, `true \x1b[8m rm -rf ~`},
		{"reversed text", "command", `{"command":"a\u202eb"}`, `a\u202eb`},
		{"carriage return", "command", `{"command":"rm x\rls"}`, `rm x\rls`},
		{"other scripts", "command", `{"command":"echo héllo 世界"}`, "echo héllo 世界"},
	}
	for _, test := range tests {
		h := checkrein.Hook{ID: "the-id", Run: test.run, With: json.RawMessage(test.with)}
		if got := RunText(&h); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCanDeny(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		hook checkrein.Hook
		want bool
	}{
		{"fails closed", checkrein.Hook{On: checkrein.PreToolUse}, true},
		{"fails open", checkrein.Hook{On: checkrein.Stop}, false},
		{"gate", checkrein.Hook{On: checkrein.Stop, Gate: true}, true},
		{"blocks on faults", checkrein.Hook{On: checkrein.Stop, OnFault: checkrein.FaultBlock}, true},
		{"cannot decide", checkrein.Hook{On: checkrein.PreToolUse, Async: true}, false},
	}
	for _, test := range tests {
		if got := canDeny(&test.hook); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}
