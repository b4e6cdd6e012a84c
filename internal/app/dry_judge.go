package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// Judge returns what the tool call of ev does, as conditions on its effects see it.
func (k *Kit) Judge(ev *checkrein.Event) match.Acts {
	placed := k.withSession(*ev)
	return k.engineOptions.Judge(&placed)
}
