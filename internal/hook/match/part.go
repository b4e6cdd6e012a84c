package match

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Part explains whether one part of a hook's condition held. It is for people who want to know why a
// hook ran; evaluating a condition creates none.
type Part struct {
	// Name is all, any or not, which have Parts, or what was compared: event, matcher, arguments,
	// payload, or a field.
	Name  string
	Op    string   // the comparison; "" if it has Parts
	Want  []string // the values it was compared with; one of several is enough
	Seen  []string // the values that were compared; none if the event has no such value
	Hit   int      // which of them it held for, from 1; 0 if none, or if no single value decides
	Holds bool
	Fix   string // the change with which it would hold, if that is obvious
	Parts []Part
}

// String returns the part as a line: ✓ command regex '^git': seen 'git push'.
func (p *Part) String() string {
	if p.Holds {
		return "✓ " + p.Text()
	}
	return "✗ " + p.Text()
}

// Text is String without the mark.
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

// Parts returns for each part of a condition whether it holds for the event of v. Sure is as in
// SurelyHolds.
func (c *Cond) Parts(v *View, sure bool) []Part {
	if c.root == nil {
		return nil
	}
	if all, ok := c.root.(allOf); ok {
		return partsOf(all, v, sure)
	}
	return []Part{c.root.part(v, sure)}
}

func partsOf(nodes []node, v *View, sure bool) []Part {
	out := make([]Part, len(nodes))
	for i, n := range nodes {
		out[i] = n.part(v, sure)
	}
	return out
}

func (n allOf) part(v *View, sure bool) Part {
	return Part{Name: "all", Holds: n.holds(v, sure), Parts: partsOf(n, v, sure)}
}

func (n anyOf) part(v *View, sure bool) Part {
	return Part{Name: "any", Holds: n.holds(v, sure), Parts: partsOf(n, v, sure)}
}

func (n not) part(v *View, sure bool) Part {
	inner := n.node.part(v, !sure)
	inner.clearFixes() // inside a not, failing is right
	return Part{Name: "not", Holds: n.holds(v, sure), Parts: []Part{inner}}
}

// clearFixes removes the fixes of a part and of its parts.
func (p *Part) clearFixes() {
	p.Fix = ""
	for i := range p.Parts {
		p.Parts[i].clearFixes()
	}
}

func (n *test) part(v *View, sure bool) Part {
	p := Part{Name: strings.TrimSuffix(n.field.name, ".") + fieldSuffix(n.field, n.rest), Op: n.op.name, Want: n.want.texts(n.op.name), Holds: n.holds(v, sure)}
	got := n.field.get(v, n.rest)
	p.Seen = got.texts()
	if n.op.name == "exists" {
		return p
	}
	if n.field.name == "paths" {
		for i := range p.Seen {
			p.Seen[i] = v.abs(p.Seen[i])
		}
	}
	for i, s := range p.Seen {
		if p.Holds && n.op.holds(v, s, &n.want) {
			p.Hit = i + 1
			break
		}
	}
	if !p.Holds {
		p.Fix = n.suggestFix(p.Seen)
	}
	return p
}

// fieldSuffix returns the rest of a name such as tool_input.command.
func fieldSuffix(f *field, rest string) string {
	if strings.HasSuffix(f.name, ".") {
		return "." + rest
	}
	return ""
}

// texts returns the texts of a value, as operators compare them.
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

// texts returns the operand as it is written.
func (o *operand) texts(op string) []string {
	switch {
	case op == "exists":
		return []string{strconv.FormatBool(o.flag)}
	case o.list != nil:
		return o.list
	case o.text != "":
		return []string{o.text}
	}
	return []string{strconv.FormatFloat(o.num, 'f', -1, 64)}
}

// Part reports whether a matcher accepts a tool, and by which of its names; see Match.
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

// Part reports whether the expression is found in any string of a JSON value.
func (s *Search) Part(name, expr string, val []byte) Part {
	p := Part{Name: name, Op: "regex", Want: []string{expr}}
	rawjson.Strings(val, func(text string) bool {
		p.Seen = append(p.Seen, text)
		if s.re.matches(text) {
			p.Holds, p.Hit = true, len(p.Seen)
		}
		return !p.Holds
	})
	return p
}
