package app

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Disable switches hooks off by themselves, or on again, and returns those for which that
// is a change. It counts at once, also for programs that run. Managed hooks and
// self-protection stay on.
func (k *Kit) Disable(off bool, hooks ...*checkrein.Hook) ([]*checkrein.Hook, error) {
	var names []approval.Disabled
	for _, h := range hooks {
		if !off || !Enforced(h) {
			names = append(names, approval.DisabledOf(h))
		}
	}
	done, err := approval.SetDisabled(k.state, names, off)
	k.look()
	var out []*checkrein.Hook
	for _, h := range hooks {
		if slices.Contains(done, approval.DisabledOf(h)) {
			out = append(out, h)
		}
	}
	return out, err
}

// Disabled reports whether the person switched a hook off by itself.
func (k *Kit) Disabled(h *checkrein.Hook) bool {
	return k.view().trust.IsDisabled(h) && !Enforced(h)
}

// markDisabled marks the hooks that the person switched off by themselves.
func markDisabled(store *approval.Store, hooks []checkrein.Hook) []checkrein.Hook {
	if len(store.Disabled()) == 0 {
		return hooks
	}
	out := slices.Clone(hooks) // which the kit keeps
	for i := range out {
		if h := &out[i]; store.IsDisabled(h) && !Enforced(h) {
			h.Off = "disabled by the user: to enable it, run checkrein hooks enable " + visible.Line(h.Label())
		}
	}
	return out
}
