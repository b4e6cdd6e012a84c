package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
)

// runByHost returns why h is skipped for ev, because the event's host runs the hook's file itself, or
// "" if it is not skipped. Managed hooks are never skipped, nor are broken ones, which only fault, nor
// those of hosts such as Codex, which skip the hooks of a file that they do not trust.
func (k *Kit) runByHost(ev *checkrein.Event, h *checkrein.Hook) string {
	if ev.Host == "" {
		return ""
	}
	name, title := k.findRunningHost(h, ev.Session.Root)
	if name != ev.Host {
		return ""
	}
	return title + " runs the hooks of this file itself"
}

// HostRunningFile returns the title of the host that runs the file of h itself, or "" if there is
// none.
func (k *Kit) HostRunningFile(h *checkrein.Hook) string {
	_, title := k.findRunningHost(h, k.root)
	return title
}

// findRunningHost returns the name and the title of the host that runs the file of h itself in the
// project root. Both are "" if there is none.
func (k *Kit) findRunningHost(h *checkrein.Hook, root string) (name, title string) {
	if h.Dialect != "claude" || h.From.Scope == checkrein.ScopeManaged || h.Broken != "" {
		return "", ""
	}
	f, near := hostfiles.FindSymlinked(h.From.File, k.home, k.getenv, k.root, root)
	if f == nil || !near || f.Placed {
		return "", ""
	}
	known, ok := host.Find(f.Host)
	if !ok || known.FindEvent(claudeEvent(h)) == nil {
		return "", "" // the host does not have the event, so it does not run the hook
	}
	return known.Name, known.Title
}

// claudeEvent returns the name that the event of h has in files in Claude's format.
func claudeEvent(h *checkrein.Hook) string {
	if h.Event != "" {
		return h.Event
	}
	for _, a := range checkrein.ContractOf(h.On).Aliases {
		if a.Dialect == "claude" {
			return a.Name
		}
	}
	return h.On.String()
}
