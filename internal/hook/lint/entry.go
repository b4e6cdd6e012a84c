package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An entry is a hook of a file, as it is written.
type entry struct {
	path, label string
	scope       checkrein.Scope
	row         *checkrein.Contract
	node        *yamldoc.Node
	matcher     *yamldoc.Node // its own or its group's; nil = every tool
}

// entriesOf lists the hooks of a file. What is wrong with its shape is said elsewhere.
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
			e := entry{path: f.Path, scope: f.Scope, row: row, node: n, matcher: n.Get("matcher"), label: n.Get("name").Plain()}
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
		for _, item := range listed(ev.Value) {
			if hooks := item.Get("hooks"); hooks != nil {
				for _, h := range listed(hooks) {
					add(h, item.Get("matcher"))
				}
				continue
			}
			add(item, nil)
		}
	}
	return out
}

// listed is a list's items, or what is in place of a list of one.
func listed(n *yamldoc.Node) []*yamldoc.Node {
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
	not       bool // it is asked for that it does not hold
	// scope is the conjunction that it is in: those of one scope hold together.
	scope int
}

// texts are the values that it compares with.
func (t *test) texts() []*yamldoc.Node {
	return slices.DeleteFunc(slices.Clone(listed(t.want)), func(n *yamldoc.Node) bool { return n.Kind != yamldoc.Text })
}

// isPath reports whether the field holds paths.
func (t *test) isPath() bool { return t.field == "cwd" || t.field == "paths" }

// isPathArgument reports whether it is an argument that holds a path.
func (t *test) isPathArgument() bool {
	name, ok := strings.CutPrefix(t.field, "tool_input.")
	return ok && (name == "path" || strings.HasSuffix(name, "_path") || name == "filename" || name == "file")
}

// testsOf lists the comparisons of an entry's condition.
func testsOf(e *entry) []test {
	w := walker{entry: e}
	w.cond(e.node.Get("if"), 0, false, 0)
	return w.out
}

type walker struct {
	entry  *entry
	scopes int
	out    []test
}

// cond walks a condition; scope is the conjunction that it is part of.
func (w *walker) cond(n *yamldoc.Node, scope int, not bool, depth int) {
	if n.IsNull() || n.Kind != yamldoc.Map || depth > 40 {
		return
	}
	for _, p := range n.Pairs {
		switch p.Key {
		case "all":
			for _, item := range listed(p.Value) {
				w.cond(item, w.inner(scope, not), not, depth+1)
			}
		case "any":
			for _, item := range listed(p.Value) {
				w.cond(item, w.inner(scope, !not), not, depth+1)
			}
		case "not":
			inner := scope
			if p.Value.Kind != yamldoc.Map || len(p.Value.Pairs) != 1 || len(p.Value.Pairs[0].Value.Pairs) > 1 {
				inner = w.next() // of several, one that does not hold is enough
			}
			w.cond(p.Value, inner, !not, depth+1)
		default:
			for _, op := range p.Value.Pairs {
				w.out = append(w.out, test{entry: w.entry, field: p.Key, op: op.Key, want: op.Value, not: not, scope: scope})
			}
		}
	}
}

// inner is the scope of parts: the same where all of them must hold, else a new one.
func (w *walker) inner(scope int, apart bool) int {
	if apart {
		return w.next()
	}
	return scope
}

func (w *walker) next() int {
	w.scopes++
	return w.scopes
}
