package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/handler/fallback"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// judgeSetting is the judge of what is not known; nil = there is none. A project's does
// not count, and of the others the first of the most trusted scope does.
func (k *Kit) judgeSetting() *setting.Judge {
	var out *setting.Judge
	for i := range k.config.Settings.Judges {
		if j := &k.config.Settings.Judges[i]; j.From.Scope <= checkrein.ScopeUser && (out == nil || j.From.Scope < out.From.Scope) {
			out = j
		}
	}
	return out
}

// unsureType is the row of the judge of what is not known, on top of the row that asks
// models.
func (k *Kit) unsureType(handlers []checkrein.HandlerType) checkrein.HandlerType {
	var model checkrein.Factory
	for i := range handlers {
		if handlers[i].Name == "model" { // a later row replaces an earlier one
			model = handlers[i].New
		}
	}
	return fallback.Type(fallback.Options{Model: model, Budget: fallback.Budget{Dir: k.state, Now: k.now, Off: func() bool { return k.standing.foreign || k.peek }}})
}
