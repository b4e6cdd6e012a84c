// Package host lists the hosts that checkrein answers. Each has a folder: its package describes what
// the host sends and honours, with its events and quirks in facts.txt; row.go has the facts that other
// districts need; and package setup describes how checkrein is installed in it, how its transcripts
// are read and how it runs in the lab.
package host

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

//go:generate go run ./gen

// Table returns the hosts in order of importance. Callers must not change it.
func Table() []*wire.Host { return table[:] }

// Find returns the host with this name.
func Find(name string) (*wire.Host, bool) {
	for _, h := range table {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Names returns the hosts' names.
func Names() []string {
	out := make([]string, len(table))
	for i, h := range table {
		out[i] = h.Name
	}
	return out
}

// DirArgs returns the arguments by which a host's own tools take a working directory, and which it
// obeys.
func DirArgs(name string) []string {
	if h, ok := Find(name); ok {
		return h.Dirs
	}
	return nil
}

// CommandVars returns the variables that hosts set for the commands that their models run.
func CommandVars() []string {
	var out []string
	for _, h := range table {
		out = append(out, h.CommandVars...)
	}
	return out
}

// TypesUnchecked reports whether a host's model can type into running programs without a call of a
// hook.
func TypesUnchecked(name string) bool {
	h, ok := Find(name)
	return ok && h.TypesUnchecked
}

// SettingsMember returns the payload's member with the path of a settings file that the event's host
// is about to apply, "" for all other events.
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

// Honours returns which effects of a verdict the event's host honours. An unknown host, which uses
// checkrein's own format, honours all.
func Honours(ev *checkrein.Event) checkrein.Effect {
	if h, ok := Find(ev.Host); ok {
		return h.Honours(ev.Native, ev.Kind)
	}
	return checkrein.AllEffects
}

// WhyCannotAsk returns why an ask on an event would not reach a person; "" = it would. It calls
// inspect only if the answer depends on the host's process.
func WhyCannotAsk(ev *checkrein.Event, inspect func() wire.HostProcess) string {
	if h, ok := Find(ev.Host); ok {
		return h.WhyCannotAsk(ev, inspect)
	}
	return ""
}
