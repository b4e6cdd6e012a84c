package tools

import "strings"

// A clause is the beginning of a statement: its verb, and the words of which one must follow. If
// follows is "", any word may follow.
type clause struct {
	verb, follows string
	named         bool // a name must follow, and after it only what SQL allows
	loses         bool // it may destroy data
}

var clauses = [...]clause{
	{verb: "alter", follows: " table database schema role user index view sequence type ", loses: true},
	{verb: "copy"},
	{verb: "create", follows: " table database schema view index unique temp temporary or materialized function trigger user role extension type sequence "},
	{verb: "delete", follows: " from ", named: true, loses: true},
	{verb: "describe"},
	{verb: "do", follows: " $$ language ", loses: true},
	{verb: "drop", follows: " table database schema view index user role function trigger sequence type extension materialized column keyspace policy procedure ", named: true, loses: true},
	{verb: "explain"},
	{verb: "grant"},
	{verb: "insert", follows: " into or overwrite "},
	{verb: "merge", follows: " into "},
	{verb: "pragma"},
	{verb: "replace", follows: " into "},
	{verb: "revoke"},
	{verb: "select"},
	{verb: "show"},
	{verb: "truncate", named: true, loses: true},
	{verb: "update", loses: true},
	{verb: "vacuum"},
	{verb: "with", loses: true},
	{verb: "begin", loses: true},
}

// findClause returns the clause with which s begins, and the text after its verb. It returns nil if
// there is none.
func findClause(s string) (c *clause, rest string) {
	word, rest := sqlWord(s)
	for i := range clauses {
		if strings.EqualFold(clauses[i].verb, word) {
			return &clauses[i], rest
		}
	}
	return nil, ""
}

// mayDestroyData reports whether s begins like a statement that may destroy data.
func mayDestroyData(s string) bool {
	c, _ := findClause(s)
	return c != nil && c.loses
}

// isStatement reports whether s is an SQL statement. If database is set, because the tool talks to a
// database, a verb is enough. Otherwise the words after the verb must match, because people also
// search for "delete from cart fails".
func isStatement(s string, database bool) bool {
	c, rest := findClause(s)
	switch {
	case c == nil:
		return false
	case database:
		return true
	}
	word, behind := sqlWord(rest)
	if c.follows != "" && !strings.Contains(c.follows, " "+strings.ToLower(word)+" ") {
		return false
	}
	switch c.verb {
	case "update":
		set, _ := sqlWord(behind)
		return strings.EqualFold(set, "set")
	case "select":
		return strings.HasSuffix(strings.TrimSpace(s), ";") || strings.Contains(strings.ToLower(s), " from ")
	case "with":
		as, _ := sqlWord(behind)
		return strings.EqualFold(as, "as")
	case "begin":
		return strings.HasPrefix(rest, ";")
	case "truncate":
		if !strings.EqualFold(word, "table") {
			behind = rest
		}
	}
	return !c.named || continuesAsSQL(behind)
}

// continuesAsSQL reports whether s begins with a name, followed by what SQL allows there.
func continuesAsSQL(s string) bool {
	name, rest := sqlWord(s)
	for strings.EqualFold(name, "if") || strings.EqualFold(name, "exists") || strings.EqualFold(name, "only") {
		name, rest = sqlWord(rest)
	}
	if name == "" {
		return false
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest == "" || rest[0] == ';' || rest[0] == ',' || rest[0] == '-' && strings.HasPrefix(rest, "--") {
		return true
	}
	next, _ := sqlWord(rest)
	return strings.Contains(" where using returning limit as cascade restrict on force restart continue ", " "+strings.ToLower(next)+" ")
}

// sqlWord returns the first word of s after comments and parentheses, and the rest.
func sqlWord(s string) (word, rest string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n(")
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			end := strings.IndexAny(s, " \t\r\n;,(")
			if end < 0 {
				end = len(s)
			}
			return s[:end], s[end:]
		}
	}
}
