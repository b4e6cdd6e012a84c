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

// runSkill runs a skill in a separate session of the same agent. That session has the skill's text as
// its instruction, and gets nothing but the task from this conversation.
func runSkill(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	var in struct {
		Name string `json:"name"`
		Task string `json:"task"`
	}
	if err := tool.ParseArguments(input, &in); err != nil {
		return "", err
	}
	s, err := skill.FindNamed(t.agent.skills, in.Name)
	if err != nil {
		return "", err
	}
	text, err := s.Text()
	if err != nil {
		return "", err
	}
	child, err := t.newChild(t.agent.spec.Name, t.interactive)
	if err != nil {
		return "", err
	}
	child.skill, child.allowedTools = text, s.Tools
	return child.runTask(ctx, order{Agent: t.agent.spec.Name, Task: in.Task, kind: s.Name})
}

// mayUseTool reports whether the thread may use the agent's tool name. A skill may restrict the tools,
// by checkrein's names or by those of other hosts.
func (t *thread) mayUseTool(name string) bool {
	return len(t.allowedTools) == 0 || slices.ContainsFunc(t.allowedTools, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		same := tools.CanonicalTool(pattern)
		return ok || same != "" && same == tools.CanonicalTool(name)
	})
}

// findTool returns the tool name if the agent has it and the thread may use it, or nil.
func (t *thread) findTool(name string) *tool.Tool {
	if !t.mayUseTool(name) {
		return nil
	}
	return t.agent.findTool(name)
}

// toolDefinitions returns the definitions of the tools that the thread may use.
func (t *thread) toolDefinitions() []model.Definition {
	out := []model.Definition{}
	for _, o := range t.agent.currentTools() {
		if t.mayUseTool(o.Name) {
			out = append(out, o.Definition)
		}
	}
	return out
}
