package kit

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
)

// brokenFolders tells of hook folders of the person, or of the administrator, whose
// file is broken, and what that closes: the hook does not run, and it may be the guard
// that the person relies on.
func (k *Kit) brokenFolders() []string {
	var out []string
	for i := range k.config.Files {
		f := &k.config.Files[i]
		if f.Err == nil || f.Scope == checkrein.ScopeProject || !folders(f.Dialect) {
			continue
		}
		closed := ""
		for j := range k.config.Hooks {
			if h := &k.config.Hooks[j]; h.From.File == f.Path && h.Broken != "" && closed == "" {
				closed = closes(h)
			}
		}
		if closed == "" {
			closed = "it stops nothing until it is mended"
		}
		out = append(out, "a hook of yours is broken and does not run: "+firstOf(f.Err)+"; "+closed)
	}
	return out
}

// closes says what a broken hook denies, "" = nothing.
func closes(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	if h.OnFault != checkrein.FaultBlock && (h.OnFault != checkrein.FaultByRow || !row.Closed) {
		return ""
	}
	if row.Subject != checkrein.SubjectTool {
		return "every " + row.Name + " is denied until it is mended"
	}
	what := "every call"
	if h.Match != "" && h.Match != "*" {
		what += " of " + strings.ReplaceAll(h.Match, "|", ", ")
	}
	if h.Args != "" {
		what += fmt.Sprintf(" with %q in it", h.Args)
	}
	return what + " is denied until it is mended"
}
