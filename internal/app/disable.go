package app

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// SetDisabled disables single hooks, or enables them if off is false, and returns those that changed.
// It takes effect at once, even in programs that are running. Managed hooks and self-protection stay
// on.
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

// IsDisabled reports whether the user disabled h.
func (k *Kit) IsDisabled(h *checkrein.Hook) bool {
	return k.view().approvals.IsDisabled(h) && !IsEnforced(h)
}

// markDisabled returns hooks in which those that the user disabled are marked as off.
func markDisabled(store *approval.Store, hooks []checkrein.Hook) []checkrein.Hook {
	if len(store.DisabledHooks()) == 0 {
		return hooks
	}
	out := slices.Clone(hooks) // the original belongs to the configuration
	for i := range out {
		if h := &out[i]; store.IsDisabled(h) && !IsEnforced(h) {
			h.Off = "disabled by the user: to enable it, run checkrein hooks enable " + visible.EscapeLine(h.Label())
		}
	}
	return out
}
