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

// NoteHost records which process called this one for the host name, so that the host's agent cannot
// run commands that are reserved for people.
//
// It returns an error if the event came from one of checkrein's own hooks, because hooks would then
// run inside hooks. The caller then answers without running any.
func (k *Kit) NoteHost(name string, ev *checkrein.Event) error {
	inside := liveagents.NoteHost(k.state, &k.standing.call, hostfiles.IsAgent, k.hostNote(name))
	k.addNoted(k.standing.call.Written)
	if k.standing.call.Written != "" && k.standing.pinned {
		k.reportReplaced(name)
	}
	if !inside && !k.marks.IsSameEvent(ev) && !k.marks.IsTooDeep() {
		return nil
	}
	k.marks.ReportNesting()
	return command.ErrReentry
}

// replacedNoticeFile is the file which marks that reportReplaced has reported a replaced state
// directory.
const replacedNoticeFile = "told-new"

// reportReplaced adds a notice, once, if the state directory is not the one with which checkrein was
// installed for host. It runs at the first event of each host process, since the notes about processes
// were lost with the old directory.
func (k *Kit) reportReplaced(host string) {
	if _, err := k.state.Read(replacedNoticeFile, 1); state.IsMissing(err) && k.ledger.IsReplacedSinceInstall(host) {
		k.noteAnomaly(ledger.ReplacedText(k.state.Path()) + ". " + ledger.ReplacedRemedy)
		_ = k.state.Write(replacedNoticeFile, nil) // if this fails, the next process of the host repeats the notice
	}
}

// NoteSelf is NoteHost for a program that is a host itself. It is called before its agent starts to
// work, and from then on this process owns its sessions.
func (k *Kit) NoteSelf(name string) {
	k.addNoted(liveagents.NoteSelf(k.state, k.hostNote(name)))
	k.standing.self = true
}

// NoteProcess is NoteHost for the process pid, which sends its events without starting this program.
func (k *Kit) NoteProcess(pid int) {
	if line, _, err := process.Lineage(pid); err == nil { // otherwise, the process has ended
		k.addNoted(liveagents.NoteProcess(k.state, line[0].ID, k.caller, k.hostNote("a program over "+k.caller)))
	}
}

// addNoted stores the name of a new note for the next record, unless name is "".
func (k *Kit) addNoted(name string) {
	if name != "" {
		k.standing.notedMu.Lock()
		k.standing.names = append(k.standing.names, name)
		k.standing.notedMu.Unlock()
	}
}

// takeNoted returns the names of the notes that are not in a record yet, and clears the list.
func (k *Kit) takeNoted() []string {
	k.standing.notedMu.Lock()
	defer k.standing.notedMu.Unlock()
	names := k.standing.names
	k.standing.names = nil
	return names
}

// hostNote returns a function that returns the note about the host name.
func (k *Kit) hostNote(name string) func() liveagents.Host {
	return func() liveagents.Host {
		return liveagents.Host{Name: name, Config: k.places.Config}
	}
}

// whyUnasked returns a function that returns why an ask on an event would not reach the user, or "" if
// it would. If no host called, the user is assumed to be at the terminal.
func (k *Kit) whyUnasked(called bool) func(*checkrein.Event) string {
	look := func() wire.HostProcess { return wire.HostProcess{Terminal: true} }
	if called {
		look = k.callerProcess
	}
	return func(ev *checkrein.Event) string { return host.WhyCannotAsk(ev, look) }
}

// callerProcess returns how the host that called runs: whether it has a terminal, its arguments, and
// whether an agent started it.
func (k *Kit) callerProcess() wire.HostProcess {
	terminal, args := liveagents.CallerTerminal()
	return wire.HostProcess{Terminal: terminal, Args: args, Agent: k.isNested}
}

// isNested reports whether an agent may have started the host that called. An editor does not count as
// such an agent unless driven is set, because people also use terminals inside editors.
func (k *Kit) isNested(driven bool) bool {
	above, left, err := liveagents.ParentAgent(k.state)
	if h, ok := host.Find(above); ok && h.IsEditor && !driven {
		return false
	}
	return above != "" || driven && (left || err != nil)
}
