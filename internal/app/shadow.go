package app

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A shadow is a period in which verdicts are recorded but not enforced.
type shadow struct {
	until  string // the end of the period, in RFC 3339; "" = verdicts are enforced
	paused bool   // the user paused enforcement; otherwise, a file sets shadow mode
}

// currentShadow returns the shadow that a file or the user's pause sets, whichever lasts longer.
func (k *Kit) currentShadow() shadow {
	var file time.Time
	until := ""
	if text := k.config.Settings.Shadow; text != "" {
		var err error
		if file, err = time.Parse(time.RFC3339, text); err == nil && k.now().Before(file) {
			until = text
		}
	}
	if len(k.named) > 0 { // named files are for dry runs
		return shadow{until: until}
	}
	p, err := k.grants.CurrentPause()
	if err != nil {
		k.noteAnomaly(err.Error())
	}
	if p != nil && (until == "" || p.Until.After(file)) {
		return shadow{p.Until.UTC().Format(time.RFC3339), true}
	}
	return shadow{until: until}
}

// localTime returns text, an RFC 3339 time, as local time for people, or text itself if it is not
// valid.
func localTime(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Local().Format(time.DateTime)
}

// notice returns a notice that verdicts are not enforced, or "" if they are.
func (s shadow) notice() string {
	if s.until == "" {
		return ""
	}
	until := localTime(s.until)
	what := "shadow mode until " + until
	if s.paused {
		what = "paused until " + until + " (to end the pause, run checkrein pause off)"
	}
	return what + ": " + onlyRecorded
}

const onlyRecorded = "hook decisions are recorded but not enforced, except for managed hooks and self-protection"

// IsEnforced reports whether h counts even if hooks are off, paused or in shadow mode. That holds for
// managed hooks, and for self-protection, without which an agent could switch off its guards.
func IsEnforced(h *checkrein.Hook) bool {
	return h.From.Scope == checkrein.ScopeManaged || h.Implied && h.Name == protectPaths
}

// IsInShadow reports whether a managed file puts its own hook h into shadow mode. Other files cannot
// do that, and self-protection is not in a file.
func IsInShadow(h *checkrein.Hook) bool {
	return h.Shadow && h.From.Scope == checkrein.ScopeManaged && !h.Implied
}

// hasHookInShadow reports whether one of the hooks on events of the kind on is in shadow mode.
func hasHookInShadow(hooks []checkrein.Hook, on checkrein.Kind) bool {
	for i := range hooks {
		if h := &hooks[i]; h.On == on && IsInShadow(h) {
			return true
		}
	}
	return false
}

// isUnenforced reports whether shadow mode changed the outcome. A call that is denied anyway does not
// count.
func isUnenforced(out *engine.Outcome) bool {
	return out.Shadow != nil && out.Verdict.Decision != checkrein.Deny
}

// ledgerOutcome returns out for the ledger, with the verdict that would have counted without shadow
// mode.
func ledgerOutcome(out *engine.Outcome) *engine.Outcome {
	if out.Shadow == nil {
		return out
	}
	would := *out
	would.Verdict = *out.Shadow
	would.Verdict.Notice = out.Verdict.Notice
	if v := &out.Verdict; v.Decision > would.Verdict.Decision { // refuseUnwiring may have made it stricter
		would.Verdict.Decision, would.Verdict.Reason = v.Decision, v.Reason
	}
	return &would
}
