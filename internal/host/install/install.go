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

// A Scope determines in which projects a host calls checkrein.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // in all projects of the user
	Project Scope = "project" // in one project
	Managed Scope = "machine" // in all projects of all users: the administrator's file of the host
)

// A Machine holds the directories whose files install edits, and the values that it writes into them.
type Machine struct {
	Home    string
	Project string // the root of the current project
	Getenv  func(string) string
	Program string // the path of checkrein that install writes into the files
	Hosts   []*wire.Host
	Specs   []*Spec // of the hosts in which checkrein can be installed, in display order
	// Config is the user's checkrein directory. Command lines name it and the state directory
	// explicitly, so that no environment variable, working directory or project can replace them.
	Config string
	State  state.Dir
	Caps   capability.Book // what is proven about hosts; the zero Book is empty
	// Ledger returns the ID of the host's ledger, to be stored in the record of an installation;
	// nil = the record has none.
	Ledger func(host string) string
	Now    func() time.Time
	// Committed reports whether git tracks a project file, or would with "git add --all";
	// nil = the project has no repository.
	Committed func(path string) bool
	// Reads returns the files from which checkrein reads hooks; nil = none.
	Reads func() []string
	Walls bool   // hosts start commands through checkrein-shell
	GOOS  string // the operating system; "" = this one
	// Temporary lists the directories whose contents do not last; nil = those of this system.
	Temporary []string
}

// findHost returns the wire table of the host called name, and whether there is one.
func (m *Machine) findHost(name string) (*wire.Host, bool) {
	for _, h := range m.Hosts {
		if h.Name == name {
			return h, true
		}
	}
	return nil, false
}

// DirFromEnv returns the value of the environment variable if that is an absolute path. Otherwise, or
// if variable is "", it returns the directory with the elements below in the home directory.
func (m *Machine) DirFromEnv(variable string, below ...string) string {
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

	// The host is on this machine if one of Folders is below the home directory or one of Programs
	// is in the PATH.
	Folders, Programs []string

	Timeout int // the host's timeout for a hook, in seconds; 0 = none is written
	Within  int // the deadline for checkrein's answer, in seconds
	Limits  []Limit
	// Shell is set if a POSIX shell runs the command line, started by the host or by a script that
	// install writes.
	Shell bool
	// ShutSuffix ends the command line of a gate if Shell is set. It makes the shell deny if checkrein
	// is missing, dies or does not answer.
	ShutSuffix string
	// Trap begins the command line of a gate. It makes the shell deny also if the shell itself exits
	// early, as bash does when it cannot start a process. "" = [trapExit].
	Trap string
	// Windows is the shell that runs the command line on Windows if Shell is set.
	Windows WindowsShell
	// Rootless is set if the payload does not name the project.
	Rootless bool

	// Files returns the host's files for a scope, each with the entries that it should have.
	Files func(m *Machine, s Scope, want []Entry) ([]File, error)
	// Managed is the file of the Managed scope on Linux and macOS, which only root may change.
	Managed ManagedFile
	// Agents is set if the host has a file for each of its agents, and an agent runs only its own hooks.
	Agents bool
	// Local is set if the project file is the user's private one, beside a file that others share.
	Local bool

	Repeats repeatMode
	Loads   []string // hosts whose files this one may load too; with TrustsFolders, only those in projects
	// OtherFiles returns files that the host also loads and that install does not edit.
	OtherFiles func(m *Machine) []string

	// Enabled checks whether the host runs hooks at all, and Trusted whether the user trusted the
	// hooks at these sites. nil = the host has no such setting.
	Enabled func(m *Machine, at []Site) Check
	Trusted func(m *Machine, at []Site) Check
	// TrustsFolders is set if the host trusts folders rather than hooks. Trusted does not check every
	// place where that trust can come from.
	TrustsFolders bool
	After         []string // notes for the user after the installation
	// Mistakes returns mistakes in plugins of other authors; nil = the host has no plugins, or they are
	// not checked.
	Mistakes func(m *Machine) []Mistake
	// Leftover describes what uninstalling leaves behind in the host; "" = nothing.
	Leftover func(m *Machine) string
	// Print returns the text that users must add themselves to a host that has no file to edit.
	Print func(m *Machine, want []Entry) string
}

// A ManagedFile is the administrator's file of a host. The zero ManagedFile means that it has none.
type ManagedFile struct {
	Linux, Darwin string
	Form          func(m *Machine) Form // nil = that of the user's file
}

// managedPath returns the path of the administrator's file on this system, or "" if the host has none.
func (m *Machine) managedPath(s *Spec) string {
	switch cmp.Or(m.GOOS, runtime.GOOS) {
	case "linux":
		return s.Managed.Linux
	case "darwin":
		return s.Managed.Darwin
	}
	return ""
}

// scopes returns the scopes for which the host has files on this system.
func (m *Machine) scopes(s *Spec) []Scope {
	if m.managedPath(s) == "" {
		return s.Scopes
	}
	return append(slices.Clone(s.Scopes), Managed)
}

// A Mistake is code in a plugin of another author that the host does not run as intended, without
// showing the author an error.
type Mistake struct {
	File  string
	Line  int
	Async bool // a promise that the host does not await; otherwise a module with missing members
	What  string
}

// A Limit holds the timeout and the deadline, in seconds, of an event for which they differ from those
// in Spec.
type Limit struct {
	Event           string
	Timeout, Within int
}

// A repeatMode describes what a host does if two of its files have the same command.
type repeatMode uint8

const (
	RunsOnce  repeatMode = iota // the host was observed to run it once
	RunsTwice                   // the host was observed to run it twice
	RunsUnknown
)

// A File is one of a host's files, with the entries that it should have.
type File struct {
	Path  string
	Form  Form
	Want  []Entry
	Mode  os.FileMode // of a new file; 0 = 0600 in User scope, 0644 in Project scope
	Trust string      // what the user must do to trust new entries, if the host requires that
}

// A Form reads and edits checkrein's entries in a file. A nil src stands for a file that does not
// exist.
type Form interface {
	// Put returns src with want as checkrein's only entries. Entries that are already right stay
	// where they are.
	Put(src []byte, want []Entry) ([]byte, error)
	// Drop returns src without checkrein's entries, or nil if it has nothing else.
	Drop(src []byte) ([]byte, error)
	// Find returns checkrein's entries in src.
	Find(src []byte) ([]Entry, error)
}

// An Entry is a command line of checkrein that a host's file has for an event.
type Entry struct {
	Event   string
	Command string
	Timeout int  // seconds, 0 = none
	Closed  bool // the host must not continue without the answer
	Tool    bool // the event is about a tool

	Group, Index int    // its position: the index of its group in the event's list, and its index in the group
	Narrowed     string // the matcher or other key that keeps it from running every time
}

// HostNames returns the hosts in which checkrein can be installed and whose payloads this build can
// answer.
func (m *Machine) HostNames() []string {
	var out []string
	for _, s := range m.Specs {
		if _, ok := m.findHost(s.Name); ok {
			out = append(out, s.Name)
		}
	}
	return out
}

// ErrUnknownHost means that this build does not support the host.
var ErrUnknownHost = errors.New("unknown agent")

// findSpec returns the spec and the wire table of the host called name. If there is none, the error
// wraps [ErrUnknownHost] and suggests names.
func (m *Machine) findSpec(name string) (*Spec, *wire.Host, error) {
	for _, s := range m.Specs {
		if s.Name != name {
			continue
		}
		if h, ok := m.findHost(name); ok {
			return s, h, nil
		}
	}
	return nil, nil, fmt.Errorf("%w %q%s", ErrUnknownHost, name, suggest.HintOr(name, m.HostNames(), "must be one of "+strings.Join(m.HostNames(), ", ")))
}

// ManagedHosts returns the hosts that have a file of the administrator on this system.
func (m *Machine) ManagedHosts() []string {
	return slices.DeleteFunc(m.HostNames(), func(name string) bool {
		s, _, err := m.findSpec(name)
		return err != nil || m.managedPath(s) == ""
	})
}

// PresentHosts returns the hosts that seem to be installed on this machine.
func (m *Machine) PresentHosts() []string {
	return slices.DeleteFunc(m.HostNames(), func(name string) bool {
		s, _, err := m.findSpec(name)
		return err != nil || !m.isPresent(s)
	})
}

// isPresent reports whether the host's folder is in the home directory or its program is in the PATH.
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

// wantedEntries returns the entries that a host should have: for the events that its wire table marks
// as wired, and for those in extra. It returns an error if the host has no event with a name in extra.
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
		case !s.Shell:
		case m.isWindows() && s.Windows != GitBash:
			if w.Closed {
				w.Command += shutOnWindows[s.Windows]
			}
		case w.Closed:
			w.Command = hostfiles.UnsetPrefix() + cmp.Or(s.Trap, trapExit) + w.Command + s.ShutSuffix
		default: // the shell has nothing to do afterwards
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

// isWindows reports whether command lines are written for Windows.
func (m *Machine) isWindows() bool { return cmp.Or(m.GOOS, runtime.GOOS) == "windows" }

// CouldNotAsk is the message that the shell prints if checkrein did not answer. It names remedies
// other than commands of checkrein, because the program may be missing.
const CouldNotAsk = "checkrein could not be asked, so this is denied. If its program is missing, install checkrein again, or remove its hooks from the settings of this agent; otherwise run checkrein status"

// The shell code around checkrein's call in the command line of a gate. It starts no process. It always
// prints a message, because some hosts run the tool on exit code 2 without one. Some hosts use the
// shell in SHELL instead of sh; fish and zsh understand ShutFailed too.
const (
	trapExit = `trap 'exit 2' EXIT; `
	Untrap   = ` && trap - EXIT`
	// ShutFailed is for hosts to which checkrein always exits with 0: any other code is a failure.
	ShutFailed = Untrap + ` && exit; echo '` + CouldNotAsk + `' >&2; exit 2`
	// ShutDenied is for hosts to which checkrein denies with exit code 2.
	ShutDenied = Untrap + ` && exit; case $? in 2) echo 'checkrein denies this';; *) echo '` + CouldNotAsk + `';; esac >&2; exit 2`
)

// Margin is how many seconds before the host's timeout checkrein must answer.
const Margin = 10

// concernsTool reports whether e is about a tool call.
func concernsTool(e *wire.Event) bool {
	return slices.ContainsFunc(e.Rows, func(r wire.Row) bool {
		return checkrein.ContractOf(r.Kind).Subject == checkrein.SubjectTool
	})
}
