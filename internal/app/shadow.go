package app

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A shadow is a time in which verdicts are recorded but not enforced.
type shadow struct {
	until  string // "" = they are enforced
	paused bool   // a person paused enforcement; otherwise a file sets it
}

// currentShadow returns the shadow that a file or a person's pause sets, whichever lasts longer.
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

// localTime returns an RFC 3339 time in local time, for people.
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

// IsEnforced reports whether a hook counts even if hooks are off, paused or in shadow mode: managed
// hooks, and self-protection, without which an agent could switch off its guards.
func IsEnforced(h *checkrein.Hook) bool {
	return h.From.Scope == checkrein.ScopeManaged || h.Implied && h.Name == protectPaths
}

// IsTried reports whether a managed file puts its own hook into shadow mode. Other files cannot do
// that, and self-protection is in no file.
func IsTried(h *checkrein.Hook) bool {
	return h.Shadow && h.From.Scope == checkrein.ScopeManaged && !h.Implied
}

// triesAny reports whether one of the hooks on an event is tried in shadow mode.
func triesAny(hooks []checkrein.Hook, on checkrein.Kind) bool {
	for i := range hooks {
		if h := &hooks[i]; h.On == on && IsTried(h) {
			return true
		}
	}
	return false
}

// isUnenforced reports whether shadow mode changed the outcome. Calls that are denied anyway do not
// count.
func isUnenforced(out *engine.Outcome) bool {
	return out.Shadow != nil && out.Verdict.Decision != checkrein.Deny
}

// ledgerOutcome returns an outcome for the ledger: with the verdict that would have counted.
func ledgerOutcome(out *engine.Outcome) *engine.Outcome {
	if out.Shadow == nil {
		return out
	}
	would := *out
	would.Verdict = *out.Shadow
	would.Verdict.Notice = out.Verdict.Notice
	if v := &out.Verdict; v.Decision > would.Verdict.Decision { // as refuseUnwiring may
		would.Verdict.Decision, would.Verdict.Reason = v.Decision, v.Reason
	}
	return &would
}
