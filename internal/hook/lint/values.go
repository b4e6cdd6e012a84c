package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// checkValues finds values that a field never has.
func (p *pass) checkValues() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.op != "is" && t.op != "in" {
			continue
		}
		for _, n := range t.textValues() {
			switch {
			case t.field == "event" && t.row.Kind != checkrein.Other && n.Text != t.row.Name:
				p.addEntryFinding(t.entry, n, "leave it out: the hook is already on "+t.row.Name, "the event is always %s here, never %q", t.row.Name, n.Text)
			case t.field == "radius" && !slices.Contains(impactNames, n.Text):
				p.addEntryFinding(t.entry, n, "write "+strings.Join(impactNames, ", "), "radius is never %q%s", n.Text, suggest.Hint(n.Text, impactNames))
			}
		}
	}
}

var impactNames = []string{"low", "medium", "high", "unknown"}

// checkEffects finds conditions on unknown effects.
func (p *pass) checkEffects() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "effects" || t.op != "is" && t.op != "in" && t.op != "contains" || p.Effects == nil {
			continue
		}
		for _, n := range t.textValues() {
			known := slices.Contains(p.Effects, n.Text)
			if t.op == "contains" {
				known = slices.ContainsFunc(p.Effects, func(e string) bool { return strings.Contains(e, n.Text) })
			}
			if !known {
				p.addEntryFinding(t.entry, n, "to list the effects, run checkrein docs categories", "unknown effect %q%s", n.Text, suggest.Hint(n.Text, p.Effects))
			}
		}
	}
}

// checkHosts finds conditions on unknown hosts.
func (p *pass) checkHosts() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "host" || t.op != "is" && t.op != "in" || p.Hosts == nil {
			continue
		}
		for _, n := range t.textValues() {
			if slices.Contains(p.Hosts, n.Text) {
				continue
			}
			hint := suggest.Hint(n.Text, p.Hosts)
			for _, h := range p.Hosts {
				if hint == "" && strings.HasPrefix(n.Text, h) {
					hint = fmt.Sprintf(", did you mean %q?", h)
				}
			}
			p.addEntryFinding(t.entry, n, "must be one of "+strings.Join(p.Hosts, ", "), "unknown agent %q%s", n.Text, hint)
		}
	}
}

// acceptedTools returns the known tools that matcher accepts by their canonical names or by those of
// hosts. It returns nil if the matcher accepts all tools or is invalid.
func acceptedTools(matcher *yamldoc.Node) []checkrein.Tool {
	m, err := match.CompileTool(matcher.ScalarText(), false)
	if err != nil || m.MatchesAll() {
		return nil
	}
	var out []checkrein.Tool
	tools.EachName(func(native, canonical string) {
		tool := checkrein.Tool{Name: native, Canonical: canonical}
		if m.Match(&tool, "") {
			out = append(out, tool)
		}
	})
	return out
}

// checkToolNames finds matchers that list a tool by a name that only some hosts use for it. Entries in
// the dialect of a host or for certain hosts are left out.
func (p *pass) checkToolNames() {
	for i := range p.entries {
		e := &p.entries[i]
		if e.matcher.IsNull() || acceptedTools(e.matcher) == nil || e.node.Get("dialect") != nil || slices.ContainsFunc(p.tests, func(t test) bool { return t.entry == e && t.field == "host" }) {
			continue
		}
		names := strings.Split(e.matcher.ScalarText(), "|")
		for j, name := range names {
			canonical := tools.CanonicalTool(name)
			if canonical == "" || strings.HasPrefix(canonical, "mcp:") || slices.Contains(names, canonical) {
				continue
			}
			names[j] = canonical
			p.addEntryFinding(e, e.matcher, "write '"+strings.Join(names, "|")+"'", "%q is the name that some agents have for %s; on the others the hook does not run", name, canonical)
			break
		}
	}
}

// checkPatches finds matchers for tools that write files which do not include patches, although an
// installed host writes files by patches. Entries with a condition on the command are left out,
// because they concern another tool.
func (p *pass) checkPatches() {
	if len(p.Patching) == 0 {
		return
	}
	for i := range p.entries {
		e := &p.entries[i]
		if e.matcher.IsNull() || e.row.Subject != checkrein.SubjectTool {
			continue
		}
		writes, patches := false, slices.ContainsFunc(p.tests, func(t test) bool { return t.entry == e && t.field == "command" })
		for _, tool := range acceptedTools(e.matcher) {
			writes = writes || tool.Canonical == "write" || tool.Canonical == "edit"
			patches = patches || tool.Canonical == "patch"
		}
		if writes && !patches {
			p.addEntryFinding(e, e.matcher, "write "+e.matcher.ScalarText()+"|patch, or leave the matcher out and match on paths", "%q does not match the patch tool, but %s changes files with patches", e.matcher.ScalarText(), strings.Join(p.Patching, ", "))
		}
	}
}

// checkTools finds entries whose matcher and condition are for different tools, so that they never
// run.
func (p *pass) checkTools() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "tool" || t.op != "is" && t.op != "in" || t.not || t.scope != 0 || t.matcher.IsNull() {
			continue
		}
		accepted := acceptedTools(t.matcher)
		if accepted == nil || slices.ContainsFunc(accepted, func(tool checkrein.Tool) bool {
			return slices.ContainsFunc(t.textValues(), func(n *yamldoc.Node) bool { return n.Text == tool.Canonical })
		}) {
			continue
		}
		p.addEntryFinding(t.entry, t.want, "keep only the matcher or only the condition", "the matcher %q and the condition on tool (%s) exclude each other, so the hook never runs", t.matcher.ScalarText(), strings.Trim(string(t.want.JSON()), `"[]`))
	}
}
