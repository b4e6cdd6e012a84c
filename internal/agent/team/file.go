package team

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// sharedParts holds the parts of a file that agents and models refer to by name.
type sharedParts struct {
	commands, toolsets, mcps *yamldoc.Node
	providers                []Model // with the provider's name as Name
}

// readTeam reads the whole file. Problems are added to r.
func (r *reader) readTeam(root *yamldoc.Node) *Team {
	t := &Team{File: r.file}
	if root.IsNull() || root.Kind == yamldoc.Map && root.Get("agents").IsNull() {
		r.addProblem(max(1, root.Line), "write agents: {root: {…}}", "the file declares no agents")
	}
	if !r.checkKeys(root, "", keysOf("file")) {
		return t
	}
	r.checkRuntime(root.Get("runtime"))
	r.shared = sharedParts{commands: r.findMapping(root, "commands"), toolsets: r.findMapping(root, "toolsets")}
	r.checkServers(root)
	r.readProviders(root.Get("providers"))
	t.Permissions = r.readPermissions(root.Get("permissions"), "permissions")
	t.Models = r.readModels(root.Get("models"))
	agents := root.Get("agents")
	if !agents.IsNull() {
		t.Agents = r.readAgents(agents)
		r.checkReferences(t)
	}
	t.Ignored = r.ignored
	return t
}

// findMapping returns the mapping name of the file. It returns nil if there is none, or adds a problem
// if it is not a mapping.
func (r *reader) findMapping(root *yamldoc.Node, name string) *yamldoc.Node {
	n := root.Get(name)
	if !n.IsNull() && n.Kind != yamldoc.Map {
		r.addProblem(n.Line, "write a mapping", "%s is %s", name, n.Kind)
		return nil
	}
	return n
}

// checkRuntime checks the keys of the file's runtime section.
func (r *reader) checkRuntime(n *yamldoc.Node) { r.checkKeys(n, "runtime", keysOf("runtime")) }

// readPermissions reads lists of rules for tool calls.
func (r *reader) readPermissions(n *yamldoc.Node, path string) Permissions {
	if !r.checkKeys(n, path, keysOf("permissions")) {
		return Permissions{}
	}
	return Permissions{
		Allow: r.readTexts(n.Get("allow"), path+".allow"),
		Ask:   r.readTexts(n.Get("ask"), path+".ask"),
		Deny:  r.readTexts(n.Get("deny"), path+".deny"),
	}
}

// checkReferences checks what the agents of t refer to: other agents and models.
func (r *reader) checkReferences(t *Team) {
	names := make([]string, len(t.Agents))
	for i := range t.Agents {
		names[i] = t.Agents[i].Name
	}
	for i := range t.Agents {
		a := &t.Agents[i]
		path := "agents." + a.Name
		a.SubAgents = r.checkAgentNames(a, path+".sub_agents", a.SubAgents, names)
		a.Handoffs = r.checkAgentNames(a, path+".handoffs", a.Handoffs, names)
		if a.ForceHandoff != "" {
			r.checkAgentNames(a, path+".force_handoff", []string{a.ForceHandoff}, names)
		}
		r.checkModels(t, a)
	}
	r.checkHandoffLoops(t)
}

// checkAgentNames adds a problem for each name in list that is not in names or is that of a itself. It
// returns the valid names without duplicates.
func (r *reader) checkAgentNames(a *Agent, path string, list, names []string) []string {
	var out []string
	for _, name := range list {
		switch {
		case name == a.Name:
			r.addProblem(a.Line, "name another agent", "%s names the agent itself", path)
		case slices.Contains(names, name):
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		case strings.ContainsAny(name, "/:"):
			r.addProblem(a.Line, "declare the agent in this file", "%s names %q: checkrein does not download agents", path, name)
		default:
			r.addProblem(a.Line, "the file has "+strings.Join(names, ", "), "%s names %q, which the file does not declare%s", path, name, suggest.Hint(name, names))
		}
	}
	return out
}

// checkModels checks the models that a names.
func (r *reader) checkModels(t *Team, a *Agent) {
	path := "agents." + a.Name + ".model"
	r.checkModelRef(t, a, path, a.Model)
	for _, ref := range a.Fallback.Models {
		r.checkModelRef(t, a, "agents."+a.Name+".fallback.models", ref)
	}
}

// checkModelRef adds a problem if ref, which a names at path, does not refer to a supported model.
func (r *reader) checkModelRef(t *Team, a *Agent, path, ref string) {
	if m, ok := t.Model(ref); isHarness(ref) && !ok || isHarness(m.Provider) {
		r.addProblem(a.Line, harnessRemedy(), "%s is %q, which is a coding agent, not a model", path, ref)
		return
	}
	if _, ok := t.Model(ref); ok {
		if strings.Contains(ref, ",") {
			r.addProblem(a.Line, "name one model", "%s is %q: checkrein does not run several models in turn", path, ref)
		}
		r.addProviderModel(t, ref)
		return
	}
	names := make([]string, len(t.Models))
	for i, m := range t.Models {
		names[i] = m.Name
	}
	const remedy = "write provider/model, such as scripted/demo"
	switch ref {
	case "":
		r.addProblem(a.Line, remedy, "agents.%s has no model", a.Name)
		r.problems[len(r.problems)-1].NoModel = !a.emptyModel
	case "auto":
		r.addProblem(a.Line, remedy, "%s is auto: checkrein does not choose a model by what is installed", path)
	default:
		r.addProblem(a.Line, remedy, "%s is %q, which the file does not list under models%s", path, ref, suggest.Hint(ref, names))
	}
}

// addProviderModel adds the model ref, in the form provider/model, to the models of t if the file
// describes the provider.
func (r *reader) addProviderModel(t *Team, ref string) {
	if slices.ContainsFunc(t.Models, func(m Model) bool { return m.Name == ref }) {
		return
	}
	m, _ := t.Model(ref)
	if p, ok := r.findProvider(m.Provider); ok {
		inheritProvider(&m, p)
		t.Models = append(t.Models, m)
	}
}

// checkHandoffLoops reports agents whose forced handoffs form a loop, since such a conversation would
// never end.
func (r *reader) checkHandoffLoops(t *Team) {
	for i := range t.Agents {
		way := []string{t.Agents[i].Name}
		for at := &t.Agents[i]; at != nil && at.ForceHandoff != "" && at.ForceHandoff != at.Name; {
			next := at.ForceHandoff
			if back := slices.Index(way, next); back >= 0 {
				if back == 0 && next == slices.Min(way) { // report each loop once
					r.addProblem(t.Agents[i].Line, "remove force_handoff from one of them", "force_handoff forms a loop: %s", strings.Join(append(way, next), " → "))
				}
				break
			}
			way = append(way, next)
			at, _ = t.Agent(next)
		}
	}
}
