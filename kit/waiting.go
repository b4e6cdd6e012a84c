package kit

import (
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/approval"
)

// waiting says, at the end of a turn or session, how many hooks of the project
// nobody approved: agents may write them, and none runs before.
func (k *Kit) waiting(ev *checkrein.Event, v *view) []string {
	if ev.Kind != checkrein.Stop && ev.Kind != checkrein.SessionEnd {
		return nil
	}
	seen := map[checkrein.Origin]bool{}
	name := ""
	for i := range v.hooks {
		h := &v.hooks[i]
		if h.From.Scope != checkrein.ScopeProject || !h.From.Approval || h.Off != "" || h.Broken != "" || seen[h.From] {
			continue
		}
		if is, _, _ := (truster{k, v.trust}).check(h); is.State != engine.Approved {
			seen[h.From], name = true, h.Label()
		}
	}
	switch n := len(seen); n {
	case 0:
		return nil
	case 1:
		return []string{"1 hook in this project is waiting for approval; to approve it, run " + approval.Remedy("approve", name)}
	default:
		return []string{fmt.Sprintf("%d hooks in this project are waiting for approval. To see them, run checkrein hooks list. To approve them, run checkrein hooks approve --all", n)}
	}
}
