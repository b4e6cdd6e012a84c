package team

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

//go:generate go run ../../shell/resolve/gen

// A fate is what becomes of a key of docker-agent's grammar.
type fate uint8

const (
	runs    fate = iota // it is run, or says nothing that could be
	noted               // it is left out, and people are told
	refused             // without it the agent would be another, or less safe
)

// A key is a row of the grammar.
type key struct {
	name   string
	in     string // where it stands: a part of the file, or a type of toolset
	fate   fate
	remedy string // of a refusal; of a note what is lacking, "" = nothing to say
	unless string // values that ask for nothing, separated by blanks
}

// keysOf returns the keys that stand in any of some places.
func keysOf(places ...string) []key {
	var out []key
	for _, k := range grammar {
		if !slices.Contains(places, k.in) {
			continue
		}
		if k.name == "harness" {
			k.remedy = noHarness()
		}
		out = append(out, k)
	}
	return out
}

// isHarness reports whether docker-agent starts a coding agent of that name in the place of a
// model.
func isHarness(name string) bool {
	return slices.ContainsFunc(hosts.Harnesses[:], func(h hosts.Harness) bool { return h.Name == name })
}

// noHarness returns the remedy for an agent that names a harness.
func noHarness() string {
	names := make([]string, len(hosts.Harnesses))
	for i, h := range hosts.Harnesses {
		names[i] = h.Host
	}
	return "to guard that program when it runs on its own, run checkrein install " + names[0] + " (or " + strings.Join(names[1:], ", ") + ") and start it as usual; to run the agent with checkrein run, give it a model"
}

// foreignToolsets are docker-agent's types that are not run here.
func foreignToolsets() []string {
	return []string{
		"mcp_catalog", "script", "file", "background_jobs", "tasks", "plan", "session_plan", "session_context",
		"api", "a2a", "lsp", "user_prompt", "openapi", "open_url", "model_picker", "scheduler", "rag", "git", "webhook",
	}
}

// ownToolsets are those that are.
func ownToolsets() []string {
	return []string{"shell", "filesystem", "think", "todo", "memory", "fetch", "background_agents", "mcp"}
}
