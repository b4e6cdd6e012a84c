package match

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
)

// DescribeCalls describes the events that h applies to: "every call of shell, write", "every call of a
// tool whose name matches mcp__.*", or "every stop" for events without a tool.
func DescribeCalls(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	what := "every " + row.Name
	if row.Subject == checkrein.SubjectTool {
		what = "every call"
		if tool, err := CompileTool(h.Match, h.MatchWords); err == nil && !tool.MatchesAll() {
			what += " of " + tool.describeNames(h.Match)
		}
	}
	if h.Args != "" {
		what += fmt.Sprintf(" that contains %q", h.Args)
	}
	if h.Search != "" {
		what += fmt.Sprintf(" whose payload contains %q", h.Search)
	}
	if len(h.If) > 0 {
		what += " that meets the hook's condition"
	}
	return what
}

// describeNames returns the names of the tools that t, compiled from expr, matches. A name with other
// characters than letters, digits, _ and - is quoted: "!Write" is a tool of that name, not every tool
// but Write.
func (t *Tool) describeNames(expr string) string {
	if t.re != nil {
		return "a tool whose name matches " + expr
	}
	names := make([]string, len(t.names))
	for i, name := range t.names {
		names[i] = name
		if _, ok := splitNames(name); !ok {
			names[i] = "a tool named " + strconv.Quote(name)
		}
	}
	return strings.Join(names, ", ")
}
