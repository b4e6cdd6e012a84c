// Package dockeragent reads the hooks of docker-agent's agent files, encodes payloads for them as
// docker-agent does, and writes such files.
package dockeragent

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Dialect is the entry for this format in the table of dialects.
var Dialect = hookfile.Dialect{
	Name:     "docker-agent",
	Parse:    parse,
	Detect:   detect,
	Encode:   encode,
	Write:    writeFile,
	Localize: localize,
	ToolName: toolName,
	Bash:     true,
	Form: hookfile.AnswerForm{
		Decisions:         []hookfile.DecisionWord{{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny}},
		Plain:             true,
		AnyText:           true,
		MetadataOnPreempt: true,
	},
}

func detect(src hookfile.Source) bool {
	for key := range yamldoc.TopLevelKeys(src.Data) {
		if key == "agents" {
			return true
		}
	}
	return false
}

// parse reads the hooks of one agent: the requested one, or root, or the file's first. It does not
// check other settings of the file.
func parse(src hookfile.Source) (hookfile.File, error) {
	b := grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: "docker-agent", GateFaultsBlock: true, Wired: true}}
	root, ok := b.ParseYAML(src.Data)
	if !ok {
		return b.Result()
	}
	agents := root.Get("agents")
	switch {
	case agents.IsNull() || agents.Kind == yamldoc.Map && len(agents.Pairs) == 0:
		b.AddLost(1, "write agents: {root: {…}}", "the file declares no agents")
		return b.Result()
	case agents.Kind != yamldoc.Map:
		b.AddLost(agents.Line, "write agents: {root: {…}}", "agents is %s, not a mapping", agents.Kind)
		return b.Result()
	}
	agent := selectAgent(&b, agents, src)
	if agent == nil {
		return b.Result()
	}
	if agent.Kind != yamldoc.Map {
		b.AddLost(agent.Line, "", "the agent is %s, not a mapping", agent.Kind)
		return b.Result()
	}
	b.ReadHooks(agent.Get("hooks"))
	var blocks []*yamldoc.Node
	for _, p := range agents.Pairs {
		if hooks := p.Value.Get("hooks"); hooks != nil {
			blocks = append(blocks, hooks)
		}
	}
	b.AddStray(root, "move them to agents: {NAME: {hooks: …}}", blocks...)
	addFlagHooks(&b, agent)
	for i := range b.Hooks {
		if h := &b.Hooks[i]; isSaferShell(h) {
			h.If = checkrein.Condition(shellOnly)
		}
	}
	out, err := b.Result()
	if agent != defaultAgent(agents) {
		for i := range out.Hooks {
			out.Hooks[i].From.Agent = src.Agent
		}
	}
	return out, err
}

// OtherAgents returns the names of the agents in the agent file data, except for the default one.
func OtherAgents(data []byte) (names []string) {
	root, _, err := yamldoc.Parse(data)
	if err != nil {
		return nil
	}
	agents := root.Get("agents")
	if agents.IsNull() || agents.Kind != yamldoc.Map || len(agents.Pairs) == 0 {
		return nil
	}
	for _, p := range agents.Pairs {
		if p.Value != defaultAgent(agents) {
			names = append(names, p.Key)
		}
	}
	return names
}

// defaultAgent returns the agent whose hooks are read if no agent is requested.
func defaultAgent(agents *yamldoc.Node) *yamldoc.Node {
	if a := agents.Get("root"); a != nil {
		return a
	}
	return agents.Pairs[0].Value
}

// selectAgent returns the agent that src requests, or the default one if it requests none. If the file
// does not have the agent, it adds a lost mistake and returns nil.
func selectAgent(b *grammar.Block, agents *yamldoc.Node, src hookfile.Source) *yamldoc.Node {
	if a := agents.Get(src.Agent); a != nil {
		return a
	}
	if src.Agent != "" && !src.Guess {
		names := make([]string, len(agents.Pairs))
		for i, p := range agents.Pairs {
			names[i] = p.Key
		}
		b.AddLost(agents.Line, "choose one of "+strings.Join(names, ", "), "the file has no agent %q%s", src.Agent, suggest.Hint(src.Agent, names))
		return nil
	}
	return defaultAgent(agents)
}

// addFlagHooks adds the builtins that an agent's flags stand for, after the agent's own hooks:
// redaction follows other hooks, and the size limit, which every agent has, follows redaction.
func addFlagHooks(b *grammar.Block, agent *yamldoc.Node) {
	if on, line := readFlag(b, agent, "add_date"); on {
		b.AddBuiltin(checkrein.TurnStart, line, "add_date")
	}
	if on, line := readFlag(b, agent, "add_environment_info"); on {
		b.AddBuiltin(checkrein.SessionStart, line, "add_environment_info")
	}
	addPromptFiles(b, agent.Get("add_prompt_files"))
	if line, on := hasSaferShell(b, agent.Get("toolsets")); on {
		b.AddBuiltin(checkrein.PreToolUse, line, "safer_shell").Preempt = true
	}
	if on, line := readFlag(b, agent, "redact_secrets"); on {
		for _, k := range [...]checkrein.Kind{checkrein.PreToolUse, checkrein.BeforeLLMCall, checkrein.ToolResponseTransform} {
			b.AddBuiltin(k, line, "redact_secrets").Preempt = k == checkrein.PreToolUse
		}
	}
	for _, k := range [...]checkrein.Kind{checkrein.ToolResponseTransform, checkrein.SessionEnd} {
		// The user did not write this hook, so its faults are not reported.
		h := b.AddBuiltin(k, agent.Line, "limit_large_tool_results")
		h.OnFault, h.Implied = checkrein.FaultIgnore, true
	}
}

func readFlag(b *grammar.Block, agent *yamldoc.Node, name string) (on bool, line int) {
	n := agent.Get(name).AsYAML11Bool()
	if n == nil {
		return false, 0
	}
	if n.Kind != yamldoc.Bool {
		b.AddLost(n.Line, "write true or false", "%s is %s, not a boolean", name, n.Kind)
	}
	return n.Text == "true", n.Line
}

// addPromptFiles adds the builtin for the file names in n, the value of add_prompt_files.
func addPromptFiles(b *grammar.Block, n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	var names []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text {
			b.AddLost(item.Line, "write file names", "add_prompt_files holds %s", item.Kind)
			continue
		}
		names = append(names, item.Text)
	}
	if n.Kind != yamldoc.List {
		b.AddLost(n.Line, "write a list of file names", "add_prompt_files is %s, not a list", n.Kind)
	}
	if len(names) > 0 {
		b.AddBuiltin(checkrein.TurnStart, n.Line, "add_prompt_files", names...)
	}
}

// shellOnly is the condition that docker-agent's safer_shell implies: it ignores calls of other tools
// than the shell, to which background jobs belong.
const shellOnly = `{"any":[{"tool":{"is":"shell"}},{"tool_name":{"is":"run_background_job"}}]}`

func isSaferShell(h *checkrein.Hook) bool {
	return h.Run == "builtin" && h.On == checkrein.PreToolUse && rawjson.GetText(h.With, "name") == "safer_shell"
}

// hasSaferShell reports whether a shell toolset enables the classifier, and the line of that setting.
func hasSaferShell(b *grammar.Block, toolsets *yamldoc.Node) (line int, on bool) {
	if toolsets == nil {
		return 0, false
	}
	for _, t := range toolsets.Items {
		s := t.Get("safer").AsYAML11Bool()
		if s == nil || t.Get("type").ScalarText() != "shell" {
			continue
		}
		if s.Kind != yamldoc.Bool {
			b.AddLost(s.Line, "write true or false", "safer is %s, not a boolean", s.Kind)
		}
		if s.Text == "true" {
			return s.Line, true
		}
	}
	return 0, false
}
