package packguard

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Policy holds the decisions of a hook that applies packs, for display.
type Policy struct{ guards []guard }

// HookPolicy returns the policy of h, or nil if h does not apply packs.
func HookPolicy(h *checkrein.Hook) (*Policy, error) {
	if h.Run != "builtin" || rawjson.GetText(h.With, "name") != "packs" {
		return nil, nil
	}
	args, err := builtin.ParseArgs(h.With)
	if err != nil {
		return nil, err
	}
	guards, err := parseGuards(args)
	return &Policy{guards}, err
}

// PartsPolicy returns the policy that a hook with these parts would have.
func PartsPolicy(parts []packset.Part) (*Policy, error) {
	if len(parts) == 0 {
		return &Policy{}, nil
	}
	guards, err := parseGuards(packset.EncodeArgs(parts))
	return &Policy{guards}, err
}

// IsOn reports whether the hook applies the pack of that name.
func (w *Policy) IsOn(pack string) bool {
	return slices.ContainsFunc(w.guards, func(g guard) bool { return g.appliesTo(pack) && !g.IsOff() && !g.OnlySaves() })
}

// Decide returns the hook's decision about e, an effect without paths.
func (w *Policy) Decide(e *shell.Effect) checkrein.Decision {
	var out checkrein.Decision
	for i := range w.guards {
		out = max(out, w.guards[i].decide(e, &shell.Place{}))
	}
	return out
}

// OwnPacks returns the user-defined packs of the hook.
func (w *Policy) OwnPacks() []*shell.RuleSet {
	var out []*shell.RuleSet
	for i := range w.guards {
		if p := w.guards[i].custom; p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Parts returns the parts of the hook that apply to the pack of that name.
func (w *Policy) Parts(pack string) []packset.Part {
	var out []packset.Part
	for i := range w.guards {
		if g := &w.guards[i]; g.appliesTo(pack) {
			out = append(out, g.Part)
		}
	}
	return out
}

// PolicyKey returns the key of a pack's policy that applies to e.
func PolicyKey(e *shell.Effect) string { return setting.PackKeys[policyIndex(e)] }
