package wire

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
)

// A Reach is whether an ask of ours reaches a person. The zero Reach is the safe
// one.
type Reach uint8

// The reaches.
const (
	Never      Reach = iota // the host has no ask, or takes it for something else
	AtTerminal              // it asks in the terminal that it runs in
	Always                  // it has windows of its own, or asks over a channel
)

// Asks says when a host asks a person on the events that honour an ask.
type Asks struct {
	Reach Reach
	// Alone are options of the host's command line with which it does not ask,
	// wherever it runs.
	Alone []string
}

// Unasked says why an ask on an event of this host does not reach a person; "" =
// it does. It looks at the host's process only if that decides: whether that has a
// terminal, and its command line, nil = unknown.
func (h *Host) Unasked(ev *checkrein.Event, process func() (terminal bool, args []string)) string {
	if h.Asks.Reach == Never {
		return h.Title + " cannot ask from a hook"
	}
	if h.Honours(ev.Native, ev.Kind)&checkrein.CanAsk == 0 {
		return h.Title + " cannot ask on " + ev.Native
	}
	if h.Asks.Reach == Always && len(h.Asks.Alone) == 0 {
		return ""
	}
	terminal, args := process()
	if option := h.Asks.alone(args); option != "" {
		return h.Title + " does not ask when it was started with " + option
	}
	if h.Asks.Reach == AtTerminal && !terminal {
		return h.Title + " cannot ask without a terminal"
	}
	return ""
}

// Unattended reports whether no person sits before the host's process, as far as one
// can tell: it has no terminal where it would ask in one, or was told not to ask.
func (h *Host) Unattended(process func() (terminal bool, args []string)) bool {
	if h.Asks.Reach == Always && len(h.Asks.Alone) == 0 {
		return false
	}
	terminal, args := process()
	return h.Asks.alone(args) != "" || h.Asks.Reach != Always && !terminal
}

// String says when an ask reaches a person, for the documentation.
func (a *Asks) String() string {
	if a.Reach == Never {
		return "A hook cannot ask the user here, so an ask is a denial that says so."
	}
	text := "An ask reaches the user"
	if a.Reach == AtTerminal {
		text += " only if the host's process has a terminal"
	}
	if len(a.Alone) > 0 {
		text += ", and not if it was started with " + list(a.Alone)
	}
	if a.Reach == Always && len(a.Alone) == 0 {
		return text + "."
	}
	return text + "; otherwise, it is a denial that says so."
}

func list(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// alone finds the option of a command line with which a host does not ask.
func (a *Asks) alone(args []string) string {
	for i, arg := range args {
		if arg == "--" && i > 0 {
			return "" // prompts follow
		}
		name, _, _ := strings.Cut(arg, "=")
		if i > 0 && slices.Contains(a.Alone, name) {
			return name
		}
	}
	return ""
}
