package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
)

// runByHost returns why a hook is not run for an event of the host that runs the hook's file
// itself. An administrator's hooks are always run, and so are broken ones, which only fault,
// and those of a host that may not trust them, such as Codex, and skips them then.
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

// RunsItself returns the title of the host that runs a hook's file itself, "" if there is none.
func (k *Kit) RunsItself(h *checkrein.Hook) string {
	_, title := k.hostOf(h, k.root)
	return title
}

// hostOf returns the name and the title of the host that runs a hook's file itself, if there is one.
func (k *Kit) hostOf(h *checkrein.Hook, root string) (name, title string) {
	if h.Dialect != "claude" || h.From.Scope == checkrein.ScopeManaged || h.Broken != "" {
		return "", ""
	}
	f, near := hostfiles.FindLinked(h.From.File, k.home, k.getenv, k.root, root)
	if f == nil || !near || f.Placed {
		return "", ""
	}
	known, ok := host.Named(f.Host)
	if !ok || known.EventNamed(eventIn(h)) == nil {
		return "", "" // the host lacks the event, and runs no hook of it
	}
	return known.Name, known.Title
}

// eventIn returns the name of a hook's event in Claude-shaped files.
func eventIn(h *checkrein.Hook) string {
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
