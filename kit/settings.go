package kit

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// keepWired refuses settings that would switch us off, on the event by which a host
// tells that it is about to go by a changed file: whoever changed it, and how. No
// hook may decide there, and self-protection is what needs it.
func (k *Kit) keepWired(ev *checkrein.Event, out *engine.Outcome, v *view) {
	member := host.SettingsMember(ev)
	if member == "" || !slices.ContainsFunc(v.hooks, func(h checkrein.Hook) bool { return h.Name == protectPaths && h.Implied }) {
		return
	}
	getenv := func(name string) string { s, _ := environ.Lookup(k.environ, name); return s }
	verdict := selfprotect.SettingsChange(ev.Host, rawjson.GetText(ev.Raw, member), k.home, getenv, ev.Session.Root, ev.Session.Dir)
	if verdict.Decision != checkrein.NoOpinion {
		out.Verdict.Decision, out.Verdict.Reason = verdict.Decision, verdict.Reason
	}
}
