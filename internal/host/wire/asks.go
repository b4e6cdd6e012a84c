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

// Asks describes when a host asks a person on the events that honour an ask.
type Asks struct {
	Reach Reach
	// Alone are options of the host's command line with which it does not ask,
	// wherever it runs.
	Alone []string
	// Driven are the words of the command line with which an editor or the like drives
	// the host and is asked in its person's place, also with an option of Alone.
	Driven []string
}

// A Seat is what can be told of where a host runs.
type Seat struct {
	Terminal bool     // its process has one
	Args     []string // its command line; nil = unknown
	// Agent reports whether an agent may have started it, and may answer in a person's
	// place: in the terminal, or as what drives it. nil = none did.
	Agent func(driven bool) bool
}

// Unasked returns why an ask on an event of this host does not reach a person; "" =
// it does. It looks where the host runs only if that decides.
func (h *Host) Unasked(ev *checkrein.Event, look func() Seat) string {
	if h.Asks.Reach == Never {
		return h.Title + " cannot ask from a hook"
	}
	if h.Honours(ev.Native, ev.Kind)&checkrein.CanAsk == 0 {
		return h.Title + " cannot ask on " + ev.Native
	}
	if h.Asks.Reach == Always && len(h.Asks.Alone) == 0 {
		return ""
	}
	seat := look()
	if h.Asks.driven(seat.Args) {
		return h.answered(&seat, true)
	}
	if option := h.Asks.alone(seat.Args); option != "" {
		return h.Title + " does not ask when it was started with " + option
	}
	if h.Asks.Reach == AtTerminal && !seat.Terminal {
		return h.Title + " cannot ask without a terminal"
	}
	if h.Asks.Reach == AtTerminal {
		return h.answered(&seat, false)
	}
	return ""
}

// answered reports that another agent may answer what this host asks; "" = it does not.
func (h *Host) answered(seat *Seat, driven bool) string {
	if seat.Agent == nil || !seat.Agent(driven) {
		return ""
	}
	return "Another agent may have started " + h.Title + " and could answer in your place"
}

// Unattended reports whether no person sits before the host's process, as far as one
// can tell: it has no terminal where it would ask in one, or was told not to ask.
func (h *Host) Unattended(look func() Seat) bool {
	if h.Asks.Reach == Always && len(h.Asks.Alone) == 0 {
		return false
	}
	seat := look()
	if h.Asks.driven(seat.Args) {
		return false
	}
	return h.Asks.alone(seat.Args) != "" || h.Asks.Reach != Always && !seat.Terminal
}

// String returns when an ask reaches a person, for the documentation.
func (a *Asks) String() string {
	if a.Reach == Never {
		return "A hook cannot ask the user here, so an ask is a denial that says so."
	}
	text := "An ask reaches the user"
	if a.Reach == AtTerminal {
		text += " only if the agent's process has a terminal"
	}
	if len(a.Alone) > 0 {
		text += ", and not if it was started with " + list(a.Alone)
	}
	if len(a.Driven) > 0 {
		text += "; an editor that started it with `" + strings.Join(a.Driven, " ") + "` gets it too, unless another agent may have started it"
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

// driven reports whether a command line is one with which an editor drives the host.
func (a *Asks) driven(args []string) bool {
	if len(a.Driven) == 0 {
		return false
	}
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		if len(args)-i >= len(a.Driven) && slices.Equal(args[i:i+len(a.Driven)], a.Driven) || args[i] == strings.Join(a.Driven, "=") {
			return true
		}
	}
	return false
}
