// Package host lists the hosts that checkrein supports. Each has a directory. Its package describes
// what the host sends and honours, with its events and quirks in facts.txt; row.go has the facts that
// other packages need; and package setup describes how checkrein is installed in it, how its
// transcripts are read, and how it runs in the lab.
package host

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

//go:generate go run ./gen

// Table returns the hosts in order of importance. Callers must not change it.
func Table() []*wire.Host { return table[:] }

// Find returns the host with this name, and whether there is one.
func Find(name string) (*wire.Host, bool) {
	for _, h := range table {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Names returns the names of the hosts in order of importance.
func Names() []string {
	out := make([]string, len(table))
	for i, h := range table {
		out[i] = h.Name
	}
	return out
}

// DirArgs returns the arguments for a working directory that the host's own tools obey.
func DirArgs(name string) []string {
	if h, ok := Find(name); ok {
		return h.Dirs
	}
	return nil
}

// CommandVars returns the environment variables that hosts set for the commands of their models.
func CommandVars() []string {
	var out []string
	for _, h := range table {
		out = append(out, h.CommandVars...)
	}
	return out
}

// TypesUnchecked reports whether the model of the host can type into running programs without calling
// a hook.
func TypesUnchecked(name string) bool {
	h, ok := Find(name)
	return ok && h.TypesUnchecked
}

// SettingsMember returns the member of the payload that has the path of a settings file which the
// event's host is about to apply, or "" if there is none.
func SettingsMember(ev *checkrein.Event) string {
	if ev.Kind != checkrein.Other {
		return ""
	}
	if h, ok := Find(ev.Host); ok {
		if e := h.FindEvent(ev.Native); e != nil {
			return e.Settings
		}
	}
	return ""
}

// Honours returns the effects of a verdict that the event's host honours. An unknown host, which uses
// checkrein's own format, honours all.
func Honours(ev *checkrein.Event) checkrein.Effect {
	if h, ok := Find(ev.Host); ok {
		return h.Honours(ev.Native, ev.Kind)
	}
	return checkrein.AllEffects
}

// WhyCannotAsk returns why an ask on ev would not reach the user, or "" if it would. It calls inspect
// only if the answer depends on the host's process.
func WhyCannotAsk(ev *checkrein.Event, inspect func() wire.HostProcess) string {
	if h, ok := Find(ev.Host); ok {
		return h.WhyCannotAsk(ev, inspect)
	}
	return ""
}
