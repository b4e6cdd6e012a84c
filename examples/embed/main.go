// Command embed is an agent's tool loop in miniature: before a tool runs, the
// hooks of this machine and this project are asked.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

func main() {
	hooks, err := kit.Open(kit.Options{Hooks: []checkrein.Hook{{
		ID: "no-rm", On: checkrein.PreToolUse, Match: "shell", Run: "rule",
		If:   json.RawMessage(`{"command":{"prefix":"rm "}}`),
		With: json.RawMessage(`{"decision":"deny","reason":"Blocked (deletes): {{command}}"}`),
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{`{"cmd":"ls"}`, `{"cmd":"rm -rf build"}`} {
		call := &checkrein.Tool{Name: "shell", Input: json.RawMessage(args)}
		out := hooks.Serve(context.Background(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: call})
		fmt.Printf("%s: %s %q\n", args, out.Verdict.Decision, out.Verdict.Reason)
	}
}
