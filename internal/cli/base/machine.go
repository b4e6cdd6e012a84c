package base

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// HostReports returns the reports of all known hosts.
func HostReports(env *console.Env) ([]install.Report, error) {
	m, err := Machine(env)
	if err != nil {
		return nil, err
	}
	_, _ = m.FindProgram(env.Program, "") // install reports an unsuitable location
	var out []install.Report
	for _, name := range m.HostNames() {
		h, err := m.Status(name)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// HotProgram returns the path of the checkrein beside this program, or "" if it is unknown.
func HotProgram(env *console.Env) string {
	switch {
	case env.Program == "":
		return ""
	case runtime.GOOS == "windows":
		return filepath.Join(filepath.Dir(env.Program), "checkrein.exe")
	}
	return filepath.Join(filepath.Dir(env.Program), "checkrein")
}

// Machine returns the user's machine for package install.
func Machine(env *console.Env) (*install.Machine, error) {
	dir, err := StateDir(env)
	if err != nil {
		return nil, err
	}
	m := &install.Machine{
		Home: environ.Home(env.Environ), Project: environ.RepoTop(env.Dir), Getenv: Getenv(env),
		Hosts: host.Table(), Specs: setups.Installs(), Config: Places(env).Config, State: dir, Caps: Capabilities(env, dir), Now: env.Now,
		Committed: func(path string) bool { return isTracked(env, path) },
		Reads:     sync.OnceValue(func() []string { return filesRead(env) }),
	}
	m.Ledger = func(host string) string { return installLedgerID(env, m, host) }
	return m, nil
}

// ManagedMachine returns the machine as root installs checkrein in it for all users, in the scope
// [install.Managed]: it has no user's directories, and its records are in the administrator's.
func ManagedMachine(env *console.Env) *install.Machine {
	dir := cmp.Or(env.Managed, config.ManagedDir())
	return &install.Machine{
		Home: dir, Project: dir, Getenv: func(string) string { return "" }, Hosts: host.Table(), Specs: setups.Installs(), State: state.NewDir(dir), Now: env.Now,
	}
}

// AccountEnviron returns an environment in which checkrein finds the directories of the account that lives
// in home as recorded when it was installed, since root's environment may differ.
func AccountEnviron(env *console.Env, home string) []string {
	out := []string{"HOME=" + home, "PATH=/usr/local/bin:/usr/bin:/bin"}
	for _, name := range []string{"TERM", "NO_COLOR", "LANG"} {
		if v := Getenv(env)(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	if config, dir, ok := userdirs.ReadNote(home); ok {
		for name, path := range map[string]string{"XDG_CONFIG_HOME": config, "XDG_STATE_HOME": dir} {
			if filepath.Base(path) == "checkrein" {
				out = append(out, name+"="+filepath.Dir(path))
			}
		}
	}
	return out
}

// installLedgerID returns the id of the ledger for the record of an installation in host. If the state
// directory was removed since the last installation, only a person at a terminal gets the new ledger's
// id; otherwise, the record keeps reporting the removal.
func installLedgerID(env *console.Env, m *install.Machine, host string) string {
	if len(hostsWithReplacedState(env, m, host)) > 0 && RequirePerson(env, AtTerminal) != nil {
		return ledger.Replaced
	}
	key, err := ledger.Open(ledger.Options{Dir: m.State, Now: env.Now}).Key()
	if err != nil {
		return "" // nothing can be recorded, which is reported separately
	}
	return key.ID()
}

// hostsWithReplacedState returns those of hosts, or of all hosts if none is named, whose command lines
// name the state directory although it is not the one with which checkrein was installed for them.
func hostsWithReplacedState(env *console.Env, m *install.Machine, hosts ...string) (out []string) {
	if len(hosts) == 0 {
		hosts = m.HostNames()
	}
	l := ledger.Open(ledger.Options{Dir: m.State, Now: env.Now})
	for _, name := range hosts {
		if !l.IsReplacedSinceInstall(name) {
			continue
		}
		if r, err := m.Status(name); err == nil && r.NamesState(m.State.Path()) {
			out = append(out, name)
		}
	}
	return out
}

// filesRead returns the files from which the hooks of the current project are read.
func filesRead(env *console.Env) (out []string) {
	k, err := OpenKit(env, app.Options{})
	if err != nil {
		return nil // other commands report the error
	}
	for _, f := range k.Files() {
		if f.Hooks > 0 {
			out = append(out, f.Path)
		}
	}
	return out
}

// Capabilities returns the book of what was proven about hosts, in the state directory dir.
func Capabilities(env *console.Env, dir state.Dir) capability.Book {
	return capability.Book{Dir: dir, Secret: ledger.Open(ledger.Options{Dir: dir, Now: env.Now}).SecretFunc(ledger.LabelCaps), Witness: prove.Store{Dir: dir}.Witness()}
}

// isTracked reports whether the current repository does not ignore the file at path, so that it is
// tracked or can be committed.
func isTracked(env *console.Env, path string) bool {
	ctx := context.Background()
	r, err := git.OpenRepo(ctx, env.Dir, env.Environ)
	if err != nil {
		return false
	}
	return r.Top != "" && !r.Ignores(ctx, path)
}

// SudoLine returns the command that installs checkrein's programs for the system as root or, if undo
// is set, uninstalls them.
func SudoLine(env *console.Env, undo bool) string {
	verb := "install"
	if undo {
		verb = "uninstall"
	}
	return "sudo " + approval.ShellQuote(HotProgram(env)) + " " + verb + " --system"
}

// ReplacedState returns a description of the state directory if it is not the one with which checkrein
// was installed, or "" if it is.
func ReplacedState(env *console.Env, dir state.Dir) string {
	m, err := Machine(env)
	if err != nil || len(hostsWithReplacedState(env, m)) == 0 {
		return ""
	}
	return ledger.ReplacedText(dir.Path())
}

// Places returns the directories of the user at the terminal. Environment variables count, unless they
// name directories of other users.
func Places(env *console.Env) userdirs.Places {
	// Find fails only for pinned directories.
	p, _ := userdirs.Finder{Environ: env.Environ}.Find()
	return p
}

// WarnPlaces prints which environment variables for directories do not count.
func WarnPlaces(env *console.Env) {
	for _, line := range Places(env).Notices {
		fmt.Fprintln(env.Stderr, "checkrein:", line)
	}
}

// UserDir returns the user's configuration directory. It returns an error if there is none.
func UserDir(env *console.Env) (string, error) {
	p := Places(env)
	if p.Config == "" {
		return "", AsRefusal(errors.New(strings.Join(append(p.Notices, "checkrein does not know where your files are: set HOME to your home directory"), "; ")))
	}
	return p.Config, nil
}

// StateDir returns the user's state directory. It returns an error if there is none.
func StateDir(env *console.Env) (state.Dir, error) {
	p := Places(env)
	if p.State == "" {
		return state.Dir{}, AsRefusal(errors.New(strings.Join(p.Notices, "; ")))
	}
	return ledger.SealedDir(state.NewDir(p.State)), nil
}
