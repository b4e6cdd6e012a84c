package kit

import (
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/builtin"
	"github.com/checkrein/checkrein/internal/config"
)

// defaults are the hooks that count although no file declares them. Files that
// are given by name count alone, without these.
func defaults(c *config.Config) []checkrein.Hook {
	var out []checkrein.Hook
	if !c.Settings.Packs {
		out = append(out, implied("packs", checkrein.PreToolUse, "packs", "filesystem", "disk", "git", "exfiltration"))
		row, _ := builtin.Named("redact_secrets")
		for _, kind := range row.Events {
			out = append(out, implied("secrets."+kind.String(), kind, row.Name))
		}
	}
	return out
}

// implied is a builtin that is on by default: a person's own, which no file
// declares and which one may adjust.
func implied(id string, on checkrein.Kind, builtin string, args ...string) checkrein.Hook {
	with, _ := json.Marshal(struct {
		Name string   `json:"name"`
		Args []string `json:"args,omitempty"`
	}{builtin, args})
	return checkrein.Hook{ID: id, Name: builtin, On: on, Run: "builtin", With: with, Priority: checkrein.DefaultPriority, Dialect: "native", Implied: true, Rewrites: true,
		From: checkrein.Origin{Scope: checkrein.ScopeUser}}
}
