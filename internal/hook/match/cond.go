package match

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Cond is a compiled condition. The zero Cond always holds.
type Cond struct{ root node }

// A node is a part of a compiled condition. If sure is set, because the condition allows something, a
// test of a path must hold both for the path as written and for its target after symlinks.
type node interface {
	holds(v *View, sure bool) bool
	explain(v *View, sure bool) Part
}

type (
	allOf []node
	anyOf []node
	not   struct{ node }
	test  struct {
		field *field
		rest  string
		op    *operator
		want  operand
	}
)

func (n allOf) holds(v *View, sure bool) bool {
	for _, k := range n {
		if !k.holds(v, sure) {
			return false
		}
	}
	return true
}

func (n anyOf) holds(v *View, sure bool) bool {
	for _, k := range n {
		if k.holds(v, sure) {
			return true
		}
	}
	return false
}

func (n not) holds(v *View, sure bool) bool { return !n.node.holds(v, !sure) }

// holds applies the operator to the field's value. For a list, it reports whether the operator holds
// for any element.
func (n *test) holds(v *View, sure bool) bool {
	if n.field.name == "paths" && n.op.name != "exists" {
		return v.pathsHold(n, sure)
	}
	got := n.field.get(v, n.rest)
	if n.op.name == "exists" {
		return (got.kind != absent) == n.want.flag
	}
	switch got.kind {
	case isText:
		return n.op.holds(v, got.text, &n.want)
	case isList:
		for _, s := range got.list {
			if n.op.holds(v, s, &n.want) {
				return true
			}
		}
	case isRaw:
		return n.rawHolds(v, got.raw)
	}
	return false
}

// rawHolds applies the operator to the JSON value val, or to the elements of an array until it holds
// for one.
func (n *test) rawHolds(v *View, val []byte) bool {
	if rawjson.Kind(val) != '[' {
		return n.op.holds(v, plainText(val), &n.want)
	}
	found := false
	rawjson.Elements(val, func(_ int, e []byte) bool {
		found = n.op.holds(v, plainText(e), &n.want)
		return !found
	})
	return found
}

// plainText returns the JSON value val as operators compare it: a string without its quotes, any other
// value as written.
func plainText(val []byte) string {
	if s, ok := rawjson.Text(val); ok {
		return s
	}
	return string(val)
}

// Holds reports whether the condition holds for the event of v.
func (c *Cond) Holds(v *View) bool { return c.root == nil || c.root.holds(v, false) }

// SurelyHolds is like Holds, for conditions that allow something: a test of a path must hold both for
// the path as written and for its target after symlinks.
func (c *Cond) SurelyHolds(v *View) bool { return c.root == nil || c.root.holds(v, true) }

// maxCondDepth limits nesting; deeper conditions are unreadable.
const maxCondDepth = 32

// CompileCond compiles the condition src, a JSON object, for events with the contract row. An empty
// src always holds. The error joins all mistakes in it.
func CompileCond(src []byte, row *checkrein.Contract) (Cond, error) {
	if len(src) == 0 {
		return Cond{}, nil
	}
	c := compiler{r: rawjson.NewReader(src), row: row}
	root, err := c.compileCond(0)
	if err != nil {
		return Cond{}, err
	}
	return Cond{root}, nil
}

// A compiler reads a condition in one pass. Each of its methods reads the current value and moves past
// it, even if the value is invalid.
type compiler struct {
	r   rawjson.Reader
	row *checkrein.Contract
}

// compileCond compiles an object whose keys are fields or all, any and not.
func (c *compiler) compileCond(depth int) (node, error) {
	if depth > maxCondDepth {
		c.r.Value()
		return nil, fmt.Errorf("if: nested more than %d levels deep", maxCondDepth)
	}
	if c.r.Kind() != '{' {
		return nil, fmt.Errorf("if: %s is not a valid condition: write {field: {operator: value}}", c.r.Value())
	}
	var room [4]node
	g := collector{nodes: room[:0]}
	c.r.Enter()
	for key, ok := c.r.Key(); ok; key, ok = c.r.Key() {
		g.add(c.compileMember(key, depth))
	}
	if g.isEmpty() {
		return nil, errors.New("if: empty condition: leave it out, or write {field: {operator: value}}")
	}
	return g.conjunction()
}

// A collector collects compiled nodes, and the errors of those that did not compile. Its first nodes
// are on the caller's stack, since most conditions have only one or two.
type collector struct {
	nodes []node
	errs  []error
}

// add adds err if it is not nil, otherwise n.
func (g *collector) add(n node, err error) {
	if err != nil {
		g.errs = append(g.errs, err)
		return
	}
	g.nodes = append(g.nodes, n)
}

// isEmpty reports whether no node and no error was added.
func (g *collector) isEmpty() bool { return len(g.nodes)+len(g.errs) == 0 }

// copyNodes returns a copy of the nodes and the joined errors.
func (g *collector) copyNodes() ([]node, error) { return slices.Clone(g.nodes), errors.Join(g.errs...) }

// conjunction returns a node that holds if all collected nodes do, and the joined errors.
func (g *collector) conjunction() (node, error) {
	if len(g.errs) == 0 && len(g.nodes) == 1 {
		return g.nodes[0], nil
	}
	list, err := g.copyNodes()
	return allOf(list), err
}

// compileMember compiles the value of one key of a condition.
func (c *compiler) compileMember(key []byte, depth int) (node, error) {
	switch string(key) {
	case "all":
		kids, err := c.compileList(key, depth)
		return allOf(kids), err
	case "any":
		kids, err := c.compileList(key, depth)
		return anyOf(kids), err
	case "not":
		n, err := c.compileCond(depth + 1)
		return not{n}, err
	}
	return c.compileTests(key)
}

// compileList compiles the list of conditions of all or any.
func (c *compiler) compileList(key []byte, depth int) ([]node, error) {
	if c.r.Kind() != '[' {
		return nil, fmt.Errorf("if: %s must be a list of conditions, not %s", key, c.r.Value())
	}
	var room [4]node
	g := collector{nodes: room[:0]}
	c.r.Enter()
	for c.r.NextElement() {
		g.add(c.compileCond(depth + 1))
	}
	if g.isEmpty() {
		return nil, fmt.Errorf("if: %s needs at least one condition", key)
	}
	return g.copyNodes()
}

// compileTests compiles the operators of a field.
func (c *compiler) compileTests(name []byte) (node, error) {
	f, rest, ok := lookupField(name, c.row)
	if !ok {
		c.r.Value()
		return nil, fmt.Errorf("if: %w", unknownFieldError(string(name), c.row))
	}
	if c.r.Kind() != '{' {
		return nil, fmt.Errorf("if: %s: write {%s: {is: %s}}", name, name, c.r.Value())
	}
	var room [4]node
	g := collector{nodes: room[:0]}
	c.r.Enter()
	for op, ok := c.r.Key(); ok; op, ok = c.r.Key() {
		t, err := compileTest(f, rest, name, op, c.r.Value())
		g.add(t, err)
	}
	if g.isEmpty() {
		return nil, fmt.Errorf("if: %s: the operator is missing: use one of %s", name, strings.Join(operatorNames(), ", "))
	}
	return g.conjunction()
}

// unknownFieldError returns the error for a field that events with the contract row do not have.
func unknownFieldError(name string, row *checkrein.Contract) error {
	known := FieldNames(row)
	if hint := suggest.Hint(name, known); hint != "" {
		return fmt.Errorf("unknown field %q on %s%s", name, row.Name, hint)
	}
	return fmt.Errorf("unknown field %q on %s: must be one of %s", name, row.Name, strings.Join(known, ", "))
}

// compileTest compiles one operator of a field with its operand.
func compileTest(f *field, rest string, name, op, want []byte) (*test, error) {
	o, ok := lookupOperator(op)
	if !ok {
		if why, is := rawjson.Text(want); is && len(op) == 0 { // see [checkrein.Condition.Test]
			return nil, fmt.Errorf("if: %s: %s", name, why)
		}
		if hint := suggest.Hint(string(op), operatorNames()); hint != "" {
			return nil, fmt.Errorf("if: %s: unknown operator %q%s", name, op, hint)
		}
		return nil, fmt.Errorf("if: %s: unknown operator %q: must be one of %s", name, op, strings.Join(operatorNames(), ", "))
	}
	if f.typ != anyField && o.types&(1<<f.typ) == 0 {
		return nil, fmt.Errorf("if: %s: the operator %s does not apply to this field", name, op)
	}
	w, err := o.read(f, want)
	if err == nil && f.name == "tool" {
		err = checkToolNames(o.name, &w)
	}
	if err != nil {
		return nil, fmt.Errorf("if: %s: %s: %w", name, op, err)
	}
	return &test{field: f, rest: rest, op: o, want: w}, nil
}

// checkToolNames returns an error if the operand names a tool by a name that the field tool never has:
// an agent's own name for a tool with a canonical name, or a probable typo.
func checkToolNames(op string, w *operand) error {
	names := w.list
	if op == "is" {
		names = []string{w.text}
	} else if op != "in" {
		return nil
	}
	for _, n := range names {
		switch c := tools.CanonicalTool(n); {
		case c == n:
		case c != "":
			return fmt.Errorf("%q is an agent's own tool name: write %q, or use tool_name", n, c)
		default:
			if hint := suggest.Hint(n, canonicalToolNames()); hint != "" {
				return fmt.Errorf("unknown tool %q%s For a tool with exactly that name, use tool_name", n, hint)
			}
		}
	}
	return nil
}

// canonicalToolNames returns the canonical names of all known tools.
func canonicalToolNames() []string {
	var out []string
	tools.EachName(func(_, canonical string) {
		if !slices.Contains(out, canonical) {
			out = append(out, canonical)
		}
	})
	return out
}

// parseNumber parses a number, with or without the quotes of a JSON string, because hosts send both.
func parseNumber(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}
