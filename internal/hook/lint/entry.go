package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An entry is a hook as a file declares it.
type entry struct {
	path, label string
	scope       checkrein.Scope
	row         *checkrein.Contract
	node        *yamldoc.Node
	matcher     *yamldoc.Node // its own or its group's; nil for every tool
}

// entriesOf returns the hooks of a file. The loader reports entries of the wrong form.
func entriesOf(f *File, root *yamldoc.Node) []entry {
	var out []entry
	events := root.Get("hooks")
	if events == nil {
		return nil
	}
	for _, ev := range events.Pairs {
		kind, known := hookfile.KindOf(ev.Key)
		row := checkrein.ContractOf(kind)
		if !known || row.Name != ev.Key {
			continue
		}
		count := 0
		add := func(n, matcher *yamldoc.Node) {
			count++
			e := entry{path: f.Path, scope: f.Scope, row: row, node: n, matcher: n.Get("matcher"), label: n.Get("name").ScalarText()}
			if e.matcher == nil {
				e.matcher = matcher
			}
			if e.label == "" {
				e.label = fmt.Sprintf("%s#%d", row.Name, count)
			}
			if n.Kind == yamldoc.Map {
				out = append(out, e)
			}
		}
		for _, item := range itemsOf(ev.Value) {
			if hooks := item.Get("hooks"); hooks != nil {
				for _, h := range itemsOf(hooks) {
					add(h, item.Get("matcher"))
				}
				continue
			}
			add(item, nil)
		}
	}
	return out
}

// itemsOf returns a list's items, or the single value in place of a list.
func itemsOf(n *yamldoc.Node) []*yamldoc.Node {
	switch {
	case n.IsNull():
		return nil
	case n.Kind == yamldoc.List:
		return n.Items
	}
	return []*yamldoc.Node{n}
}

// A test is a comparison of a condition.
type test struct {
	*entry
	field, op string
	want      *yamldoc.Node
	not       bool // it must not hold
	// scope is the conjunction that it is in: tests of one scope hold together.
	scope int
}

// texts returns the values that it compares with.
func (t *test) texts() []*yamldoc.Node {
	return slices.DeleteFunc(slices.Clone(itemsOf(t.want)), func(n *yamldoc.Node) bool { return n.Kind != yamldoc.Text })
}

// isPath reports whether the field holds paths.
func (t *test) isPath() bool { return t.field == "cwd" || t.field == "paths" }

// isPathArgument reports whether the field is an argument that holds a path.
func (t *test) isPathArgument() bool {
	name, ok := strings.CutPrefix(t.field, "tool_input.")
	return ok && (name == "path" || strings.HasSuffix(name, "_path") || name == "filename" || name == "file")
}

// testsOf returns the comparisons of an entry's condition.
func testsOf(e *entry) []test {
	w := walker{entry: e}
	w.walkCond(e.node.Get("if"), 0, false, 0)
	return w.out
}

type walker struct {
	entry  *entry
	scopes int
	out    []test
}

// walkCond collects the tests of a condition; scope is the conjunction that it is part of.
func (w *walker) walkCond(n *yamldoc.Node, scope int, not bool, depth int) {
	if n.IsNull() || n.Kind != yamldoc.Map || depth > 40 {
		return
	}
	for _, p := range n.Pairs {
		switch p.Key {
		case "all":
			for _, item := range itemsOf(p.Value) {
				w.walkCond(item, w.scopeOfParts(scope, not), not, depth+1)
			}
		case "any":
			for _, item := range itemsOf(p.Value) {
				w.walkCond(item, w.scopeOfParts(scope, !not), not, depth+1)
			}
		case "not":
			inner := scope
			if p.Value.Kind != yamldoc.Map || len(p.Value.Pairs) != 1 || len(p.Value.Pairs[0].Value.Pairs) > 1 {
				inner = w.newScope() // of several, one that does not hold is enough
			}
			w.walkCond(p.Value, inner, !not, depth+1)
		default:
			for _, op := range p.Value.Pairs {
				w.out = append(w.out, test{entry: w.entry, field: p.Key, op: op.Key, want: op.Value, not: not, scope: scope})
			}
		}
	}
}

// scopeOfParts returns the scope of parts: the same if all of them must hold, else a new one.
func (w *walker) scopeOfParts(scope int, apart bool) int {
	if apart {
		return w.newScope()
	}
	return scope
}

func (w *walker) newScope() int {
	w.scopes++
	return w.scopes
}
