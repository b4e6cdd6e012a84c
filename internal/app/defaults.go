package app

import (
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// protectPaths is the name of the self-protection guard.
const protectPaths = "protect_paths"

// withDefaults appends the implied hooks, which are on although no file declares them. If files were
// named, it appends only the hooks for the packs of those files.
func withDefaults(hooks []checkrein.Hook, set *packset.Set, issuers []string, named bool) []checkrein.Hook {
	row, _ := guard.Lookup(secretguard.GuardSecrets)
	n := 1 // for protectPaths
	for _, parts := range [...][]packset.Part{set.Managed, set.User} {
		if len(parts) > 0 {
			n += 1 + len(row.Events)
		}
	}
	out := slices.Grow(hooks, n)
	out = appendGuards(out, set.Managed, checkrein.ScopeManaged, issuers)
	out = appendGuards(out, set.User, checkrein.ScopeUser, issuers)
	out = appendTrials(out, set.Tried, issuers)
	if named {
		return out
	}
	// Self-protection is always on, whichever packs are.
	return append(out, impliedHook(checkrein.ScopeUser, protectPaths, checkrein.PreToolUse, protectPaths))
}

// appendGuards appends the hooks for the packs that are on in a scope.
func appendGuards(out []checkrein.Hook, parts []packset.Part, scope checkrein.Scope, issuers []string) []checkrein.Hook {
	if slices.ContainsFunc(parts, func(p packset.Part) bool { return !p.IsOff() }) {
		out = append(out, impliedHook(scope, "packs", checkrein.PreToolUse, "packs", packset.EncodeArgs(parts)...))
	}
	if packset.IsOn(parts, packset.Secrets) {
		row, _ := guard.Lookup(secretguard.GuardSecrets)
		var own []string
		for _, host := range issuers {
			own = append(own, "issuer="+host)
		}
		for _, kind := range row.Events {
			out = append(out, impliedHook(scope, "secrets."+kind.String(), kind, row.Name, own...))
		}
	}
	return out
}

// impliedHook returns a hook for a builtin that no file declares. Its scope is that of the files that
// switch it on.
func impliedHook(scope checkrein.Scope, id string, on checkrein.Kind, builtin string, args ...string) checkrein.Hook {
	with := rawjson.Object{'{'} // encoded without reflection, since this runs at every call
	with.Text("name", builtin)
	with.Texts("args", args)
	with.Close()
	return checkrein.Hook{ID: id, Name: builtin, On: on, Run: "builtin", With: json.RawMessage(with), Priority: hookfile.DefaultPriority, Dialect: "native", Implied: true, Rewrites: true,
		From: checkrein.Origin{Scope: scope}}
}
