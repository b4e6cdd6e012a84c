package team

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// shared are the parts of a file that agents and models refer to by name.
type shared struct {
	commands, toolsets, mcps *yamldoc.Node
	providers                []Model // Name is the provider's
}

func (r *reader) team(root *yamldoc.Node) *Team {
	t := &Team{File: r.file}
	if root.IsNull() || root.Kind == yamldoc.Map && root.Get("agents").IsNull() {
		r.problem(max(1, root.Line), "write agents: {root: {…}}", "the file declares no agents")
	}
	if !r.keys(root, "", keysOf("file")) {
		return t
	}
	r.runtime(root.Get("runtime"))
	r.shared = shared{commands: r.group(root, "commands"), toolsets: r.group(root, "toolsets")}
	r.servers(root)
	r.providers(root.Get("providers"))
	t.Permissions = r.permissions(root.Get("permissions"), "permissions")
	t.Models = r.models(root.Get("models"))
	agents := root.Get("agents")
	if !agents.IsNull() {
		t.Agents = r.agents(agents)
		r.links(t)
	}
	t.Ignored = r.ignored
	return t
}

// group is a mapping of the file whose members are looked up by name.
func (r *reader) group(root *yamldoc.Node, name string) *yamldoc.Node {
	n := root.Get(name)
	if !n.IsNull() && n.Kind != yamldoc.Map {
		r.problem(n.Line, "write a mapping", "%s is %s", name, n.Kind)
		return nil
	}
	return n
}

func (r *reader) runtime(n *yamldoc.Node) { r.keys(n, "runtime", keysOf("runtime")) }

func (r *reader) permissions(n *yamldoc.Node, path string) Permissions {
	if !r.keys(n, path, keysOf("permissions")) {
		return Permissions{}
	}
	return Permissions{
		Allow: r.texts(n.Get("allow"), path+".allow"),
		Ask:   r.texts(n.Get("ask"), path+".ask"),
		Deny:  r.texts(n.Get("deny"), path+".deny"),
	}
}

// links checks what agents say of each other and of models.
func (r *reader) links(t *Team) {
	names := make([]string, len(t.Agents))
	for i := range t.Agents {
		names[i] = t.Agents[i].Name
	}
	for i := range t.Agents {
		a := &t.Agents[i]
		path := "agents." + a.Name
		a.SubAgents = r.others(a, path+".sub_agents", a.SubAgents, names)
		a.Handoffs = r.others(a, path+".handoffs", a.Handoffs, names)
		if a.ForceHandoff != "" {
			r.others(a, path+".force_handoff", []string{a.ForceHandoff}, names)
		}
		r.modelOf(t, a)
	}
	r.circle(t)
}

// others checks a list of agents and returns it with each of them once.
func (r *reader) others(a *Agent, path string, list, names []string) []string {
	var out []string
	for _, name := range list {
		switch {
		case name == a.Name:
			r.problem(a.Line, "name another agent", "%s names the agent itself", path)
		case slices.Contains(names, name):
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		case strings.ContainsAny(name, "/:"):
			r.problem(a.Line, "declare the agent in this file", "%s names %q: checkrein does not download agents", path, name)
		default:
			r.problem(a.Line, "the file has "+strings.Join(names, ", "), "%s names %q, which the file does not declare%s", path, name, suggest.Hint(name, names))
		}
	}
	return out
}

func (r *reader) modelOf(t *Team, a *Agent) {
	path := "agents." + a.Name + ".model"
	r.modelNamed(t, a, path, a.Model)
	for _, ref := range a.Fallback.Models {
		r.modelNamed(t, a, "agents."+a.Name+".fallback.models", ref)
	}
}

func (r *reader) modelNamed(t *Team, a *Agent, path, ref string) {
	if m, ok := t.Model(ref); isHarness(ref) && !ok || isHarness(m.Provider) {
		r.problem(a.Line, noHarness(), "%s is %q, which is a coding agent, not a model", path, ref)
		return
	}
	if _, ok := t.Model(ref); ok {
		if strings.Contains(ref, ",") {
			r.problem(a.Line, "name one model", "%s is %q: checkrein does not run several models in turn", path, ref)
		}
		r.adopt(t, ref)
		return
	}
	names := make([]string, len(t.Models))
	for i, m := range t.Models {
		names[i] = m.Name
	}
	const remedy = "write provider/model, such as scripted/demo"
	switch ref {
	case "":
		r.problem(a.Line, remedy, "agents.%s has no model", a.Name)
		r.problems[len(r.problems)-1].NoModel = !a.emptyModel
	case "auto":
		r.problem(a.Line, remedy, "%s is auto: checkrein does not choose a model by what is installed", path)
	default:
		r.problem(a.Line, remedy, "%s is %q, which the file does not list under models%s", path, ref, suggest.Hint(ref, names))
	}
}

// adopt adds a model that is named as provider/model to the team's models when
// the provider is one that the file describes.
func (r *reader) adopt(t *Team, ref string) {
	if slices.ContainsFunc(t.Models, func(m Model) bool { return m.Name == ref }) {
		return
	}
	m, _ := t.Model(ref)
	if p, ok := r.provider(m.Provider); ok {
		inherit(&m, p)
		t.Models = append(t.Models, m)
	}
}

// circle finds agents whose forced handoffs come back to where they began: such
// a conversation would never end.
func (r *reader) circle(t *Team) {
	for i := range t.Agents {
		way := []string{t.Agents[i].Name}
		for at := &t.Agents[i]; at != nil && at.ForceHandoff != "" && at.ForceHandoff != at.Name; {
			next := at.ForceHandoff
			if back := slices.Index(way, next); back >= 0 {
				if back == 0 && next == slices.Min(way) { // each circle once, not from each of its agents
					r.problem(t.Agents[i].Line, "remove force_handoff from one of them", "force_handoff forms a loop: %s", strings.Join(append(way, next), " → "))
				}
				break
			}
			way = append(way, next)
			at, _ = t.Agent(next)
		}
	}
}
