package app

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// SetDisabled disables single hooks, or enables them again, and returns those that changed. It takes
// effect at once, also in running programs. Managed hooks and self-protection stay on.
func (k *Kit) SetDisabled(off bool, hooks ...*checkrein.Hook) ([]*checkrein.Hook, error) {
	var names []approval.DisabledHook
	for _, h := range hooks {
		if !off || !IsEnforced(h) {
			names = append(names, approval.NewDisabledHook(h))
		}
	}
	done, err := approval.SetDisabled(k.state, names, off)
	k.refreshView()
	var out []*checkrein.Hook
	for _, h := range hooks {
		if slices.Contains(done, approval.NewDisabledHook(h)) {
			out = append(out, h)
		}
	}
	return out, err
}

// IsDisabled reports whether the person disabled this hook.
func (k *Kit) IsDisabled(h *checkrein.Hook) bool {
	return k.view().approvals.IsDisabled(h) && !IsEnforced(h)
}

// markDisabled returns hooks with those marked that the person disabled.
func markDisabled(store *approval.Store, hooks []checkrein.Hook) []checkrein.Hook {
	if len(store.DisabledHooks()) == 0 {
		return hooks
	}
	out := slices.Clone(hooks) // the kit keeps the original
	for i := range out {
		if h := &out[i]; store.IsDisabled(h) && !IsEnforced(h) {
			h.Off = "disabled by the user: to enable it, run checkrein hooks enable " + visible.EscapeLine(h.Label())
		}
	}
	return out
}
