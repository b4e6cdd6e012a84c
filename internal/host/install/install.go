// Package install edits the hosts' own files, so that each calls checkrein, and
// says what became of that.
//
// A host is a [spec]: where its files lie, how our entries stand in them, and
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
	// Config is the person's checkrein directory. Lines pin it and the state, so
	// that no variable, folder or project puts others in their place.
	Config string
	State  state.Dir
	Caps   capability.Book // what was proven of hosts; the zero Book has nothing
	// Ledger returns the id of the ledger for the record of an installation; nil = the
	// record has none.
	Ledger func(host string) string
	// Plugins makes the files of a plugin of ours that runs inside a host.
	Plugins func(host string, line hostfiles.Line) []PluginFile
	Now     func() time.Time
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

// A PluginFile is one file of a plugin.
type PluginFile struct {
	Name string
	Text []byte
}

// plugin makes the files of a host's plugin.
func (m *Machine) plugin(host string) ([]PluginFile, error) {
	if m.Plugins != nil {
		if files := m.Plugins(host, m.line()); len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%w: this build has no plugin for %s", ErrNoPlace, host)
}

// dir is a directory that a variable may move, else one below the home.
func (m *Machine) dir(variable string, below ...string) string {
	if variable != "" {
		if v := m.Getenv(variable); filepath.IsAbs(v) {
			return v
		}
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}

// A spec is what is known of a host's configuration.
type spec struct {
	name   string
	scopes []Scope

	// The host is on this machine when one of these is: a folder below the
	// home, or a program.
	folders, programs []string

	timeout int // what the host gives a hook, in seconds; 0 = it is not written
	within  int // by when we answer, in seconds
	limits  []limit
	// shell tells that a POSIX shell reads the line: the host's, or that of a
	// script which we write.
	shell bool
	// shut is how the line of a gate goes on there, so that the shell denies in
	// our stead when we are missing, die or do not answer.
	shut string
	// trap is how it begins there, so that the shell does the same when it ends before
	// the line does: bash gives up where it may start no process. "" = [trapExit].
	trap string
	// rootless tells that the payload does not say the project.
	rootless bool

	// files are the host's files of a scope with the entries that belong in each.
	files func(m *Machine, s Scope, want []entry) ([]file, error)
	// local tells that the file of a project is one that the host keeps for the
	// person alone, beside a shared one.
	local bool

	repeats repeats
	loads   []string // hosts whose files this one may load too; of those with trustsFolders, in projects only
	// also are files that the host loads too and that we do not edit.
	also func(m *Machine) []string

	enabled func(m *Machine, at []Site) Check
	trusted func(m *Machine, at []Site) Check
	// trustsFolders is set for a host that trusts folders: trust may come from more places
	// than trusted looks at.
	trustsFolders bool
	after         []string // what a person should know once it is installed
	// left says what stays with the host once we are gone, "" = nothing does.
	left func(m *Machine) string
	// print is what a person must put somewhere themselves, for a host that
	// has no file to edit.
	print func(m *Machine, want []entry) string
}

// A limit is a timeout of one event that differs.
type limit struct {
	event           string
	timeout, within int
}

// repeats is what a host does with the same command in two of its files.
type repeats uint8

const (
	runsOnce  repeats = iota // it was seen to run it once
	runsTwice                // it was seen to run it twice
	unknown
)

// A file is one of a host's files.
type file struct {
	path string
	form form
	want []entry
	mode os.FileMode // of a new file; 0 = 0644
	// former tells that older installations put entries there: they are taken
	// out once they stand elsewhere.
	former bool
	trust  string // what a person does so that the host runs new entries, if it asks for that
}

// A form is how our entries stand in a file. A nil source is a file that is not
// there.
type form interface {
	// put returns the source with exactly these entries of ours. What is there
	// already and right stays where it is.
	put(src []byte, want []entry) ([]byte, error)
	// drop returns the source without entries of ours; nil = nothing that is
	// not ours would be left in it.
	drop(src []byte) ([]byte, error)
	// find lists our entries.
	find(src []byte) ([]entry, error)
}

// An entry is our line in a host's file for one of its events.
type entry struct {
	event   string
	command string
	timeout int  // seconds, 0 = none
	closed  bool // what waits for the answer must not go on without it
	tool    bool // the event is about a tool

	group, index int    // where it stands: the n-th group of the event, the n-th in it
	narrowed     string // a matcher or another key that keeps it from running always
}

var table = []*spec{
	&claude, &codex, &gemini, &opencode, &copilot, &cursor, &qwen, &openclaw,
	&kimi, &hermes, &dockerAgent, &cline, &windsurf, &kiro, &ahp,
}

// Names lists the hosts that can be installed: those that this build answers.
func (m *Machine) Names() []string {
	var out []string
	for _, s := range table {
		if _, ok := m.host(s.name); ok {
			out = append(out, s.name)
		}
	}
	return out
}

// ErrUnknownHost says that a host is none of ours.
var ErrUnknownHost = errors.New("unknown agent")

func (m *Machine) spec(name string) (*spec, *wire.Host, error) {
	for _, s := range table {
		if s.name != name {
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

func (m *Machine) present(s *spec) bool {
	for _, f := range s.folders {
		if info, err := os.Stat(filepath.Join(m.Home, filepath.FromSlash(f))); err == nil && info.IsDir() {
			return true
		}
	}
	for _, p := range s.programs {
		if m.lookPath(p) != "" {
			return true
		}
	}
	return false
}

// wanted are the entries that a host should have, in the order of its table.
func (m *Machine) wanted(s *spec, h *wire.Host, scope Scope, more []string) ([]entry, error) {
	var out []entry
	for i := range h.Events {
		e := &h.Events[i]
		if !e.Wired && !slices.Contains(more, e.Native) {
			continue
		}
		timeout, within := s.timeout, s.within
		for _, l := range s.limits {
			if l.event == e.Native {
				timeout, within = l.timeout, l.within
			}
		}
		w := entry{event: e.Native, timeout: timeout, closed: e.Gates(), tool: isTool(e)}
		w.command = m.command(s, h, scope, e.Native, within)
		switch {
		case !s.shell || !m.posix():
		case w.closed:
			w.command = hostfiles.Unset() + cmp.Or(s.trap, trapExit) + w.command + s.shut
		default: // the shell has nothing to do afterwards
			w.command = hostfiles.Unset() + "exec " + w.command
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

// unasked is what a shell says in our stead. If the program is gone, no command of it
// helps.
const unasked = "checkrein could not be asked, so this is denied. If its program is missing, install checkrein again, or remove its hooks from the settings of this agent; otherwise run checkrein status"

// The ends of the line of a gate. Neither starts a process. Some hosts run the tool
// on an exit code of 2 without a word, so there always is one. People have other
// shells than sh in SHELL, which some hosts take: the first has nothing in it that
// fish or zsh reads otherwise.
const (
	trapExit = `trap 'exit 2' EXIT; `
	untrap   = ` && trap - EXIT`
	// shutFailed is for hosts that we answer with exit code 0 whatever we say: any
	// other comes from something that went wrong.
	shutFailed = untrap + ` && exit; echo '` + unasked + `' >&2; exit 2`
	// shutDenied is for hosts that we answer a denial with exit code 2.
	shutDenied = untrap + ` && exit; case $? in 2) echo 'checkrein denies this';; *) echo '` + unasked + `';; esac >&2; exit 2`
)

// margin is how many seconds before the host gives up we have answered.
const margin = 10

func isTool(e *wire.Event) bool {
	return slices.ContainsFunc(e.Rows, func(r wire.Row) bool {
		return checkrein.ContractOf(r.Kind).Subject == checkrein.SubjectTool
	})
}
