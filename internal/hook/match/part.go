package match

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Part explains whether one part of a hook's condition holds, for users who want to know why a hook
// ran. Evaluating a condition does not create Parts.
type Part struct {
	// Name is all, any or not, which have Parts, or what was compared: event, matcher, arguments,
	// payload, or the name of a field.
	Name  string
	Op    string   // the operator; "" if the part has Parts
	Want  []string // the condition's values, one of which must match
	Seen  []string // the event's values; empty if it has none
	Hit   int      // the 1-based index of the value in Seen that matched; 0 if none did, or no single value decides
	Holds bool
	Fix   string // how to change the condition so that it holds, if that is obvious
	Parts []Part
}

// String returns the part as one line with a mark: ✓ command regex '^git': seen 'git push'.
func (p *Part) String() string {
	if p.Holds {
		return "✓ " + p.Text()
	}
	return "✗ " + p.Text()
}

// Text returns the line of String without its mark.
func (p *Part) Text() string {
	if p.Op == "" {
		return p.Name
	}
	if p.Name == "event" && p.Holds {
		return p.Name + " " + p.Want[0]
	}
	text := p.Name + " " + p.Op + " " + joinQuoted(p.Want)
	if p.Op == "exists" && p.Holds {
		return text
	}
	switch {
	case len(p.Seen) == 0:
		return text + ": the event has no such value"
	case p.Hit > 0 && len(p.Seen) > 1:
		return text + ": " + quote(p.Seen[p.Hit-1]) + ", one of " + joinQuoted(p.Seen)
	case p.Hit > 0:
		return text + ": " + quote(p.Seen[0])
	case len(p.Seen) > 1:
		return text + ": none of " + joinQuoted(p.Seen)
	}
	return text + ": it is " + quote(p.Seen[0])
}

func joinQuoted(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return strings.Join(quoted, ", ")
}

// Parts explains for each part of the condition whether it holds for the event of v: by SurelyHolds if
// sure is set, otherwise by Holds.
func (c *Cond) Parts(v *View, sure bool) []Part {
	if c.root == nil {
		return nil
	}
	if all, ok := c.root.(allOf); ok {
		return partsOf(all, v, sure)
	}
	return []Part{c.root.explain(v, sure)}
}

func partsOf(nodes []node, v *View, sure bool) []Part {
	out := make([]Part, len(nodes))
	for i, n := range nodes {
		out[i] = n.explain(v, sure)
	}
	return out
}

func (n allOf) explain(v *View, sure bool) Part {
	return Part{Name: "all", Holds: n.holds(v, sure), Parts: partsOf(n, v, sure)}
}

func (n anyOf) explain(v *View, sure bool) Part {
	return Part{Name: "any", Holds: n.holds(v, sure), Parts: partsOf(n, v, sure)}
}

func (n not) explain(v *View, sure bool) Part {
	inner := n.node.explain(v, !sure)
	inner.clearFixes() // the inner condition is supposed to fail
	return Part{Name: "not", Holds: n.holds(v, sure), Parts: []Part{inner}}
}

// clearFixes clears Fix in p and in all of its parts.
func (p *Part) clearFixes() {
	p.Fix = ""
	for i := range p.Parts {
		p.Parts[i].clearFixes()
	}
}

// explain explains whether the test holds for v, with the values that were compared.
func (n *test) explain(v *View, sure bool) Part {
	p := Part{Name: strings.TrimSuffix(n.field.name, ".") + fieldSuffix(n.field, n.rest), Op: n.op.name, Want: n.want.texts(n.op.name), Holds: n.holds(v, sure)}
	got := n.field.get(v, n.rest)
	p.Seen = got.texts()
	if n.op.name == "exists" {
		return p
	}
	if n.field.name == "paths" {
		for i := range p.Seen {
			p.Seen[i] = v.absPath(p.Seen[i])
		}
	}
	for i, s := range p.Seen {
		if p.Holds && (n.field.name == "paths" && n.pathHolds(v, s, sure) || n.op.holds(v, s, &n.want)) {
			p.Hit = i + 1
			break
		}
	}
	if !p.Holds {
		p.Fix = n.suggestFix(p.Seen)
	}
	return p
}

// fieldSuffix returns "." and rest if f is a field with dotted names such as tool_input, otherwise "".
func fieldSuffix(f *field, rest string) string {
	if strings.HasSuffix(f.name, ".") {
		return "." + rest
	}
	return ""
}

// texts returns the strings that operators compare.
func (x *value) texts() []string {
	switch x.kind {
	case isText:
		return []string{x.text}
	case isList:
		return append([]string(nil), x.list...)
	case isRaw:
		if rawjson.Kind(x.raw) != '[' {
			return []string{plainText(x.raw)}
		}
		var out []string
		rawjson.Elements(x.raw, func(_ int, e []byte) bool {
			out = append(out, plainText(e))
			return true
		})
		return out
	}
	return nil
}

// texts returns the values of the operand of the operator op, for display.
func (o *operand) texts(op string) []string {
	switch {
	case op == "exists":
		return []string{strconv.FormatBool(o.flag)}
	case o.list != nil:
		return o.list
	case o.text != "" || op == "is":
		return []string{o.text}
	}
	return []string{strconv.FormatFloat(o.num, 'f', -1, 64)}
}

// Part explains whether t, compiled from expr, accepts the tool, and by which of its names; see Match.
func (t *Tool) Part(expr string, tool *checkrein.Tool, local string) Part {
	p := Part{Name: "matcher", Op: "is", Want: []string{expr}, Holds: t.Match(tool, local)}
	if t.re != nil {
		p.Op = "regex"
	} else {
		p.Want = t.names
	}
	if tool == nil {
		return p
	}
	for _, name := range [...]string{tool.Name, tool.Canonical, local} {
		if name == "" || contains(p.Seen, name) {
			continue
		}
		p.Seen = append(p.Seen, name)
		if p.Hit == 0 && t.matchesName(name) {
			p.Hit = len(p.Seen)
		}
	}
	if !p.Holds {
		if p.Fix = suggestCase(expr, p.Seen); p.Fix == "" && tool.Canonical == "patch" && (t.matchesName("write") || t.matchesName("edit")) {
			p.Fix = "write " + expr + "|patch, or leave the matcher out and match on paths"
		}
	}
	return p
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// Part explains whether expr, from which s was compiled, matches any string in the JSON value val. The
// part is called name.
func (s *Search) Part(name, expr string, val []byte) Part {
	p := Part{Name: name, Op: "regex", Want: []string{expr}}
	rawjson.EachStringValue(val, func(text string) bool {
		p.Seen = append(p.Seen, text)
		if s.re.matches(text) {
			p.Holds, p.Hit = true, len(p.Seen)
		}
		return !p.Holds
	})
	return p
}
