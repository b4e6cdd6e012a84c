package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// changedFolder is the folder that holds what hooks changed in sessions.
const changedFolder = "changed"

// The prefixes of the lines that are saved for a session.
const (
	lineRemoved = "out " // before the id of a secret that was removed from a result
	lineRewrote = "in "  // before a digest of the arguments of a rewritten call
	lineChecked = "saw " // before another line whose content came back, which the companion checks
)

// watchChanges saves what hooks changed in a session, and starts the companion once some of it comes
// back: a secret in what the model writes, or the original arguments of a call. It takes time only for
// events with secrets, rewritten calls, and results in sessions that have one of those.
func (k *Kit) watchChanges(call *Call, ev *checkrein.Event, out *engine.Outcome, s record.Secrets) {
	if ev.Session.ID == "" || k.companion == "" || k.standing.foreign || k.readOnly {
		return
	}
	var lines, back []string
	switch v := &out.Verdict; ev.Kind {
	case checkrein.PreToolUse:
		if v.Input != nil && v.Decision != checkrein.Deny && !isUnenforced(out) {
			lines = append(lines, lineRewrote+k.digestInput(ev.Tool.Input))
		}
		back = s.Input
	case checkrein.ToolResponseTransform:
		for _, id := range s.Replaced {
			lines = append(lines, lineRemoved+id)
		}
	default:
		back = slices.Concat(s.Text, s.Messages)
	}
	store := k.state.OpenStore(changedFolder, sessionTTL, k.now)
	key := sessionKey(ev.Host, ev.Session.ID)
	after := ev.Kind == call.Events[0].Kind && ev.Tool != nil && (ev.Kind == checkrein.ToolResponseTransform || ev.Kind == checkrein.PostToolUse)
	if again := k.findReturned(ev, back, after, func() string { text, _ := store.Text(key); return string(text) }); again != "" {
		lines = append(lines, lineChecked+again)
		defer k.startUpkeep()
	}
	if len(lines) > 0 {
		if rand.Uint32N(sweepOdds) == 0 {
			_, _ = store.Sweep() // if this fails, a later event does it
		}
		_ = store.AppendText(key, []byte(strings.Join(lines, "\n")+"\n")) // if this fails, only transcripts show what came back
	}
}

// findReturned returns a saved line whose content comes back in ev and was not checked yet, or "" if
// there is none. secrets are the ids of the secrets in ev, and after means that ev reports a call that
// ran.
func (k *Kit) findReturned(ev *checkrein.Event, secrets []string, after bool, kept func() string) string {
	if len(secrets) == 0 && !after {
		return ""
	}
	text := kept()
	if text == "" {
		return ""
	}
	var want []string
	for _, id := range secrets {
		want = append(want, lineRemoved+id)
	}
	if after && strings.Contains(text, lineRewrote) {
		want = append(want, lineRewrote+k.digestInput(ev.Tool.Input))
	}
	all := strings.Split(text, "\n")
	for _, line := range want {
		if slices.Contains(all, line) && !slices.Contains(all, lineChecked+line) {
			return line
		}
	}
	return ""
}

// digestInput returns the keyed digest of a call's arguments, or "" if there is no key.
func (k *Kit) digestInput(input []byte) string {
	key, err := k.ledger.Key()
	if err != nil {
		return "" // without a key, nothing is recorded either
	}
	sum := key.Derive(ledger.LabelDigests)
	mac := hmac.New(sha256.New, sum[:])
	mac.Write(input)
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
