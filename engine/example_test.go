package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// An engine without files: the program brings its own handler type and hook.
func Example() {
	guard := checkrein.HandlerType{
		Name: "guard",
		New: func(checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				var ans checkrein.Answer
				if strings.Contains(ev.Tool.Command(), "prod") {
					ans.Decision, ans.Reason = checkrein.Ask, "touches production"
				}
				return ans, nil
			}), nil
		},
	}
	e := engine.New(engine.Options{
		Handlers: []checkrein.HandlerType{guard},
		Hooks:    []checkrein.Hook{{ID: "prod", On: checkrein.PreToolUse, Match: "shell", Run: "guard"}},
	})
	out := e.Decide(context.Background(), checkrein.Event{
		Kind: checkrein.PreToolUse,
		Tool: &checkrein.Tool{Name: "Bash", Input: json.RawMessage(`{"command":"deploy prod"}`)},
	})
	fmt.Println(out.Verdict.Decision, out.Verdict.Reason)
	// Output: ask touches production
}
