package kit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

// A program that runs agents opens a kit once and asks it before every tool call.
func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "kit")
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "checkrein.yaml")
	_ = os.WriteFile(file, []byte(`
version: 1
hooks:
  pre_tool_use:
    - type: rule
      if: {paths: {under: /etc}}
      decision: deny
      reason: "Blocked (system files): {{paths}}"
`), 0o600)

	k, err := kit.Open(kit.Options{Files: []string{file}, Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := k.Decide(context.Background(), checkrein.Event{
		Kind: checkrein.PreToolUse,
		Tool: &checkrein.Tool{Name: "Write", Input: json.RawMessage(`{"file_path":"/etc/hosts","content":""}`)},
	})
	switch v := out.Verdict; v.Decision {
	case checkrein.Deny:
		fmt.Println("not run:", v.Reason)
	case checkrein.Ask:
		fmt.Println("ask the person:", v.Reason)
	case checkrein.Allow, checkrein.NoOpinion: // this program has no permissions of its own
		fmt.Println("run it")
	}
	// Output: not run: Blocked (system files): /etc/hosts
}
