// Package install edits the hosts' own files, so that each calls checkrein, and
// says what became of that.
//
// A host is a [Spec]: where its files lie, how our entries stand in them, and
// how to find out whether the host will run them. Which events are wired is in
// the table of the host's wire. Whatever else is in a file is kept as it is.
package install

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Scope is for whom a host is told to call us.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // everywhere
	Project Scope = "project" // in one project
)

// A Machine is whose files are edited, and what they are to name.
type Machine struct {
	Home    string
	Project string // the root of the project at hand
	Getenv  func(string) string
	Program string // the path of checkrein that hosts are given
	Hosts   []*wire.Host
	Specs   []*Spec // of the hosts that can be installed, in their order
	// Config is the person's checkrein directory. Lines pin it and the state, so
	// that no variable, folder or project puts others in their place.
	Config string
	State  state.Dir
	Caps   capability.Book // what was proven of hosts; the zero Book has nothing
	// Ledger returns the id of the ledger for the record of an installation; nil = the
	// record has none.
	Ledger func(host string) string
	Now    func() time.Time
	// Committed reports whether a repository has a file of the project, or takes
	// it with the next commit of everything; nil = there is none.
	Committed func(path string) bool
	// Reads lists the files from which checkrein reads hooks; nil = none.
	Reads func() []string
	GOOS  string // the system, "" = this one
	// Temporary are the directories whose content does not last; nil = this
	// system's.
	Temporary []string
}

// host finds a wire by name.
func (m *Machine) host(name string) (*wire.Host, bool) {
	for _, h := range m.Hosts {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Dir is a directory that a variable may move, else one below the home.
func (m *Machine) Dir(variable string, below ...string) string {
	if variable != "" {
		if v := m.Getenv(variable); filepath.IsAbs(v) {
			return v
		}
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}

// A Spec is what is known of a host's configuration.
type Spec struct {
	Name   string
	Scopes []Scope

	// The host is on this machine when one of these is: a folder below the
	// home, or a program.
	Folders, Programs []string

	Timeout int // what the host gives a hook, in seconds; 0 = it is not written
	Within  int // by when we answer, in seconds
	Limits  []Limit
	// Shell is set if a POSIX shell reads the line: the host's, or that of a
	// script which we write.
	Shell bool
	// Shut is how the line of a gate goes on there, so that the shell denies in
	// our stead when we are missing, die or do not answer.
	Shut string
	// Trap is how it begins there, so that the shell does the same when it ends before
	// the line does: bash gives up where it may start no process. "" = [trapExit].
	Trap string
	// Rootless is set if the payload does not say the project.
	Rootless bool

	// Files are the host's files of a scope with the entries that belong in each.
	Files func(m *Machine, s Scope, want []Entry) ([]File, error)
	// Agents is set if each of the files is that of an agent, which runs no hooks of the others.
	Agents bool
	// Local is set if the file of a project is one that the host keeps for the
	// person alone, beside a shared one.
	Local bool

	Repeats repeats
	Loads   []string // hosts whose files this one may load too; of those with trustsFolders, in projects only
	// Also are files that the host loads too and that we do not edit.
	Also func(m *Machine) []string

	Enabled func(m *Machine, at []Site) Check
	Trusted func(m *Machine, at []Site) Check
	// TrustsFolders is set for a host that trusts folders: trust may come from more places
	// than trusted looks at.
	TrustsFolders bool
	After         []string // what a person should know once it is installed
	// Mistakes finds those in plugins of other people; nil = it has none, or nobody looks.
	Mistakes func(m *Machine) []Mistake
	// Left is what stays with the host once we are gone, "" = nothing does.
	Left func(m *Machine) string
	// Print is what a person must put somewhere themselves, for a host that
	// has no file to edit.
	Print func(m *Machine, want []Entry) string
}

// A Mistake is something in a plugin of somebody else that the host does not
// take as it is meant, and does not complain of where its author would look.
type Mistake struct {
	File  string
	Line  int
	Async bool // a promise where none is waited for; else a file without all its members
	What  string
}

// A Limit is a timeout of one event that differs.
type Limit struct {
	Event           string
	Timeout, Within int
}

// repeats is what a host does with the same command in two of its files.
type repeats uint8

const (
	RunsOnce  repeats = iota // it was seen to run it once
	RunsTwice                // it was seen to run it twice
	RunsUnknown
)

// A File is one of a host's files.
type File struct {
	Path  string
	Form  Form
	Want  []Entry
	Mode  os.FileMode // of a new file; 0 = 0644
	Trust string      // what a person does so that the host runs new entries, if it asks for that
}

// A Form is how our entries stand in a file. A nil source is a file that is not
// there.
type Form interface {
	// Put returns the source with exactly these entries of ours. What is there
	// already and right stays where it is.
	Put(src []byte, want []Entry) ([]byte, error)
	// Drop returns the source without entries of ours; nil = nothing that is
	// not ours would be left in it.
	Drop(src []byte) ([]byte, error)
	// Find lists our entries.
	Find(src []byte) ([]Entry, error)
}

// An Entry is our line in a host's file for one of its events.
type Entry struct {
	Event   string
	Command string
	Timeout int  // seconds, 0 = none
	Closed  bool // what waits for the answer must not go on without it
	Tool    bool // the event is about a tool

	Group, Index int    // where it stands: the n-th group of the event, the n-th in it
	Narrowed     string // a matcher or another key that keeps it from running always
}

// Names lists the hosts that can be installed: those that this build answers.
func (m *Machine) Names() []string {
	var out []string
	for _, s := range m.Specs {
		if _, ok := m.host(s.Name); ok {
			out = append(out, s.Name)
		}
	}
	return out
}

// ErrUnknownHost reports that a host is none of ours.
var ErrUnknownHost = errors.New("unknown agent")

func (m *Machine) spec(name string) (*Spec, *wire.Host, error) {
	for _, s := range m.Specs {
		if s.Name != name {
			continue
		}
		if h, ok := m.host(name); ok {
			return s, h, nil
		}
	}
	return nil, nil, fmt.Errorf("%w %q%s", ErrUnknownHost, name, suggest.HintOr(name, m.Names(), "must be one of "+strings.Join(m.Names(), ", ")))
}

// Present lists the hosts that seem to be on this machine.
func (m *Machine) Present() []string {
	return slices.DeleteFunc(m.Names(), func(name string) bool {
		s, _, err := m.spec(name)
		return err != nil || !m.present(s)
	})
}

func (m *Machine) present(s *Spec) bool {
	for _, f := range s.Folders {
		if info, err := os.Stat(filepath.Join(m.Home, filepath.FromSlash(f))); err == nil && info.IsDir() {
			return true
		}
	}
	for _, p := range s.Programs {
		if m.lookPath(p) != "" {
			return true
		}
	}
	return false
}

// wanted are the entries that a host should have, in the order of its table.
func (m *Machine) wanted(s *Spec, h *wire.Host, scope Scope, more []string) ([]Entry, error) {
	var out []Entry
	for i := range h.Events {
		e := &h.Events[i]
		if !e.Wired && !slices.Contains(more, e.Native) {
			continue
		}
		timeout, within := s.Timeout, s.Within
		for _, l := range s.Limits {
			if l.Event == e.Native {
				timeout, within = l.Timeout, l.Within
			}
		}
		w := Entry{Event: e.Native, Timeout: timeout, Closed: e.Gates(), Tool: isTool(e)}
		w.Command = m.command(s, h, scope, e.Native, within)
		switch {
		case !s.Shell || !m.posix():
		case w.Closed:
			w.Command = hostfiles.Unset() + cmp.Or(s.Trap, trapExit) + w.Command + s.Shut
		default: // the shell has nothing to do afterwards
			w.Command = hostfiles.Unset() + "exec " + w.Command
		}
		out = append(out, w)
	}
	for _, name := range more {
		if h.EventNamed(name) == nil {
			return nil, fmt.Errorf("%s has no event %q: to list its events, run checkrein docs %s", h.Title, name, h.Name)
		}
	}
	return out, nil
}

// posix reports whether lines are written for a POSIX shell.
func (m *Machine) posix() bool {
	if m.GOOS == "" {
		return runtime.GOOS != "windows"
	}
	return m.GOOS != "windows"
}

// Unasked is what a shell says in our stead. If the program is gone, no command of it
// helps.
const Unasked = "checkrein could not be asked, so this is denied. If its program is missing, install checkrein again, or remove its hooks from the settings of this agent; otherwise run checkrein status"

// The ends of the line of a gate. Neither starts a process. Some hosts run the tool
// on an exit code of 2 without a word, so there always is one. People have other
// shells than sh in SHELL, which some hosts take: the first has nothing in it that
// fish or zsh reads otherwise.
const (
	trapExit = `trap 'exit 2' EXIT; `
	Untrap   = ` && trap - EXIT`
	// ShutFailed is for hosts that we answer with exit code 0 whatever we say: any
	// other comes from something that went wrong.
	ShutFailed = Untrap + ` && exit; echo '` + Unasked + `' >&2; exit 2`
	// ShutDenied is for hosts that we answer a denial with exit code 2.
	ShutDenied = Untrap + ` && exit; case $? in 2) echo 'checkrein denies this';; *) echo '` + Unasked + `';; esac >&2; exit 2`
)

// Margin is how many seconds before the host gives up we have answered.
const Margin = 10

func isTool(e *wire.Event) bool {
	return slices.ContainsFunc(e.Rows, func(r wire.Row) bool {
		return checkrein.ContractOf(r.Kind).Subject == checkrein.SubjectTool
	})
}
