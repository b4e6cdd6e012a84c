package wire

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
)

// A Reach tells where a host can ask the user on behalf of a hook. The zero Reach is the safe one.
type Reach uint8

// The reaches.
const (
	Never      Reach = iota // the host cannot ask, or treats an ask as another decision
	AtTerminal              // it asks in the terminal that it runs in
	Always                  // it has its own windows, or asks over a channel
)

// Asks describes when a host asks the user, for events on which it honours an ask.
type Asks struct {
	Reach Reach
	// NoAskOptions are command-line options with which the host never asks.
	NoAskOptions []string
	// EditorArgs are the arguments with which an editor or another program starts the host in order to
	// drive it. The host then asks that program, even with an option of NoAskOptions.
	EditorArgs []string
}

// A HostProcess describes the process of a host.
type HostProcess struct {
	Terminal bool     // the process has a terminal
	Args     []string // its command line; nil = unknown
	// Agent reports whether another agent may have started the host and could answer in the user's place:
	// as the program that drives the host if driven is set, and otherwise in the terminal. nil = no agent
	// did.
	Agent func(driven bool) bool
}

// WhyCannotAsk returns why an ask on ev does not reach the user, or "" if it does. It calls inspect
// only if the answer depends on the host's process.
func (h *Host) WhyCannotAsk(ev *checkrein.Event, inspect func() HostProcess) string {
	if h.Asks.Reach == Never {
		return h.Title + " cannot ask from a hook"
	}
	if h.Honours(ev.Native, ev.Kind)&checkrein.CanAsk == 0 {
		return h.Title + " cannot ask on " + ev.Native
	}
	if h.Asks.Reach == Always && len(h.Asks.NoAskOptions) == 0 {
		return ""
	}
	process := inspect()
	if h.Asks.isDriven(process.Args) {
		return h.whyAgentAnswers(&process, true)
	}
	if option := h.Asks.noAskOption(process.Args); option != "" {
		return h.Title + " does not ask when it was started with " + option
	}
	if h.Asks.Reach == AtTerminal && !process.Terminal {
		return h.Title + " cannot ask without a terminal"
	}
	if h.Asks.Reach == AtTerminal {
		return h.whyAgentAnswers(&process, false)
	}
	return ""
}

// whyAgentAnswers returns a sentence that another agent may answer the host's questions, or "" if none
// may.
func (h *Host) whyAgentAnswers(process *HostProcess, driven bool) string {
	if process.Agent == nil || !process.Agent(driven) {
		return ""
	}
	return "Another agent may have started " + h.Title + " and could answer in your place"
}

// IsUnattended reports whether the host seems to run without a user: it asks in a terminal but has
// none, or it was started with an option of NoAskOptions.
func (h *Host) IsUnattended(inspect func() HostProcess) bool {
	if h.Asks.Reach == Always && len(h.Asks.NoAskOptions) == 0 {
		return false
	}
	process := inspect()
	if h.Asks.isDriven(process.Args) {
		return false
	}
	return h.Asks.noAskOption(process.Args) != "" || h.Asks.Reach != Always && !process.Terminal
}

// String describes for the documentation when an ask reaches the user.
func (a *Asks) String() string {
	if a.Reach == Never {
		return "A hook cannot ask the user here, so checkrein denies instead of asking, and says so."
	}
	text := "An ask reaches the user"
	switch options := codeList(a.NoAskOptions); {
	case a.Reach == AtTerminal && len(a.NoAskOptions) > 0:
		text += " only if the agent's process has a terminal and was not started with " + options
	case a.Reach == AtTerminal:
		text += " only if the agent's process has a terminal"
	case len(a.NoAskOptions) > 0:
		text += ", unless the agent was started with " + options
	}
	text += "."
	if len(a.EditorArgs) > 0 {
		text += " It also reaches the user of an editor that started the agent with `" + strings.Join(a.EditorArgs, " ") + "`, unless another agent may have started it."
	}
	if a.Reach == Always && len(a.NoAskOptions) == 0 {
		return text
	}
	return text + " In all other cases, checkrein denies instead of asking, and says so."
}

// codeList returns words as Markdown code, separated by commas.
func codeList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// noAskOption returns the option in args with which the host does not ask, or "" if there is none.
func (a *Asks) noAskOption(args []string) string {
	for i, arg := range args {
		if arg == "--" && i > 0 {
			return "" // the prompt follows
		}
		name, _, _ := strings.Cut(arg, "=")
		if i > 0 && slices.Contains(a.NoAskOptions, name) {
			return name
		}
	}
	return ""
}

// isDriven reports whether an editor or another program drives a host with these arguments.
func (a *Asks) isDriven(args []string) bool {
	if len(a.EditorArgs) == 0 {
		return false
	}
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		if len(args)-i >= len(a.EditorArgs) && slices.Equal(args[i:i+len(a.EditorArgs)], a.EditorArgs) || args[i] == strings.Join(a.EditorArgs, "=") {
			return true
		}
	}
	return false
}
