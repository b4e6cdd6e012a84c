package policy

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// keys complains about members that are not known.
func (r *reader) keys(n *yamldoc.Node, where string, known []string) {
	for i := range n.Pairs {
		if p := &n.Pairs[i]; !slices.Contains(known, p.Key) {
			hint := suggest.Hint(p.Key, known)
			if hint == "" {
				hint = ": must be one of " + strings.Join(known, ", ")
			}
			r.problem(p.Line, "%sunknown key %q%s", strings.TrimPrefix(where+": ", ": "), p.Key, hint)
		}
	}
}

func (r *reader) isMap(n *yamldoc.Node, what string) bool {
	if n.Kind != yamldoc.Map {
		r.problem(n.Line, "%s must be a mapping, not %s", what, n.Kind)
		return false
	}
	return true
}

// each calls fn for the entries of a list.
func (r *reader) each(root *yamldoc.Node, key string, fn func(*yamldoc.Node)) {
	n := root.Get(key)
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.List {
		r.problem(n.Line, "%s must be a list, not %s", key, n.Kind)
		return
	}
	for _, item := range n.Items {
		fn(item)
	}
}

// text returns a text, "" with a complaint when there is none.
func (r *reader) text(n *yamldoc.Node, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yamldoc.Text && n.Text == "", n.Kind == yamldoc.Null:
		r.problem(n.Line, "%s is empty", what)
		return ""
	case n.Kind == yamldoc.Text:
		return n.Text
	case n.Kind == yamldoc.Number, n.Kind == yamldoc.Bool: // a word may be 1984
		return n.Written
	}
	r.problem(n.Line, "%s must be a string, not %s", what, n.Kind)
	return ""
}

// needed returns a member that must be there.
func (r *reader) needed(n *yamldoc.Node, key string) *yamldoc.Node {
	m := n.Get(key)
	if m == nil {
		r.problem(n.Line, "%s is missing", key)
	}
	return m
}

func (r *reader) optional(n *yamldoc.Node, key string) string { return r.text(n.Get(key), key) }

func (r *reader) flag(n *yamldoc.Node, what string) bool {
	if n.Kind != yamldoc.Bool {
		r.problem(n.Line, "%s must be true or false, not %s", what, n.Kind)
	}
	return n.Text == "true"
}

// severity reads block, warn, info or off; true is block and false is off, as
// YAML reads off in some hands.
func (r *reader) severity(n *yamldoc.Node, line int) Severity {
	if n.IsNull() {
		r.problem(line, "a severity is missing: use block, warn, info or off")
		return Off
	}
	switch n.Text {
	case "true":
		return Block
	case "false":
		return Off
	}
	if i := slices.Index(severities[:], n.Text); i >= 0 {
		return Severity(i)
	}
	r.problem(n.Line, "unknown severity %q%s", n.Text, suggest.HintOr(n.Text, severities[:], "use block, warn, info or off"))
	return Off
}

// paths reads include and exclude.
func (r *reader) paths(n *yamldoc.Node) paths {
	return paths{r.globs(n, "include"), r.globs(n, "exclude")}
}

func (r *reader) globs(n *yamldoc.Node, key string) []string {
	var list []string
	r.each(n, key, func(item *yamldoc.Node) {
		glob := r.text(item, key)
		if glob == "" {
			return
		}
		if why := checkGlob(glob); why != "" {
			r.problem(item.Line, "%s: %s", key, why)
		}
		list = append(list, glob)
	})
	return list
}

// isRuleName reports whether a name can stand in an ignore and in a report.
func isRuleName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}
