package app

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// markKey is the key of the markers that stand for secrets on this machine.
func (k *Kit) markKey() (placeholder.Key, bool) {
	if k.state.Path() == "" {
		return placeholder.Key{}, false
	}
	key, err := k.ledger.Key()
	return placeholder.Key(key.Derive(ledger.LabelMarkers)), err == nil
}

// restores reports whether the event's host keeps a rewrite of a tool's arguments
// from the model, and lets what the tool returned be redacted again. A build that was
// seen not to do one of both does not.
func (k *Kit) restores(ev *checkrein.Event) bool {
	h, ok := host.Named(ev.Host)
	if !ok || !h.Restores || h.Honours("", checkrein.ToolResponseTransform)&checkrein.CanRewriteOutput == 0 {
		return false
	}
	_, at := k.doubtsOf(ev.Host)
	return !slices.ContainsFunc(at.Doubted(), func(d capability.Doubt) bool {
		return d.Row == capability.Rewrite || d.Row == capability.OutputReplaced
	})
}

// restoreSecrets returns the arguments of a call that was decided with secrets in place
// of their markers, for the host alone: no hook has seen them, and no record, log
// or notice has them. It is nil when there is nothing to put back. What cannot be
// put back safely is denied.
func (k *Kit) restoreSecrets(out *engine.Outcome) json.RawMessage {
	t := out.Event.Tool
	if out.Event.Kind != checkrein.PreToolUse || t == nil || !placeholder.In(t.Input) || out.Verdict.Decision == checkrein.Deny || !k.restores(&out.Event) || !k.guardsMarkers(out.Steps) {
		return nil
	}
	if k.standing.foreign {
		refuse(out, "the call did not come from the session's agent")
		return nil
	}
	input, values, err := secretguard.RestoreInput(&out.Event, k.home, secretguard.Env{MarkKey: k.markKey})
	switch v := &out.Verdict; {
	case err != nil:
		refuse(out, err.Error())
	case input == nil:
		return nil
	case v.Decision == checkrein.Ask:
		refuse(out, "the user would have to be asked ("+v.Reason+"), and then the agent may write the markers instead of the secrets")
	case shows(input, values):
		refuse(out, "a secret that is only part of a line cannot be kept out of records: replace whole lines")
	default:
		// In the record stand the markers.
		v.Input = t.Input
		return input
	}
	return nil
}

// refuse denies a call whose secrets cannot be put back, whatever was to be told before.
func refuse(out *engine.Outcome, why string) {
	no := secretguard.RefuseMarkers(why)
	no.Notice = out.Verdict.Notice
	out.Verdict, out.Told = no, ""
}

// guardsMarkers reports whether the guard that knows markers had a say.
func (k *Kit) guardsMarkers(steps []engine.Step) bool {
	return slices.ContainsFunc(steps, func(s engine.Step) bool { return s.Verdict != nil && k.Traits(s.Hook).Markers })
}

// shows reports whether what is recorded of arguments would show one of the values:
// hosts send the arguments once more when the tool has run.
func shows(input []byte, values []string) bool {
	masked := string(secret.Redactor{}.JSON(input))
	for _, value := range values {
		quoted := rawjson.Quote(value)
		if strings.Contains(masked, string(quoted[1:len(quoted)-1])) {
			return true
		}
	}
	return false
}
