package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/guardtest"
)

// A verdictPlace is a machine on which nothing is configured.
type verdictPlace struct {
	home, project string
	judges        judges // nil = each call has a process of its own
}

func newVerdictPlace(t *testing.T) verdictPlace {
	t.Helper()
	p, err := corpora.BuildPlace(guardtest.Home(t))
	if err != nil {
		t.Fatal(err)
	}
	return verdictPlace{p.Home, p.Project, newJudges(t)}
}

func (p verdictPlace) env() []string { return corpora.Place{Home: p.home}.Environ() }

// expandPaths replaces the corpora's home directory with the test's.
func (p verdictPlace) expandPaths(s string) string {
	return corpora.Place{Home: p.home, Project: p.project}.Localize(s)
}

// shellCall is a payload of a host's shell tool.
func (p verdictPlace) shellCall(host, dialect, command string) []byte {
	tool := "Bash"
	if dialect == "powershell" {
		tool = "PowerShell"
	}
	id := "6f1d3c1e-8f0a-4f0e-9a57-2d0c5b1f7a10"
	body := map[string]any{"session_id": id, "transcript_path": p.home + "/t.jsonl", "cwd": p.project, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": tool, "tool_input": map[string]any{"command": command}, "tool_use_id": "toolu_01"}
	if host == "codex" {
		body["turn_id"], body["model"] = id, "gpt-5"
	}
	out, _ := json.Marshal(body)
	return out
}

// callHook returns the decision in a host's reply (none, ask or deny), and the reply.
func (p verdictPlace) callHook(host string, payload []byte, more ...string) (string, string) {
	said := p.program(payload, append([]string{"hook", host}, more...)...)
	if said.Exit != 0 {
		return "broken", string(said.Stdout) + string(said.Stderr) // a host would run the tool
	}
	return heardIn(said.Stdout), string(said.Stdout)
}

// heardIn is what a reply says: none, ask or deny.
func heardIn(out []byte) string {
	var reply map[string]any
	if json.Unmarshal(out, &reply) != nil {
		return "none"
	}
	worst := "none"
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, v := range v {
				walk(k, v)
			}
		case string:
			if key == "deny" && v != "" || slices.Contains([]string{"permissionDecision", "decision", "permission", "behavior"}, key) && slices.Contains([]string{"deny", "block"}, v) {
				worst = "deny"
			} else if v == "ask" && worst == "none" && key != "tool_name" {
				worst = "ask"
			}
		case bool:
			if key == "block" && v || key == "continue" && !v {
				worst = "deny"
			}
		}
	}
	walk("", reply)
	return worst
}
