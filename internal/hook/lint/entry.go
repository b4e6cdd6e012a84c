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
	matcher     *yamldoc.Node // its own or that of its group; nil matches every tool
}

// hookEntries returns the hooks in root, the parsed file f. It skips malformed entries, which the
// loader reports.
func hookEntries(f *File, root *yamldoc.Node) []entry {
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
		for _, item := range listItems(ev.Value) {
			if hooks := item.Get("hooks"); hooks != nil {
				for _, h := range listItems(hooks) {
					add(h, item.Get("matcher"))
				}
				continue
			}
			add(item, nil)
		}
	}
	return out
}

// listItems returns the items of n if it is a list, otherwise n itself as the only item. It returns
// nil if n is null.
func listItems(n *yamldoc.Node) []*yamldoc.Node {
	switch {
	case n.IsNull():
		return nil
	case n.Kind == yamldoc.List:
		return n.Items
	}
	return []*yamldoc.Node{n}
}

// A test is one comparison in a condition.
type test struct {
	*entry
	field, op string
	want      *yamldoc.Node
	not       bool // the condition requires that it does not hold
	// scope identifies the conjunction that the test is part of. All tests with the same scope must
	// hold together.
	scope int
}

// textValues returns the strings with which the test compares the field.
func (t *test) textValues() []*yamldoc.Node {
	return slices.DeleteFunc(slices.Clone(listItems(t.want)), func(n *yamldoc.Node) bool { return n.Kind != yamldoc.Text })
}

// testsPaths reports whether the values of the field are paths.
func (t *test) testsPaths() bool { return t.field == "cwd" || t.field == "paths" }

// testsPathArgument reports whether the field is an argument of the tool that holds a path.
func (t *test) testsPathArgument() bool {
	name, ok := strings.CutPrefix(t.field, "tool_input.")
	return ok && (name == "path" || strings.HasSuffix(name, "_path") || name == "filename" || name == "file")
}

// conditionTests returns the tests in the condition of e.
func conditionTests(e *entry) []test {
	w := walker{entry: e}
	w.walkCond(e.node.Get("if"), 0, false, 0)
	return w.out
}

// A walker collects the tests in the condition of an entry.
type walker struct {
	entry  *entry
	scopes int
	out    []test
}

// walkCond adds the tests in the condition n, which is part of the conjunction scope. If not is set, n
// is inside a not.
func (w *walker) walkCond(n *yamldoc.Node, scope int, not bool, depth int) {
	if n.IsNull() || n.Kind != yamldoc.Map || depth > 40 {
		return
	}
	for _, p := range n.Pairs {
		switch p.Key {
		case "all":
			for _, item := range listItems(p.Value) {
				w.walkCond(item, w.partScope(scope, not), not, depth+1)
			}
		case "any":
			for _, item := range listItems(p.Value) {
				w.walkCond(item, w.partScope(scope, !not), not, depth+1)
			}
		case "not":
			inner := scope
			if p.Value.Kind != yamldoc.Map || len(p.Value.Pairs) != 1 || len(p.Value.Pairs[0].Value.Pairs) > 1 {
				inner = w.newScope() // in a not with several tests, it is enough that one does not hold
			}
			w.walkCond(p.Value, inner, !not, depth+1)
		default:
			for _, op := range p.Value.Pairs {
				w.out = append(w.out, test{entry: w.entry, field: p.Key, op: op.Key, want: op.Value, not: not, scope: scope})
			}
		}
	}
}

// partScope returns the scope for one of several parts: a new one if apart is set, otherwise the given
// scope, because all parts must hold.
func (w *walker) partScope(scope int, apart bool) int {
	if apart {
		return w.newScope()
	}
	return scope
}

func (w *walker) newScope() int {
	w.scopes++
	return w.scopes
}
