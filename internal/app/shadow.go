package app

import (
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A shadow is a period in which verdicts are recorded but not enforced.
type shadow struct {
	until  string // the end of the period, in RFC 3339; "" = verdicts are enforced
	paused bool   // the user paused enforcement; otherwise, a file sets shadow mode
}

// currentShadow returns the shadow that a file or the user's pause sets, whichever lasts longer.
func (k *Kit) currentShadow() shadow {
	until, end := k.fileShadow()
	if len(k.named) > 0 { // named files are for dry runs
		return shadow{until: until}
	}
	p, err := k.grants.CurrentPause()
	if err != nil {
		k.noteAnomaly(err.Error())
	}
	if p != nil && (until == "" || p.Until.After(end)) {
		return shadow{p.Until.UTC().Format(time.RFC3339), true}
	}
	return shadow{until: until}
}

// fileShadow returns the end of the shadow that a file sets, or "" if there is none now.
func (k *Kit) fileShadow() (until string, end time.Time) {
	end, err := time.Parse(time.RFC3339, k.config.Settings.Shadow)
	if err != nil || !k.now().Before(end) {
		return "", time.Time{}
	}
	return k.config.Settings.Shadow, end
}

// LocalTime returns text, an RFC 3339 time, as local time for people, or text itself if it is not
// valid.
func LocalTime(text string) string {
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
	until := LocalTime(s.until)
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

// IsInShadow reports whether its own file, which is the user's or a managed one, puts h into shadow mode
// now. No other file can do that, and self-protection is not in a file.
func (k *Kit) IsInShadow(h *checkrein.Hook) bool {
	return h.Shadow && h.From.Scope <= checkrein.ScopeUser && !setting.IsOver(h.ShadowUntil, k.now())
}

// Counts reports whether the answers of h count, as far as files decide: neither h nor everything is in
// shadow mode.
func (k *Kit) Counts(h *checkrein.Hook) bool {
	until, _ := k.fileShadow()
	return !k.IsInShadow(h) && (until == "" || IsEnforced(h))
}

// hasHookInShadow reports whether one of hooks is in shadow mode. Gates also judge events other than
// their own.
func (k *Kit) hasHookInShadow(hooks []checkrein.Hook) bool {
	for i := range hooks {
		if h := &hooks[i]; h.Shadow && k.IsInShadow(h) {
			return true
		}
	}
	return false
}

// listTried returns the user's own hooks in shadow mode.
func listTried(hooks []checkrein.Hook) []setting.TriedHook {
	var out []setting.TriedHook
	for i := range hooks {
		if h := &hooks[i]; h.Shadow && h.From.Scope == checkrein.ScopeUser {
			out = append(out, setting.TriedHook{ID: h.ID, Until: h.ShadowUntil})
		}
	}
	return out
}

// endTrials ends the shadow mode of the user's own hooks that the settings no longer list, because they
// are held back, and of packs whose time is over.
func (k *Kit) endTrials() {
	s := &k.config.Settings
	if !slices.Equal(s.Tried, k.fileSettings.Tried) {
		k.config.Hooks = slices.Clone(k.config.Hooks) // the originals may be the caller's
		for i := range k.config.Hooks {
			h := &k.config.Hooks[i]
			if h.From.Scope == checkrein.ScopeUser && !slices.Contains(s.Tried, setting.TriedHook{ID: h.ID, Until: h.ShadowUntil}) {
				h.Shadow, h.ShadowUntil = false, ""
			}
		}
	}
	s.Packs = slices.Clone(s.Packs)
	for i := range s.Packs {
		if p := &s.Packs[i]; setting.IsOver(p.Until, k.now()) {
			p.Shadow, p.Until = nil, ""
		}
	}
}

// A Trial is a hook, pack or rule in shadow mode.
type Trial struct {
	Name    string           `json:"name"` // as people type it, such as git/push-force
	From    checkrein.Origin `json:"-"`
	Origin  string           `json:"origin"`
	Managed bool             `json:"managed,omitempty"`
	Until   string           `json:"until,omitempty"` // RFC 3339; "" = it does not end
}

// Message returns a message about t.
func (t *Trial) Message() message.Message {
	m := t.Name + " (" + t.Origin + "): its decisions are recorded, but not enforced, because "
	end := ""
	if t.Until != "" {
		end = " until " + t.EndText()
	}
	if t.Managed {
		return message.New(m + "the administrator set it to shadow mode" + end)
	}
	return message.New(m+"it is in shadow mode"+end, message.Run("checkrein shadow report", "to see what it would decide"))
}

// EndText returns the end of t as local time, for people.
func (t *Trial) EndText() string { return LocalTime(t.Until) }

// trials returns what is in shadow mode, without duplicates, in the order of the files.
func (k *Kit) trials() []Trial {
	var out []Trial
	add := func(name string, from checkrein.Origin, until string) {
		t := Trial{name, from, from.String(), from.Scope == checkrein.ScopeManaged, until}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, h := range k.Hooks() {
		if k.IsInShadow(&h) && !h.Implied {
			add(h.Label(), h.From, h.ShadowUntil)
		}
	}
	for i := range k.packs.Tried {
		t := &k.packs.Tried[i]
		for _, name := range t.Names() {
			add(name, t.From, t.Until)
		}
	}
	return out
}

// appendTrials appends a hook in shadow mode for each part of a pack that a file puts into it.
func appendTrials(out []checkrein.Hook, trials []packset.Trial, issuers []string) []checkrein.Hook {
	for i := range trials {
		t := &trials[i]
		n := len(out)
		out = appendGuards(out, []packset.Part{t.Part}, t.Scope, issuers)
		if !slices.Contains(t.Part.Only, setting.EveryRule) {
			out = out[:n+1] // only the whole pack secrets redacts
		}
		for j := n; j < len(out); j++ {
			out[j].Shadow, out[j].ShadowUntil = true, t.Until
			out[j].ID = "shadow." + strings.Join(t.Names(), ",") + "." + out[j].ID
		}
	}
	return out
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
