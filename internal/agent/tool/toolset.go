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
	make func(Place) []Tool
}

var kinds = []kind{
	{"shell", shell},
	{"filesystem", files},
	{"think", think},
	{"background_agents", func(Place) []Tool { return nil }}, // who has sub-agents has these tools anyway
}

// Of returns the tools of an agent. One whose toolsets are not known here has
// none: it could not do its work, and nobody would be told why.
func Of(spec *team.Agent, at Place) ([]Tool, error) {
	var out []Tool
	for _, set := range spec.Toolsets {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == set.Type })
		if i < 0 {
			return nil, fmt.Errorf("toolset %q is not known here", set.Type)
		}
		tools := kinds[i].make(at)
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
			return nil, fmt.Errorf("two toolsets have a tool %q", t.Name)
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
func think(Place) []Tool {
	return []Tool{{
		Definition: model.Definition{Name: "think", Description: "Write a thought down. Nothing happens.",
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
