package policy

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// checkKeys adds a problem for each key of n that is not in known. The text where precedes the
// message.
func (r *reader) checkKeys(n *yamldoc.Node, where string, known []string) {
	for i := range n.Pairs {
		if p := &n.Pairs[i]; !slices.Contains(known, p.Key) {
			hint := suggest.Hint(p.Key, known)
			if hint == "" {
				hint = ": must be one of " + strings.Join(known, ", ")
			}
			r.addProblem(p.Line, "%sunknown key %q%s", strings.TrimPrefix(where+": ", ": "), p.Key, hint)
		}
	}
}

// isMap reports whether n is a mapping. If not, it adds a problem about what.
func (r *reader) isMap(n *yamldoc.Node, what string) bool {
	if n.Kind != yamldoc.Map {
		r.addProblem(n.Line, "%s must be a mapping, not %s", what, n.Kind)
		return false
	}
	return true
}

// eachItem calls fn for each item of the list key of root. It adds a problem if key is not a list.
func (r *reader) eachItem(root *yamldoc.Node, key string, fn func(*yamldoc.Node)) {
	n := root.Get(key)
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.List {
		r.addProblem(n.Line, "%s must be a list, not %s", key, n.Kind)
		return
	}
	for _, item := range n.Items {
		fn(item)
	}
}

// readText returns the string n. If n is empty or not a string, it adds a problem about what and
// returns "". A nil n yields "".
func (r *reader) readText(n *yamldoc.Node, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yamldoc.Text && n.Text == "", n.Kind == yamldoc.Null:
		r.addProblem(n.Line, "%s is empty", what)
		return ""
	case n.Kind == yamldoc.Text:
		return n.Text
	case n.Kind == yamldoc.Number, n.Kind == yamldoc.Bool: // a forbidden word may be a number such as 1984
		return n.Written
	}
	r.addProblem(n.Line, "%s must be a string, not %s", what, n.Kind)
	return ""
}

// requiredMember returns the member key of n. If it is missing, it adds a problem and returns nil.
func (r *reader) requiredMember(n *yamldoc.Node, key string) *yamldoc.Node {
	m := n.Get(key)
	if m == nil {
		r.addProblem(n.Line, "%s is missing", key)
	}
	return m
}

// optionalText returns the string member key of n, or "" if it is missing.
func (r *reader) optionalText(n *yamldoc.Node, key string) string { return r.readText(n.Get(key), key) }

// readFlag returns the boolean n. If n is not a boolean, it adds a problem about what.
func (r *reader) readFlag(n *yamldoc.Node, what string) bool {
	if n.Kind != yamldoc.Bool {
		r.addProblem(n.Line, "%s must be true or false, not %s", what, n.Kind)
	}
	return n.Text == "true"
}

// readSeverity returns the severity n: block, warn, info or off. The value true means block and false
// means off, because some YAML tools convert off. It adds a problem, at line if n is missing, for
// anything else.
func (r *reader) readSeverity(n *yamldoc.Node, line int) Severity {
	if n.IsNull() {
		r.addProblem(line, "a severity is missing: use block, warn, info or off")
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
	r.addProblem(n.Line, "unknown severity %q%s", n.Text, suggest.HintOr(n.Text, severities[:], "use block, warn, info or off"))
	return Off
}

// readPaths returns the filter of the members include and exclude of n.
func (r *reader) readPaths(n *yamldoc.Node) pathFilter {
	return pathFilter{r.readGlobs(n, "include"), r.readGlobs(n, "exclude")}
}

// readGlobs returns the globs in the list key of n, and adds a problem for each that is not valid.
func (r *reader) readGlobs(n *yamldoc.Node, key string) []string {
	var list []string
	r.eachItem(n, key, func(item *yamldoc.Node) {
		glob := r.readText(item, key)
		if glob == "" {
			return
		}
		if why := globProblem(glob); why != "" {
			r.addProblem(item.Line, "%s: %s", key, why)
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
