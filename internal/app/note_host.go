package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/handler/command"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// NoteHost notes which process called this one for a host, so that commands
// which are a person's to give are refused when the host's agent gives them.
//
// It returns an error when the event came from a hook of ours, which would run
// hooks in hooks: whoever gets it answers without running any.
func (k *Kit) NoteHost(name string, ev *checkrein.Event) error {
	inside := liveagents.Note(k.state, &k.standing.call, hostfiles.IsAgent, k.about(name))
	k.addNoted(k.standing.call.Written)
	if k.standing.call.Written != "" && k.standing.pinned {
		k.reportReplaced(name)
	}
	if !inside && !k.marks.Again(ev) && !k.marks.Deep() {
		return nil
	}
	k.marks.Tell()
	return command.ErrInside
}

// toldReplaced is the file that marks a state directory that reportReplaced has reported.
const toldReplaced = "told-new"

// reportReplaced adds a notice, once, if the state directory is not the one with which
// checkrein was installed for a host. It is called for the first event of each process of
// a host, since the notes of those were lost too.
func (k *Kit) reportReplaced(host string) {
	if _, err := k.state.Read(toldReplaced, 1); state.IsMissing(err) && k.ledger.IsReplaced(host) {
		k.noteAnomaly(ledger.ReplacedText(k.state.Path()) + ". " + ledger.ReplacedRemedy)
		_ = k.state.Write(toldReplaced, nil) // else the next process of the host repeats it
	}
}

// NoteSelf is NoteHost for a program that is a host itself, before its agent
// starts to work. Its sessions are its own from then on.
func (k *Kit) NoteSelf(name string) {
	k.addNoted(liveagents.NoteSelf(k.state, k.about(name)))
	k.standing.self = true
}

// NoteProcess is NoteHost for a process whose events come by another way than a call.
func (k *Kit) NoteProcess(pid int) {
	if line, _, err := process.Line(pid); err == nil { // else it is gone
		k.addNoted(liveagents.NoteProcess(k.state, line[0].ID, k.caller, k.about("a program over "+k.caller)))
	}
}

// addNoted keeps the name of a note for the next record.
func (k *Kit) addNoted(name string) {
	if name != "" {
		k.standing.noted.Lock()
		k.standing.names = append(k.standing.names, name)
		k.standing.noted.Unlock()
	}
}

// takeNoted returns the names of the notes that no record has yet, and clears the list.
func (k *Kit) takeNoted() []string {
	k.standing.noted.Lock()
	defer k.standing.noted.Unlock()
	names := k.standing.names
	k.standing.names = nil
	return names
}

func (k *Kit) about(name string) func() liveagents.Host {
	return func() liveagents.Host {
		return liveagents.Host{Name: name, Config: k.places.Config}
	}
}

// whyUnasked returns why an ask on an event would not reach a person. Where a host
// called us it is looked where that runs; else a person is taken to try things out.
func (k *Kit) whyUnasked(called bool) func(*checkrein.Event) string {
	look := func() wire.Seat { return wire.Seat{Terminal: true} }
	if called {
		look = k.seat
	}
	return func(ev *checkrein.Event) string { return host.Unasked(ev, look) }
}

// seat is where the host runs that called us.
func (k *Kit) seat() wire.Seat {
	terminal, args := liveagents.Caller()
	return wire.Seat{Terminal: terminal, Args: args, Agent: k.isNested}
}

// isNested reports whether an agent may have started the host that called us. Below an
// editor people have terminals, too.
func (k *Kit) isNested(driven bool) bool {
	above, left, err := liveagents.Nested(k.state)
	if h, ok := host.Named(above); ok && h.Editor && !driven {
		return false
	}
	return above != "" || driven && (left || err != nil)
}
