package team

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

//go:generate go run ../../shell/argv/gen

// A fate is the treatment of a key of docker-agent's grammar.
type fate uint8

const (
	runs    fate = iota // it is supported, or needs no support
	noted               // it is ignored with a note
	refused             // ignoring it would change the agent or make it less safe
)

// A key is a row of the grammar.
type key struct {
	name   string
	in     string // a part of the file, or a type of toolset
	fate   fate
	remedy string // what to do about a refused key, or instead of an ignored one; "" = nothing
	unless string // values without an effect, separated by spaces
}

// keysOf returns the keys that are valid in one of places.
func keysOf(places ...string) []key {
	var out []key
	for _, k := range grammar {
		if !slices.Contains(places, k.in) {
			continue
		}
		if k.name == "harness" {
			k.remedy = harnessRemedy()
		}
		out = append(out, k)
	}
	return out
}

// isHarness reports whether docker-agent starts the coding agent name instead of calling a model.
func isHarness(name string) bool {
	return slices.ContainsFunc(hosts.Harnesses[:], func(h hosts.Harness) bool { return h.Name == name })
}

// harnessRemedy returns the remedy for an agent that names a harness.
func harnessRemedy() string {
	names := make([]string, len(hosts.Harnesses))
	for i, h := range hosts.Harnesses {
		names[i] = h.Host
	}
	return "to guard that program when it runs on its own, run checkrein install " + names[0] + " (or " + strings.Join(names[1:], ", ") + ") and start it as usual; to run the agent with checkrein run, give it a model"
}

// unsupportedToolsets returns the types of docker-agent's toolsets that checkrein does not support.
func unsupportedToolsets() []string {
	return []string{
		"mcp_catalog", "script", "file", "background_jobs", "tasks", "plan", "session_plan", "session_context",
		"api", "a2a", "lsp", "user_prompt", "openapi", "open_url", "model_picker", "scheduler", "rag", "git", "webhook",
	}
}

// supportedToolsets returns the supported types of toolsets.
func supportedToolsets() []string {
	return []string{"shell", "filesystem", "think", "todo", "memory", "fetch", "background_agents", "mcp"}
}
