package match

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
)

// Calls describes in words what a hook is asked about: "every call of shell, write",
// or "every stop" for events without a tool.
func Calls(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	what := "every " + row.Name
	if row.Subject == checkrein.SubjectTool {
		what = "every call"
		if tool, err := CompileTool(h.Match, h.MatchBy); err == nil && !tool.All() {
			what += " of " + strings.ReplaceAll(h.Match, "|", ", ")
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
