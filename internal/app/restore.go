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

// markerKey returns the key of the markers that replace secrets on this machine. It reports false if
// there is none.
func (k *Kit) markerKey() (placeholder.Key, bool) {
	if k.state.Path() == "" {
		return placeholder.Key{}, false
	}
	key, err := k.ledger.Key()
	return placeholder.Key(key.Derive(ledger.LabelMarkers)), err == nil
}

// canRestore reports whether the host of ev keeps rewritten arguments from the model and lets hooks
// redact what the tool returns. It returns false for builds that were seen to ignore either.
func (k *Kit) canRestore(ev *checkrein.Event) bool {
	h, ok := host.Find(ev.Host)
	if !ok || !h.HidesRewrites || h.Honours("", checkrein.ToolResponseTransform)&checkrein.CanRewriteOutput == 0 {
		return false
	}
	_, at := k.hostDoubts(ev.Host)
	return !slices.ContainsFunc(at.AllDoubts(), func(d capability.Doubt) bool {
		return d.Row == capability.Rewrite || d.Row == capability.OutputReplaced
	})
}

// restoreSecrets returns the arguments of a decided call with secrets in place of their markers, or
// nil if there is nothing to restore. Only the host may get them; hooks, records, logs and notices
// never do. It denies a call whose secrets cannot be restored safely.
func (k *Kit) restoreSecrets(out *engine.Outcome) json.RawMessage {
	t := out.Event.Tool
	if out.Event.Kind != checkrein.PreToolUse || t == nil || !placeholder.MayHaveMarker(t.Input) || out.Verdict.Decision == checkrein.Deny || !k.canRestore(&out.Event) || !k.guardsMarkers(out.Steps) {
		return nil
	}
	if k.standing.foreign {
		refuseRestore(out, "the call did not come from the session's agent")
		return nil
	}
	input, values, err := secretguard.RestoreInput(&out.Event, k.home, secretguard.Env{MarkKey: k.markerKey})
	switch v := &out.Verdict; {
	case err != nil:
		refuseRestore(out, err.Error())
	case input == nil:
		return nil
	case v.Decision == checkrein.Ask:
		refuseRestore(out, "the user must be asked first ("+v.Reason+"), and the agent might then write the markers instead of the secrets")
	case recordWouldShow(input, values):
		refuseRestore(out, "a secret that is only part of a line cannot be kept out of records: replace whole lines")
	default:
		// The record has the markers.
		v.Input = t.Input
		return input
	}
	return nil
}

// refuseRestore denies a call whose secrets cannot be restored, and gives why as the reason. It drops
// the text about an earlier block.
func refuseRestore(out *engine.Outcome, why string) {
	no := secretguard.DenyMarkers(why)
	no.Notice = out.Verdict.Notice
	out.Verdict, out.HostReason = no, ""
}

// guardsMarkers reports whether the guard that handles markers took part in the decision of steps.
func (k *Kit) guardsMarkers(steps []engine.Step) bool {
	return slices.ContainsFunc(steps, func(s engine.Step) bool { return s.Verdict != nil && k.Traits(s.Hook).Markers })
}

// recordWouldShow reports whether a record of the arguments input would contain one of values in spite
// of redaction. That matters because hosts send the arguments again after the tool has run.
func recordWouldShow(input []byte, values []string) bool {
	masked := string(secret.Redactor{}.MaskJSON(input))
	for _, value := range values {
		quoted := rawjson.Quote(value)
		if strings.Contains(masked, string(quoted[1:len(quoted)-1])) {
			return true
		}
	}
	return false
}
