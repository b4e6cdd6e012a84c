// Package install edits the configuration files of hosts so that each calls checkrein, and reports the
// state of those installations.
//
// A [Spec] describes a host: where its files are, how checkrein's entries are written in them, and how
// to find out whether the host runs them. The host's wire table lists the events to install.
// Everything else in a file stays as it is.
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

// A Scope is where a host calls checkrein: in all projects of a user or in one project.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // in all projects of the user
	Project Scope = "project" // in one project
)

// A Machine holds the directories whose files are edited and the values that are written into them.
type Machine struct {
	Home    string
	Project string // the root of the current project
	Getenv  func(string) string
	Program string // the path of checkrein that is written into the files
	Hosts   []*wire.Host
	Specs   []*Spec // of the hosts that can be installed, in display order
	// Config is the user's checkrein directory. Command lines name it and the state directory
	// explicitly, so that no variable, working directory or project can replace them.
	Config string
	State  state.Dir
	Caps   capability.Book // what was proven of hosts; the zero Book is empty
	// Ledger returns the ID of the ledger for the record of an installation; nil = the record has
	// none.
	Ledger func(host string) string
	Now    func() time.Time
	// Committed reports whether a project file is in the repository or would be added by the next
	// commit of everything; nil = there is no repository.
	Committed func(path string) bool
	// Reads returns the files from which checkrein reads hooks; nil = none.
	Reads func() []string
	GOOS  string // the operating system; "" = this one
	// Temporary lists the directories whose contents do not last; nil = those of this system.
	Temporary []string
}

// findHost returns the wire with this name.
func (m *Machine) findHost(name string) (*wire.Host, bool) {
	for _, h := range m.Hosts {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// Dir returns the value of an environment variable if it is an absolute path, otherwise the directory
// below the home.
func (m *Machine) Dir(variable string, below ...string) string {
	if variable != "" {
		if v := m.Getenv(variable); filepath.IsAbs(v) {
			return v
		}
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}

// A Spec describes the configuration files of a host.
type Spec struct {
	Name   string
	Scopes []Scope

	// The host is on this machine if one of these folders is below the home or one of these programs
	// is in PATH.
	Folders, Programs []string

	Timeout int // what the host allows a hook, in seconds; 0 = no timeout is written
	Within  int // the deadline for checkrein's answer, in seconds
	Limits  []Limit
	// Shell is set if a POSIX shell reads the command line: the host's, or that of a script that
	// install writes.
	Shell bool
	// ShutSuffix ends the command line of a gate there, so that the shell denies if checkrein is
	// missing, dies or does not answer.
	ShutSuffix string
	// Trap begins that command line, so that the shell also denies if it exits early itself: bash
	// gives up when it cannot start a process. "" = [trapExit].
	Trap string
	// Rootless is set if the payload does not name the project.
	Rootless bool

	// Files returns the host's files of a scope with the entries that belong in each.
	Files func(m *Machine, s Scope, want []Entry) ([]File, error)
	// Agents is set if each file belongs to one agent, which does not run the hooks of the others.
	Agents bool
	// Local is set if the file of a project is private to the user, beside a shared one.
	Local bool

	Repeats repeatMode
	Loads   []string // hosts whose files this one may load too; with TrustsFolders, only those in projects
	// OtherFiles returns files that the host also loads and that install does not edit.
	OtherFiles func(m *Machine) []string

	// Enabled and Trusted report whether the host runs hooks at all, and whether the user trusted
	// these.
	Enabled func(m *Machine, at []Site) Check
	Trusted func(m *Machine, at []Site) Check
	// TrustsFolders is set for a host that trusts folders: trust may come from more places than
	// Trusted checks.
	TrustsFolders bool
	After         []string // what the user should know after the installation
	// Mistakes finds mistakes in other authors' plugins; nil = the host has no plugins or they are not
	// checked.
	Mistakes func(m *Machine) []Mistake
	// Leftover describes what stays with the host after an uninstallation; "" = nothing does.
	Leftover func(m *Machine) string
	// Print returns the text that users must add themselves, for a host without a file to edit.
	Print func(m *Machine, want []Entry) string
}

// A Mistake is code in another author's plugin that the host does not run as intended, without an
// error where the author would see it.
type Mistake struct {
	File  string
	Line  int
	Async bool // a promise that the host does not await; otherwise a module with missing members
	What  string
}

// A Limit is the timeout of an event that differs from the host's.
type Limit struct {
	Event           string
	Timeout, Within int
}

// A repeatMode is what a host does with the same command in two of its files.
type repeatMode uint8

const (
	RunsOnce  repeatMode = iota // observed to run it once
	RunsTwice                   // observed to run it twice
	RunsUnknown
)

// A File is one of a host's files.
type File struct {
	Path  string
	Form  Form
	Want  []Entry
	Mode  os.FileMode // of a new file; 0 = 0600 for the user, 0644 in a project
	Trust string      // how to make the host run new entries, if it asks for trust
}

// A Form reads and writes checkrein's entries in a file. A nil source is a file that does not exist.
type Form interface {
	// Put returns the source with exactly these entries of checkrein. Entries that are already right
	// stay where they are.
	Put(src []byte, want []Entry) ([]byte, error)
	// Drop returns the source without checkrein's entries; nil = nothing else would be left in it.
	Drop(src []byte) ([]byte, error)
	// Find returns checkrein's entries.
	Find(src []byte) ([]Entry, error)
}

// An Entry is checkrein's command line in a host's file for one of its events.
type Entry struct {
	Event   string
	Command string
	Timeout int  // seconds, 0 = none
	Closed  bool // the host must not go on without the answer
	Tool    bool // the event is about a tool

	Group, Index int    // its position: the group of the event, and the index in the group
	Narrowed     string // a matcher or another key because of which it does not always run
}

// Names returns the hosts that can be installed and that this build answers.
func (m *Machine) Names() []string {
	var out []string
	for _, s := range m.Specs {
		if _, ok := m.findHost(s.Name); ok {
			out = append(out, s.Name)
		}
	}
	return out
}

// ErrUnknownHost reports a host that this build does not support.
var ErrUnknownHost = errors.New("unknown agent")

// findSpec returns the spec and the wire of a host, or an error that suggests names.
func (m *Machine) findSpec(name string) (*Spec, *wire.Host, error) {
	for _, s := range m.Specs {
		if s.Name != name {
			continue
		}
		if h, ok := m.findHost(name); ok {
			return s, h, nil
		}
	}
	return nil, nil, fmt.Errorf("%w %q%s", ErrUnknownHost, name, suggest.HintOr(name, m.Names(), "must be one of "+strings.Join(m.Names(), ", ")))
}

// PresentHosts returns the hosts that seem to be on this machine.
func (m *Machine) PresentHosts() []string {
	return slices.DeleteFunc(m.Names(), func(name string) bool {
		s, _, err := m.findSpec(name)
		return err != nil || !m.isPresent(s)
	})
}

func (m *Machine) isPresent(s *Spec) bool {
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

// wantedEntries returns the entries that a host should have, in the order of its wire table, for the
// table's events and extra.
func (m *Machine) wantedEntries(s *Spec, h *wire.Host, scope Scope, extra []string) ([]Entry, error) {
	var out []Entry
	for i := range h.Events {
		e := &h.Events[i]
		if !e.Wired && !slices.Contains(extra, e.Native) {
			continue
		}
		timeout, within := s.Timeout, s.Within
		for _, l := range s.Limits {
			if l.Event == e.Native {
				timeout, within = l.Timeout, l.Within
			}
		}
		w := Entry{Event: e.Native, Timeout: timeout, Closed: e.IsGate(), Tool: concernsTool(e)}
		w.Command = m.commandLine(s, h, scope, e.Native, within)
		switch {
		case !s.Shell || !m.usesPOSIXShell():
		case w.Closed:
			w.Command = hostfiles.UnsetPrefix() + cmp.Or(s.Trap, trapExit) + w.Command + s.ShutSuffix
		default: // nothing for the shell to do afterwards
			w.Command = hostfiles.UnsetPrefix() + "exec " + w.Command
		}
		out = append(out, w)
	}
	for _, name := range extra {
		if h.FindEvent(name) == nil {
			return nil, fmt.Errorf("%s has no event %q: to list its events, run checkrein docs %s", h.Title, name, h.Name)
		}
	}
	return out, nil
}

// usesPOSIXShell reports whether command lines are written for a POSIX shell.
func (m *Machine) usesPOSIXShell() bool {
	if m.GOOS == "" {
		return runtime.GOOS != "windows"
	}
	return m.GOOS != "windows"
}

// CouldNotAsk is the message that a shell prints when checkrein did not answer. If the program is
// missing, no command of checkrein helps.
const CouldNotAsk = "checkrein could not be asked, so this is denied. If its program is missing, install checkrein again, or remove its hooks from the settings of this agent; otherwise run checkrein status"

// How the command line of a gate begins and ends. None of them starts a process. Some hosts
// run the tool on exit code 2 without a message, so there always is one. Some hosts use the
// shell in SHELL, which may not be sh: fish and zsh read ShutFailed the same way.
const (
	trapExit = `trap 'exit 2' EXIT; `
	Untrap   = ` && trap - EXIT`
	// ShutFailed is for hosts to which checkrein always exits with 0: any other code is a failure.
	ShutFailed = Untrap + ` && exit; echo '` + CouldNotAsk + `' >&2; exit 2`
	// ShutDenied is for hosts to which checkrein denies with exit code 2.
	ShutDenied = Untrap + ` && exit; case $? in 2) echo 'checkrein denies this';; *) echo '` + CouldNotAsk + `';; esac >&2; exit 2`
)

// Margin is how many seconds before the host's timeout checkrein answers.
const Margin = 10

func concernsTool(e *wire.Event) bool {
	return slices.ContainsFunc(e.Rows, func(r wire.Row) bool {
		return checkrein.ContractOf(r.Kind).Subject == checkrein.SubjectTool
	})
}
