package checkrein_test

import (
	"context"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// TestConditionWithoutJSON checks that Check reports a value that cannot be encoded as JSON, whatever
// the operator.
func TestConditionWithoutJSON(t *testing.T) {
	t.Parallel()
	typ := checkrein.HandlerType{Name: "none", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{}, nil
		}), nil
	}}
	hook := checkrein.Hook{ID: "x", On: checkrein.PreToolUse, Run: "none", If: checkrein.Condition{}.Test("command", "is", make(chan int))}
	err := engine.New(engine.Options{Hooks: []checkrein.Hook{hook}, Handlers: []checkrein.HandlerType{typ}}).Check()
	if err == nil || !strings.Contains(err.Error(), "command: the value of is cannot be encoded: json: unsupported type: chan int") {
		t.Errorf("Check: %v, want the type that has no JSON", err)
	}
}

// TestConditionText checks that conditions built in Go are the same as those in configuration files.
func TestConditionText(t *testing.T) {
	t.Parallel()
	c := checkrein.Condition{}
	shell := c.Test("tool", "is", "shell")
	for _, tt := range []struct {
		got  checkrein.Condition
		want string
	}{
		{c, ""},
		{shell, `{"tool":{"is":"shell"}}`},
		{shell.Test("command", "prefix", "rm "), `{"tool":{"is":"shell"},"command":{"prefix":"rm "}}`},
		{shell.Test("tool", "in", []string{"shell"}), `{"all":[{"tool":{"is":"shell"}},{"tool":{"in":["shell"]}}]}`},
		{c.Any(shell, c), `{"any":[{"tool":{"is":"shell"}},{}]}`},
		{shell.Not(c.Test("cwd", "under", "/tmp")), `{"tool":{"is":"shell"},"not":{"cwd":{"under":"/tmp"}}}`},
	} {
		if tt.got.String() != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
}
