// Package host lists the hosts that checkrein answers. Each has a folder: its package says what
// the host sends and honours, with its events and ways in facts.txt; row.go has the facts that other districts need, and package setup
// how checkrein is installed in it, how its transcripts are read and how it runs in the lab.
package host

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

//go:generate go run ./gen

// Table returns the hosts in order of importance. Callers must not change it.
func Table() []*wire.Host { return table[:] }

// Named finds a host.
func Named(name string) (*wire.Host, bool) {
	for _, h := range table {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Names lists the hosts' names.
func Names() []string {
	out := make([]string, len(table))
	for i, h := range table {
		out[i] = h.Name
	}
	return out
}

// DirArgs lists the arguments by which a host's own tools take the directory to
// work in, and which it obeys.
func DirArgs(name string) []string {
	if h, ok := Named(name); ok {
		return h.Dirs
	}
	return nil
}

// Sets lists the variables that hosts set for the commands that their models run.
func Sets() []string {
	var out []string
	for _, h := range table {
		out = append(out, h.Sets...)
	}
	return out
}

// Typing reports whether a host's model can type into programs that run without any
// hook being asked.
func Typing(name string) bool {
	h, ok := Named(name)
	return ok && h.Typing
}

// SettingsMember is the payload's member with the path of a settings file that an
// event's host is about to go by, "" for all other events.
func SettingsMember(ev *checkrein.Event) string {
	if ev.Kind != checkrein.Other {
		return ""
	}
	if h, ok := Named(ev.Host); ok {
		if e := h.EventNamed(ev.Native); e != nil {
			return e.Settings
		}
	}
	return ""
}

// Honours is what an event's host does with verdicts on it. Whoever speaks
// checkrein's own words honours everything.
func Honours(ev *checkrein.Event) checkrein.Effect {
	if h, ok := Named(ev.Host); ok {
		return h.Honours(ev.Native, ev.Kind)
	}
	return checkrein.AllEffects
}

// Unasked returns why an ask on an event would not reach a person; "" = it would.
// It looks where the host runs only if that decides.
func Unasked(ev *checkrein.Event, look func() wire.Seat) string {
	if h, ok := Named(ev.Host); ok {
		return h.Unasked(ev, look)
	}
	return ""
}
