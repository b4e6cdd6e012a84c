package builtin

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// Usual is what the packs that are on by default say of what a command does, and the
// rule of the strictest; "" = they say nothing.
func Usual(r *shell.Report) (d checkrein.Decision, rule string) {
	for i := range r.Effects {
		e := &r.Effects[i]
		row := e.Row()
		if row.PackName() == "" || !counts(e, row) {
			continue
		}
		if got := usual(e, row); got > d {
			d, rule = got, e.RuleName()
		}
	}
	return d, rule
}
