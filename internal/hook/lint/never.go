package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// values finds values that a field never has.
func (p *pass) values() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.op != "is" && t.op != "in" {
			continue
		}
		for _, n := range t.texts() {
			switch {
			case t.field == "event" && t.row.Kind != checkrein.Other && n.Text != t.row.Name:
				p.at(t.entry, n, "leave it out: the hook is already on "+t.row.Name, "the event is always %s here, never %q", t.row.Name, n.Text)
			case t.field == "radius" && !slices.Contains(radii, n.Text):
				p.at(t.entry, n, "write "+strings.Join(radii, ", "), "radius is never %q%s", n.Text, suggest.Hint(n.Text, radii))
			}
		}
	}
}

var radii = []string{"low", "medium", "high", "unknown"}

func (p *pass) effects() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "effects" || t.op != "is" && t.op != "in" || p.Effects == nil {
			continue
		}
		for _, n := range t.texts() {
			if !slices.Contains(p.Effects, n.Text) {
				p.at(t.entry, n, "to list the effects, run checkrein docs categories", "unknown effect %q%s", n.Text, suggest.Hint(n.Text, p.Effects))
			}
		}
	}
}

func (p *pass) hosts() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "host" || t.op != "is" && t.op != "in" || p.Hosts == nil {
			continue
		}
		for _, n := range t.texts() {
			if slices.Contains(p.Hosts, n.Text) {
				continue
			}
			hint := suggest.Hint(n.Text, p.Hosts)
			for _, h := range p.Hosts {
				if hint == "" && strings.HasPrefix(n.Text, h) {
					hint = fmt.Sprintf(", did you mean %q?", h)
				}
			}
			p.at(t.entry, n, "must be one of "+strings.Join(p.Hosts, ", "), "unknown agent %q%s", n.Text, hint)
		}
	}
}

// single reports whether a field has one value at most, so that two tests are about
// the same one.
func (t *test) single() bool {
	switch t.field {
	case "command", "paths", "effects", "tool_response":
		return false
	}
	return !strings.HasPrefix(t.field, "tool_input.")
}

// contradictions finds tests of one conjunction that cannot hold together.
func (p *pass) contradictions() {
	for i := range p.tests {
		for j := range i {
			a, b := &p.tests[j], &p.tests[i]
			if a.entry != b.entry || a.scope != b.scope || a.field != b.field {
				continue
			}
			switch {
			case a.not != b.not && a.op == b.op && string(a.want.JSON()) == string(b.want.JSON()):
				p.at(b.entry, b.want, "remove one of the two", "the condition requires %s and also its opposite", a.says())
			case a.not || b.not:
			case excludes(a, b) || excludes(b, a):
				p.at(b.entry, b.want, "remove one of the two, or write any: [{…}, {…}]", "%s and %s contradict each other", a.says(), b.says())
			}
		}
	}
}

// excludes reports whether b can never hold where a does.
func excludes(a, b *test) bool {
	if a.op == "exists" {
		return a.want.Plain() == "false" && (b.op != "exists" || b.want.Plain() != a.want.Plain())
	}
	if !a.single() {
		return false
	}
	switch a.op {
	case "is", "in":
		return !slices.ContainsFunc(listed(a.want), func(n *yamldoc.Node) bool { return holds(b, n.Plain()) })
	case "prefix":
		return b.op == "prefix" && !strings.HasPrefix(a.want.Text, b.want.Text) && !strings.HasPrefix(b.want.Text, a.want.Text)
	case "suffix":
		return b.op == "suffix" && !strings.HasSuffix(a.want.Text, b.want.Text) && !strings.HasSuffix(b.want.Text, a.want.Text)
	case "gt", "ge":
		low, err := strconv.ParseFloat(a.want.Plain(), 64)
		high, wrong := strconv.ParseFloat(b.want.Plain(), 64)
		return err == nil && wrong == nil && (b.op == "lt" || b.op == "le") && (low > high || low == high && (a.op == "gt" || b.op == "lt"))
	}
	return false
}

// holds reports whether a test may hold for a value. What is not sure may.
func holds(t *test, value string) bool {
	in := func(fits func(string) bool) bool {
		return slices.ContainsFunc(listed(t.want), func(n *yamldoc.Node) bool { return fits(n.Plain()) })
	}
	switch t.op {
	case "is", "in":
		return in(func(s string) bool { return s == value })
	case "prefix":
		return strings.HasPrefix(value, t.want.Plain())
	case "suffix":
		return strings.HasSuffix(value, t.want.Plain())
	case "contains":
		return strings.Contains(value, t.want.Plain())
	case "regex":
		re, err := regexp.Compile(t.want.Plain())
		return err != nil || re.MatchString(value)
	case "glob":
		return !t.isPath() || in(func(s string) bool { return match.PathGlob(s, value) })
	case "gt", "ge", "lt", "le":
		v, err := strconv.ParseFloat(value, 64)
		w, wrong := strconv.ParseFloat(t.want.Plain(), 64)
		if err != nil || wrong != nil {
			return wrong != nil
		}
		return t.op == "gt" && v > w || t.op == "ge" && v >= w || t.op == "lt" && v < w || t.op == "le" && v <= w
	}
	return true
}

// known are the tools that a matcher accepts, by our name and the hosts'.
func known(matcher *yamldoc.Node) []checkrein.Tool {
	m, err := match.CompileTool(matcher.Plain(), checkrein.MatchWhole)
	if err != nil || m.All() {
		return nil
	}
	var out []checkrein.Tool
	checkrein.KnownToolNames(func(native, canonical string) {
		tool := checkrein.Tool{Name: native, Canonical: canonical}
		if m.Match(&tool, "") {
			out = append(out, tool)
		}
	})
	return out
}

// patches finds matchers for tools that write files which leave out patches, by which some
// hosts write theirs. A condition on the command is about another tool.
func (p *pass) patches() {
	if len(p.Patching) == 0 {
		return
	}
	for i := range p.entries {
		e := &p.entries[i]
		if e.matcher.IsNull() || e.row.Subject != checkrein.SubjectTool {
			continue
		}
		writes, patches := false, slices.ContainsFunc(p.tests, func(t test) bool { return t.entry == e && t.field == "command" })
		for _, tool := range known(e.matcher) {
			writes = writes || tool.Canonical == "write" || tool.Canonical == "edit"
			patches = patches || tool.Canonical == "patch"
		}
		if writes && !patches {
			p.at(e, e.matcher, "write "+e.matcher.Plain()+"|patch, or leave the matcher out and match on paths", "%q does not match the patch tool, but %s changes files with patches", e.matcher.Plain(), strings.Join(p.Patching, ", "))
		}
	}
}

// tools finds a matcher and a condition that are about different tools.
func (p *pass) tools() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "tool" || t.op != "is" && t.op != "in" || t.not || t.scope != 0 || t.matcher.IsNull() {
			continue
		}
		accepted := known(t.matcher)
		if accepted == nil || slices.ContainsFunc(accepted, func(tool checkrein.Tool) bool {
			return slices.ContainsFunc(t.texts(), func(n *yamldoc.Node) bool { return n.Text == tool.Canonical })
		}) {
			continue
		}
		p.at(t.entry, t.want, "keep only the matcher or only the condition", "the matcher %q and the condition on tool (%s) exclude each other, so the hook never runs", t.matcher.Plain(), strings.Trim(string(t.want.JSON()), `"[]`))
	}
}

// noCommand finds conditions on the command of tools that have none.
func (p *pass) noCommand() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.field != "command" || t.not || t.scope != 0 || t.matcher.IsNull() {
			continue
		}
		accepted := known(t.matcher)
		if len(accepted) == 0 || slices.ContainsFunc(accepted, func(tool checkrein.Tool) bool {
			return tool.Canonical != "write" && tool.Canonical != "read" && tool.Canonical != "edit"
		}) {
			continue
		}
		p.at(t.entry, t.want, "write matcher: shell, or use paths", "the tools that %q matches have no command, so this condition is never true", t.matcher.Plain())
	}
}
