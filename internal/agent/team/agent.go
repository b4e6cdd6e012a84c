package team

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

func (r *reader) agents(n *yamldoc.Node) []Agent {
	if n.Kind != yamldoc.Map || len(n.Pairs) == 0 {
		r.problem(n.Line, "write agents: {root: {…}}", "agents is %s", n.Kind)
		return nil
	}
	var out []Agent
	for _, p := range n.Pairs {
		if r.name(p, "an agent") {
			out = append(out, r.agent(p))
		}
	}
	return out
}

func (r *reader) agent(p yamldoc.Pair) Agent {
	path, n := "agents."+p.Key, p.Value
	a := Agent{Name: p.Key, Line: p.Line}
	if !r.keys(n, path, keysOf("agent")) {
		return a
	}
	a.Model = r.text(n.Get("model"), path+".model")
	a.emptyModel = a.Model == "" && n.Get("model") != nil
	a.Description = r.text(n.Get("description"), path+".description")
	a.Instruction = r.text(n.Get("instruction"), path+".instruction")
	a.Welcome = r.text(n.Get("welcome_message"), path+".welcome_message")
	a.SubAgents = r.texts(n.Get("sub_agents"), path+".sub_agents")
	a.Handoffs = r.texts(n.Get("handoffs"), path+".handoffs")
	a.ForceHandoff = r.text(n.Get("force_handoff"), path+".force_handoff")
	a.MaxIterations = r.count(n.Get("max_iterations"), path+".max_iterations")
	a.Fallback = r.fallback(n.Get("fallback"), path+".fallback")
	a.CompactAt = r.share(n.Get("compaction_threshold"), path+".compaction_threshold")
	if c := n.Get("session_compaction"); !c.IsNull() {
		a.NoCompaction = !r.boolean(c, path+".session_compaction")
	}
	a.Permissions = r.permissions(n.Get("permissions"), path+".permissions")
	a.Toolsets = r.toolsets(n, path)
	a.Commands = r.agentCommands(n, path)
	r.skills(&a, n.Get("skills"), path+".skills")
	// What the dialect makes hooks of is only checked: it must not be misread
	// here and there.
	for _, flag := range [...]string{"add_date", "add_environment_info", "redact_secrets"} {
		r.boolean(n.Get(flag), path+"."+flag)
	}
	r.texts(n.Get("add_prompt_files"), path+".add_prompt_files")
	return a
}

// skills reads whether an agent has skills, or which.
func (r *reader) skills(a *Agent, n *yamldoc.Node, path string) {
	if n.IsNull() || n.Boolean().Kind == yamldoc.Bool {
		a.Skills = r.boolean(n, path)
		return
	}
	for _, name := range r.texts(n, path) {
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			r.problem(n.Line, "download its SKILL.md, review it and put it into .agents/skills", "%s names %q: checkrein does not download skills", path, name)
			continue
		}
		if a.Skills = true; name != "local" {
			a.SkillNames = append(a.SkillNames, name)
		}
	}
}

// The fallback of an agent that does not say otherwise, as in docker-agent.
const (
	defaultRetries  = 2
	defaultCooldown = time.Minute
)

func (r *reader) fallback(n *yamldoc.Node, path string) Fallback {
	if !r.keys(n, path, keysOf("fallback")) {
		return Fallback{}
	}
	f := Fallback{Models: r.texts(n.Get("models"), path+".models"), Retries: defaultRetries, Cooldown: defaultCooldown}
	if v := n.Get("retries"); !v.IsNull() && v.Plain() == "-1" {
		f.Retries = 0 // docker-agent's way to say none
	} else if !v.IsNull() {
		f.Retries = r.count(v, path+".retries")
	}
	if v := n.Get("cooldown"); !v.IsNull() {
		d, err := time.ParseDuration(v.Plain())
		if err != nil || d < 0 {
			r.problem(v.Line, "write a duration, such as 1m or 30s", "%s.cooldown is %s", path, v.Shown())
		}
		f.Cooldown = max(d, 0)
	}
	return f
}

// share reads a share of the context; 0 when there is none.
func (r *reader) share(n *yamldoc.Node, path string) float64 {
	v := r.amount(n, path)
	switch {
	case v == nil:
		return 0
	case *v <= 0 || *v > 1:
		r.problem(n.Line, "write a fraction of the context, greater than 0 and at most 1, such as 0.8", "%s is %s", path, n.Shown())
		return 0
	}
	return *v
}

func (r *reader) toolsets(agent *yamldoc.Node, path string) []Toolset {
	var out []Toolset
	if n := agent.Get("toolsets"); !n.IsNull() {
		if n.Kind != yamldoc.List {
			r.problem(n.Line, "write a list: [{type: shell}]", "%s.toolsets is %s", path, n.Kind)
			return nil
		}
		for _, item := range n.Items {
			out = r.toolset(out, item, path+".toolsets")
		}
	}
	use := agent.Get("use_toolsets")
	for _, name := range r.texts(use, path+".use_toolsets") {
		if n := r.lookUp(r.shared.toolsets, use.Line, path+".use_toolsets", name); n != nil {
			out = r.toolset(out, n, "toolsets."+name)
		}
	}
	return out
}

// toolset reads one toolset and appends it.
func (r *reader) toolset(out []Toolset, n *yamldoc.Node, path string) []Toolset {
	if n.Kind != yamldoc.Map {
		r.problem(n.Line, "write {type: shell}", "%s holds %s", path, n.Kind)
		return out
	}
	t := Toolset{Type: r.text(n.Get("type"), path+".type")}
	own := ownToolsets()
	switch {
	case t.Type == "":
		r.problem(n.Line, "write type: "+strings.Join(own, ", "), "an entry of %s has no type", path)
		return out
	case slices.Contains(foreignToolsets(), t.Type):
		r.problem(n.Line, "take it out to run the file here; there are "+strings.Join(own, ", "), "%s: checkrein does not run tools of type %s yet", path, t.Type)
		return out
	case !slices.Contains(own, t.Type):
		r.problem(n.Line, "there are "+strings.Join(own, ", "), "%s: unknown type %q%s", path, t.Type, suggest.Hint(t.Type, own))
		return out
	}
	if t.Type == "mcp" {
		if t, ok := r.server(n, path+".mcp"); ok {
			out = append(out, t)
		}
		return out
	}
	r.keys(n, path+"."+t.Type, keysOf("toolset", t.Type))
	t.Tools = r.toolNames(n, path)
	t.Safer = r.boolean(n.Get("safer"), path+".safer") // each a key of one type
	t.Shared = r.boolean(n.Get("shared"), path+".shared")
	t.Path = r.text(n.Get("path"), path+".path")
	if t.Path != "" && !filepath.IsLocal(t.Path) {
		r.problem(n.Get("path").Line, "name a file inside the agent file's directory", "%s.path is %q", path, t.Path)
	}
	t.Timeout = time.Duration(r.count(n.Get("timeout"), path+".timeout")) * time.Second
	t.Allowed = r.texts(n.Get("allowed_domains"), path+".allowed_domains")
	t.Blocked = r.texts(n.Get("blocked_domains"), path+".blocked_domains")
	return append(out, t)
}

// toolNames reads which tools of a toolset are meant.
func (r *reader) toolNames(n *yamldoc.Node, path string) []string {
	tools := n.Get("tools")
	names := r.texts(tools, path+".tools")
	if !tools.IsNull() && len(names) == 0 {
		r.problem(tools.Line, "name the tools, or remove the toolset", "%s.tools names no tool", path)
	}
	return names
}

// lookUp finds a shared part by the name that an agent uses it by.
func (r *reader) lookUp(group *yamldoc.Node, line int, path, name string) *yamldoc.Node {
	if n := group.Get(name); n != nil {
		return n
	}
	var names []string
	if group != nil {
		for _, p := range group.Pairs {
			names = append(names, p.Key)
		}
	}
	r.problem(line, "", "%s names %q, which the file does not declare%s", path, name, suggest.Hint(name, names))
	return nil
}

// agentCommands reads an agent's own commands, then those that it shares. Of
// two with one name the first counts.
func (r *reader) agentCommands(agent *yamldoc.Node, path string) []Command {
	out := r.commands(nil, agent.Get("commands"), path+".commands")
	use := agent.Get("use_commands")
	for _, name := range r.texts(use, path+".use_commands") {
		if n := r.lookUp(r.shared.commands, use.Line, path+".use_commands", name); n != nil {
			out = r.commands(out, n, "commands."+name)
		}
	}
	return out
}

// commands reads a mapping of commands, or a list of such mappings.
func (r *reader) commands(out []Command, n *yamldoc.Node, path string) []Command {
	groups := []*yamldoc.Node{n}
	switch {
	case n.IsNull():
		return out
	case n.Kind == yamldoc.List:
		groups = n.Items
	}
	for _, g := range groups {
		if g.Kind != yamldoc.Map {
			r.problem(g.Line, "write {name: prompt}", "%s holds %s", path, g.Kind)
			continue
		}
		for _, p := range g.Pairs {
			c, ok := r.command(p, path+"."+p.Key)
			if ok && !slices.ContainsFunc(out, func(o Command) bool { return o.Name == c.Name }) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (r *reader) command(p yamldoc.Pair, path string) (Command, bool) {
	if !r.name(p, "a command") {
		return Command{}, false
	}
	c := Command{Name: p.Key}
	if p.Value.Kind != yamldoc.Map {
		c.Prompt = r.text(p.Value, path)
	} else {
		r.keys(p.Value, path, keysOf("command"))
		c.Prompt = r.text(p.Value.Get("instruction"), path+".instruction")
	}
	if strings.Contains(c.Prompt, "!`") {
		r.note(p.Line, path+": a command in !`…`")
	}
	return c, c.Prompt != ""
}
