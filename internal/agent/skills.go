package agent

import (
	"context"
	"encoding/json"
	"path"
	"slices"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

// runSkill runs a skill in a session of its own, by the same agent: its text is the
// instruction there, and the session sees nothing of this conversation but the task.
func runSkill(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	var in struct {
		Name string `json:"name"`
		Task string `json:"task"`
	}
	if err := tool.Arguments(input, &in); err != nil {
		return "", err
	}
	s, err := skill.Named(t.who.skills, in.Name)
	if err != nil {
		return "", err
	}
	text, err := s.Text()
	if err != nil {
		return "", err
	}
	child, err := t.child(t.who.spec.Name, t.interactive)
	if err != nil {
		return "", err
	}
	child.skill, child.allowed = text, s.Tools
	return child.serve(ctx, order{Agent: t.who.spec.Name, Task: in.Task, kind: s.Name})
}

// may reports whether a thread may use a tool of its agent: a skill may name those that
// it needs, by our names or those of other hosts.
func (t *thread) may(name string) bool {
	return len(t.allowed) == 0 || slices.ContainsFunc(t.allowed, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		same := tools.Canonical(pattern)
		return ok || same != "" && same == tools.Canonical(name)
	})
}

func (t *thread) tool(name string) *tool.Tool {
	if !t.may(name) {
		return nil
	}
	return t.who.tool(name)
}

func (t *thread) definitions() []model.Definition {
	out := []model.Definition{}
	for _, o := range t.who.tools() {
		if t.may(o.Name) {
			out = append(out, o.Definition)
		}
	}
	return out
}
