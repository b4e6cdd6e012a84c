package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/handler/fallback"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// judgeSetting returns the setting of the fallback judge, or nil if there is none. Settings of
// projects do not count. Of the others, the first one of the most trusted scope counts.
func (k *Kit) judgeSetting() *setting.Judge {
	var out *setting.Judge
	for i := range k.config.Settings.Judges {
		if j := &k.config.Settings.Judges[i]; j.From.Scope <= checkrein.ScopeUser && (out == nil || j.From.Scope < out.From.Scope) {
			out = j
		}
	}
	return out
}

// fallbackType returns the handler type of the fallback judge, which calls models with the model type
// in handlers.
func (k *Kit) fallbackType(handlers []checkrein.HandlerType) checkrein.HandlerType {
	var model func(checkrein.Hook) (checkrein.Handler, error)
	for i := range handlers {
		if handlers[i].Name == "model" { // a later type replaces an earlier one
			model = handlers[i].New
		}
	}
	return fallback.Type(fallback.Options{Model: model, Budget: fallback.Budget{Dir: k.state, Now: k.now, Off: func() bool { return k.standing.foreign || k.readOnly }}})
}
