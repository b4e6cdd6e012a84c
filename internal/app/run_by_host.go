package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
)

// runByHost returns why a hook is skipped for an event of a host that runs the hook's file itself, or
// "" if it is not skipped. Managed hooks always run, and so do broken ones, which only fault, and
// those of hosts that may not trust a file and then skip its hooks, such as Codex.
func (k *Kit) runByHost(ev *checkrein.Event, h *checkrein.Hook) string {
	if ev.Host == "" {
		return ""
	}
	name, title := k.hostOf(h, ev.Session.Root)
	if name != ev.Host {
		return ""
	}
	return title + " runs the hooks of this file itself"
}

// HostRunning returns the title of the host that runs a hook's file itself, or "" if there is none.
func (k *Kit) HostRunning(h *checkrein.Hook) string {
	_, title := k.hostOf(h, k.root)
	return title
}

// hostOf returns the name and the title of the host that runs a hook's file itself, or "" if there is
// none.
func (k *Kit) hostOf(h *checkrein.Hook, root string) (name, title string) {
	if h.Dialect != "claude" || h.From.Scope == checkrein.ScopeManaged || h.Broken != "" {
		return "", ""
	}
	f, near := hostfiles.FindSymlinked(h.From.File, k.home, k.getenv, k.root, root)
	if f == nil || !near || f.Placed {
		return "", ""
	}
	known, ok := host.Find(f.Host)
	if !ok || known.FindEvent(claudeEvent(h)) == nil {
		return "", "" // the host lacks the event, so it runs no hook for it
	}
	return known.Name, known.Title
}

// claudeEvent returns the name of a hook's event in Claude-shaped files.
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
