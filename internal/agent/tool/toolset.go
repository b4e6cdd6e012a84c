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

// A kind is a row of the table of toolsets.
type kind struct {
	name string
	make func(Place, *order) []Tool
}

var kinds = []kind{
	{"shell", func(at Place, _ *order) []Tool { return shell(at) }},
	{"filesystem", func(at Place, _ *order) []Tool { return files(at) }},
	{"think", func(Place, *order) []Tool { return think() }},
	{"todo", todo},
	{"memory", memory},
	{"fetch", fetch},
	{"background_agents", func(Place, *order) []Tool { return nil }}, // who has sub-agents has these tools anyway
}

// An order is a toolset as an agent has it.
type order struct {
	agent string
	*team.Toolset
}

// Of returns the tools of an agent. One whose toolsets are not known here has
// none: it could not do its work, and nobody would be told why.
func Of(spec *team.Agent, at Place) ([]Tool, error) {
	var out []Tool
	for i := range spec.Toolsets {
		set := &spec.Toolsets[i]
		if set.Server != nil {
			continue
		}
		k := slices.IndexFunc(kinds, func(k kind) bool { return k.name == set.Type })
		if k < 0 {
			return nil, fmt.Errorf("unknown toolset %q", set.Type)
		}
		tools := kinds[k].make(at, &order{spec.Name, set})
		for _, want := range set.Tools {
			if !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == want }) {
				return nil, fmt.Errorf("toolset %q has no tool %q: it has %s", set.Type, want, names(tools))
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

func names(tools []Tool) string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name
	}
	return strings.Join(list, ", ")
}

// think gives a model room to write thoughts down.
func think() []Tool {
	return []Tool{{
		Definition: model.Definition{Name: "think", Description: "Write down a thought. Nothing else happens.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"thought":{"type":"string"}},"required":["thought"]}`)},
		Category: "think", ReadOnly: true,
		Run: func(_ context.Context, input json.RawMessage) (string, error) {
			var in struct {
				Thought string `json:"thought"`
			}
			err := Arguments(input, &in)
			return in.Thought, err
		},
	}}
}
