package policy

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// checkKeys reports unknown keys.
func (r *reader) checkKeys(n *yamldoc.Node, where string, known []string) {
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

// eachItem calls fn for the entries of a list.
func (r *reader) eachItem(root *yamldoc.Node, key string, fn func(*yamldoc.Node)) {
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

// readText returns a text. It reports a problem and returns "" if there is none.
func (r *reader) readText(n *yamldoc.Node, what string) string {
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

// requiredKey returns a member that must exist.
func (r *reader) requiredKey(n *yamldoc.Node, key string) *yamldoc.Node {
	m := n.Get(key)
	if m == nil {
		r.problem(n.Line, "%s is missing", key)
	}
	return m
}

func (r *reader) optionalText(n *yamldoc.Node, key string) string { return r.readText(n.Get(key), key) }

func (r *reader) readFlag(n *yamldoc.Node, what string) bool {
	if n.Kind != yamldoc.Bool {
		r.problem(n.Line, "%s must be true or false, not %s", what, n.Kind)
	}
	return n.Text == "true"
}

// readSeverity parses block, warn, info or off; true means block and false means off, since some YAML
// tools convert off.
func (r *reader) readSeverity(n *yamldoc.Node, line int) Severity {
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

// readPaths reads include and exclude.
func (r *reader) readPaths(n *yamldoc.Node) pathFilter {
	return pathFilter{r.readGlobs(n, "include"), r.readGlobs(n, "exclude")}
}

func (r *reader) readGlobs(n *yamldoc.Node, key string) []string {
	var list []string
	r.eachItem(n, key, func(item *yamldoc.Node) {
		glob := r.readText(item, key)
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

// isRuleName reports whether a name can be used in ignore comments and reports.
func isRuleName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}
