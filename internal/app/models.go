package app

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A ModelUse is a hook or judge that calls a provider's model.
type ModelUse struct {
	Who   string // the hook or the judge, for display
	Model string // provider/model
	From  string // FILE:LINE
}

// ModelUses returns the hooks of type model and the fallback judge, if they call models of providers.
// Scripted models need no provider.
func (k *Kit) ModelUses() []ModelUse {
	var out []ModelUse
	add := func(u ModelUse) {
		if u.Model != "" && !strings.HasPrefix(u.Model, "scripted/") {
			out = append(out, u)
		}
	}
	if j := k.judgeSetting(); j != nil {
		add(ModelUse{"the judge", j.Model, j.From.String()})
	}
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; h.Run == "model" && h.Broken == "" {
			add(ModelUse{"the hook " + h.Label(), rawjson.GetText(h.With, "model"), h.From.String()})
		}
	}
	return out
}
