package team

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// readAgents reads the agents of the file.
func (r *reader) readAgents(n *yamldoc.Node) []Agent {
	if n.Kind != yamldoc.Map || len(n.Pairs) == 0 {
		r.addProblem(n.Line, "write agents: {root: {…}}", "agents is %s", n.Kind)
		return nil
	}
	var out []Agent
	for _, p := range n.Pairs {
		if r.checkName(p, "an agent") {
			out = append(out, r.readAgent(p))
		}
	}
	return out
}

// readAgent reads one agent. It returns as much as is valid.
func (r *reader) readAgent(p yamldoc.Pair) Agent {
	path, n := "agents."+p.Key, p.Value
	a := Agent{Name: p.Key, Line: p.Line}
	if !r.checkKeys(n, path, keysOf("agent")) {
		return a
	}
	a.Model = r.readText(n.Get("model"), path+".model")
	a.emptyModel = a.Model == "" && n.Get("model") != nil
	a.Description = r.readText(n.Get("description"), path+".description")
	a.Instruction = r.readText(n.Get("instruction"), path+".instruction")
	a.Welcome = r.readText(n.Get("welcome_message"), path+".welcome_message")
	a.SubAgents = r.readTexts(n.Get("sub_agents"), path+".sub_agents")
	a.Handoffs = r.readTexts(n.Get("handoffs"), path+".handoffs")
	a.ForceHandoff = r.readText(n.Get("force_handoff"), path+".force_handoff")
	a.MaxIterations = r.readCount(n.Get("max_iterations"), path+".max_iterations")
	a.Fallback = r.readFallback(n.Get("fallback"), path+".fallback")
	a.CompactAt = r.readShare(n.Get("compaction_threshold"), path+".compaction_threshold")
	if c := n.Get("session_compaction"); !c.IsNull() {
		a.NoCompaction = !r.readBool(c, path+".session_compaction")
	}
	a.Permissions = r.readPermissions(n.Get("permissions"), path+".permissions")
	a.Toolsets = r.readToolsets(n, path)
	a.Commands = r.readAgentCommands(n, path)
	r.readSkills(&a, n.Get("skills"), path+".skills")
	// The docker-agent dialect turns these into hooks. Here they are only checked.
	for _, flag := range [...]string{"add_date", "add_environment_info", "redact_secrets"} {
		r.readBool(n.Get(flag), path+"."+flag)
	}
	r.readTexts(n.Get("add_prompt_files"), path+".add_prompt_files")
	return a
}

// readSkills sets the skills of a: a boolean means all or none, a list names them.
func (r *reader) readSkills(a *Agent, n *yamldoc.Node, path string) {
	if n.IsNull() || n.AsYAML11Bool().Kind == yamldoc.Bool {
		a.Skills = r.readBool(n, path)
		return
	}
	for _, name := range r.readTexts(n, path) {
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			r.addProblem(n.Line, "download its SKILL.md, review it and put it into .agents/skills", "%s names %q: checkrein does not download skills", path, name)
			continue
		}
		if a.Skills = true; name != "local" {
			a.SkillNames = append(a.SkillNames, name)
		}
	}
}

// The defaults of a fallback, as in docker-agent.
const (
	defaultRetries  = 2
	defaultCooldown = time.Minute
)

// readFallback reads the fallback of an agent, or returns the zero Fallback if there is none.
func (r *reader) readFallback(n *yamldoc.Node, path string) Fallback {
	if !r.checkKeys(n, path, keysOf("fallback")) {
		return Fallback{}
	}
	f := Fallback{Models: r.readTexts(n.Get("models"), path+".models"), Retries: defaultRetries, Cooldown: defaultCooldown}
	if v := n.Get("retries"); !v.IsNull() && v.ScalarText() == "-1" {
		f.Retries = 0 // -1 means none in docker-agent
	} else if !v.IsNull() {
		f.Retries = r.readCount(v, path+".retries")
	}
	if v := n.Get("cooldown"); !v.IsNull() {
		d, err := time.ParseDuration(v.ScalarText())
		if err != nil || d < 0 {
			r.addProblem(v.Line, "write a duration, such as 1m or 30s", "%s.cooldown is %s", path, v.Display())
		}
		f.Cooldown = max(d, 0)
	}
	return f
}

// readShare reads a share of the context, greater than 0 and at most 1. It returns 0 if there is none.
func (r *reader) readShare(n *yamldoc.Node, path string) float64 {
	v := r.readAmount(n, path)
	switch {
	case v == nil:
		return 0
	case *v <= 0 || *v > 1:
		r.addProblem(n.Line, "write a fraction of the context, greater than 0 and at most 1, such as 0.8", "%s is %s", path, n.Display())
		return 0
	}
	return *v
}

// readToolsets reads an agent's own toolsets, and then the shared ones that it uses.
func (r *reader) readToolsets(agent *yamldoc.Node, path string) []Toolset {
	var out []Toolset
	if n := agent.Get("toolsets"); !n.IsNull() {
		if n.Kind != yamldoc.List {
			r.addProblem(n.Line, "write a list: [{type: shell}]", "%s.toolsets is %s", path, n.Kind)
			return nil
		}
		for _, item := range n.Items {
			out = r.appendToolset(out, item, path+".toolsets")
		}
	}
	use := agent.Get("use_toolsets")
	for _, name := range r.readTexts(use, path+".use_toolsets") {
		if n := r.findShared(r.shared.toolsets, use.Line, path+".use_toolsets", name); n != nil {
			out = r.appendToolset(out, n, "toolsets."+name)
		}
	}
	return out
}

// appendToolset reads one toolset and returns out with it, or out if the toolset is invalid.
func (r *reader) appendToolset(out []Toolset, n *yamldoc.Node, path string) []Toolset {
	if n.Kind != yamldoc.Map {
		r.addProblem(n.Line, "write {type: shell}", "%s holds %s", path, n.Kind)
		return out
	}
	t := Toolset{Type: r.readText(n.Get("type"), path+".type")}
	own := supportedToolsets()
	switch {
	case t.Type == "":
		r.addProblem(n.Line, "write type: "+strings.Join(own, ", "), "an entry of %s has no type", path)
		return out
	case slices.Contains(unsupportedToolsets(), t.Type):
		r.addProblem(n.Line, "remove it to run the file here; there are "+strings.Join(own, ", "), "%s: checkrein does not run tools of type %s yet", path, t.Type)
		return out
	case !slices.Contains(own, t.Type):
		r.addProblem(n.Line, "there are "+strings.Join(own, ", "), "%s: unknown type %q%s", path, t.Type, suggest.Hint(t.Type, own))
		return out
	}
	if t.Type == "mcp" {
		if t, ok := r.readServer(n, path+".mcp"); ok {
			out = append(out, t)
		}
		return out
	}
	r.checkKeys(n, path+"."+t.Type, keysOf("toolset", t.Type))
	t.Tools = r.readToolNames(n, path)
	t.Safer = r.readBool(n.Get("safer"), path+".safer") // each of these keys belongs to one type
	t.Shared = r.readBool(n.Get("shared"), path+".shared")
	t.Path = r.readText(n.Get("path"), path+".path")
	if t.Path != "" && !filepath.IsLocal(t.Path) {
		r.addProblem(n.Get("path").Line, "name a file inside the agent file's directory", "%s.path is %q", path, t.Path)
	}
	t.Timeout = time.Duration(r.readCount(n.Get("timeout"), path+".timeout")) * time.Second
	t.Allowed = r.readTexts(n.Get("allowed_domains"), path+".allowed_domains")
	t.Blocked = r.readTexts(n.Get("blocked_domains"), path+".blocked_domains")
	return append(out, t)
}

// readToolNames reads the names of the tools that a toolset selects, or nil if it selects all.
func (r *reader) readToolNames(n *yamldoc.Node, path string) []string {
	tools := n.Get("tools")
	names := r.readTexts(tools, path+".tools")
	if !tools.IsNull() && len(names) == 0 {
		r.addProblem(tools.Line, "name the tools, or remove the toolset", "%s.tools names no tool", path)
	}
	return names
}

// findShared returns the shared part name of group, or nil and adds a problem if there is none.
func (r *reader) findShared(group *yamldoc.Node, line int, path, name string) *yamldoc.Node {
	if n := group.Get(name); n != nil {
		return n
	}
	var names []string
	if group != nil {
		for _, p := range group.Pairs {
			names = append(names, p.Key)
		}
	}
	r.addProblem(line, "", "%s names %q, which the file does not declare%s", path, name, suggest.Hint(name, names))
	return nil
}

// readAgentCommands reads an agent's own commands, and then the shared ones that it uses. Of two with
// the same name, the first counts.
func (r *reader) readAgentCommands(agent *yamldoc.Node, path string) []Command {
	out := r.appendCommands(nil, agent.Get("commands"), path+".commands")
	use := agent.Get("use_commands")
	for _, name := range r.readTexts(use, path+".use_commands") {
		if n := r.findShared(r.shared.commands, use.Line, path+".use_commands", name); n != nil {
			out = r.appendCommands(out, n, "commands."+name)
		}
	}
	return out
}

// appendCommands reads a mapping of commands, or a list of such mappings, and returns out with them.
func (r *reader) appendCommands(out []Command, n *yamldoc.Node, path string) []Command {
	groups := []*yamldoc.Node{n}
	switch {
	case n.IsNull():
		return out
	case n.Kind == yamldoc.List:
		groups = n.Items
	}
	for _, g := range groups {
		if g.Kind != yamldoc.Map {
			r.addProblem(g.Line, "write {name: prompt}", "%s holds %s", path, g.Kind)
			continue
		}
		for _, p := range g.Pairs {
			c, ok := r.readCommand(p, path+"."+p.Key)
			if ok && !slices.ContainsFunc(out, func(o Command) bool { return o.Name == c.Name }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// readCommand reads one command. It reports false if the command has no valid name or no prompt.
func (r *reader) readCommand(p yamldoc.Pair, path string) (Command, bool) {
	if !r.checkName(p, "a command") {
		return Command{}, false
	}
	c := Command{Name: p.Key}
	if p.Value.Kind != yamldoc.Map {
		c.Prompt = r.readText(p.Value, path)
	} else {
		r.checkKeys(p.Value, path, keysOf("command"))
		c.Prompt = r.readText(p.Value.Get("instruction"), path+".instruction")
	}
	if strings.Contains(c.Prompt, "!`") {
		r.noteIgnored(p.Line, path+": a command in !`…`")
	}
	return c, c.Prompt != ""
}
