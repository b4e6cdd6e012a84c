package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
)

// A toolsetType is a type of toolset, with the function that returns its tools.
type toolsetType struct {
	name string
	make func(Place, *agentToolset) []Tool
}

var toolsetTypes = []toolsetType{
	{"shell", func(at Place, _ *agentToolset) []Tool { return shellTools(at) }},
	{"filesystem", func(at Place, _ *agentToolset) []Tool { return fileTools(at) }},
	{"think", func(Place, *agentToolset) []Tool { return thinkTools() }},
	{"todo", todoTools},
	{"memory", memoryTools},
	{"fetch", fetchTools},
	{"background_agents", func(Place, *agentToolset) []Tool { return nil }}, // agents with sub-agents always have these tools
}

// An agentToolset is a toolset of an agent.
type agentToolset struct {
	agent string
	*team.Toolset
}

// ToolsOf returns the tools of the agent spec. An unknown toolset is an error, because the agent could
// not do its work without it.
func ToolsOf(spec *team.Agent, at Place) ([]Tool, error) {
	var out []Tool
	for i := range spec.Toolsets {
		set := &spec.Toolsets[i]
		if set.Server != nil {
			continue
		}
		k := slices.IndexFunc(toolsetTypes, func(k toolsetType) bool { return k.name == set.Type })
		if k < 0 {
			return nil, fmt.Errorf("unknown toolset %q", set.Type)
		}
		tools := toolsetTypes[k].make(at, &agentToolset{spec.Name, set})
		for _, want := range set.Tools {
			if !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == want }) {
				return nil, fmt.Errorf("toolset %q has no tool %q: it has %s", set.Type, want, joinNames(tools))
			}
		}
		for _, t := range tools {
			if len(set.Tools) == 0 || slices.Contains(set.Tools, t.Name) {
				out = append(out, t)
			}
		}
	}
	for i, t := range out {
		if slices.ContainsFunc(out[:i], func(o Tool) bool { return o.Name == t.Name }) {
			return nil, fmt.Errorf("two toolsets have a tool named %q", t.Name)
		}
	}
	taken := func(name string) bool { return slices.ContainsFunc(out, func(t Tool) bool { return t.Name == name }) }
	for i := range spec.Toolsets {
		if set := &spec.Toolsets[i]; set.Server != nil && at.Server != nil {
			out = append(out, at.Server(set, taken)...)
		}
	}
	return out, nil
}

// joinNames returns the names of tools, separated by commas.
func joinNames(tools []Tool) string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name
	}
	return strings.Join(list, ", ")
}

// thinkTools returns the tool with which a model writes down thoughts.
func thinkTools() []Tool {
	return []Tool{{
		Definition: model.Definition{Name: "think", Description: "Write down a thought. Nothing else happens.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"thought":{"type":"string"}},"required":["thought"]}`)},
		Category: "think", ReadOnly: true,
		Run: func(_ context.Context, input json.RawMessage) (string, error) {
			var in struct {
				Thought string `json:"thought"`
			}
			err := ParseArguments(input, &in)
			return in.Thought, err
		},
	}}
}
