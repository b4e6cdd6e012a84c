// Package userdirs finds the directories that belong to the user: those of the
// configuration, the hook folders and checkrein's state.
//
// At a terminal, environment variables determine them. A host passes on the variables of a
// project, so for calls by a host or git these are the last resort. The directories that
// `install` wrote into the command line come first, then those that it recorded in the
// account's home directory.
package userdirs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Places holds the directories of the user. A directory that there is none of is "".
type Places struct {
	Config string // checkrein's own files
	Agents string // HOOK.md folders
	State  string
	// Notices state which directories are not used, and why.
	Notices []string
}

// A Finder finds the user's directories.
type Finder struct {
	Environ []string
	// Config and State are the pinned directories. If they are set, no others are used.
	Config, State string
	// Called is set if a host or git started this process, so that its variables may come from a
	// project.
	Called bool
	// Projects lists directories whose content came from elsewhere. A directory inside them is
	// not the user's, unless the user's own variables lead there.
	Projects []string

	walker *walker // shared by all checks
}

// Find returns the user's directories. If a pinned directory does not belong to the user, the error
// gives the reason and the remedy.
func (a Finder) Find() (Places, error) {
	a.walker = new(walker)
	if a.Config != "" || a.State != "" {
		return a.pinnedPlaces()
	}
	var p Places
	if a.Called {
		if config, dir, ok := ReadNote(AccountHome()); ok {
			// Treat them as pinned, because ignoring them would lose stricter rules.
			if err := errors.Join(a.check(config), a.check(dir)); err != nil {
				return p, fmt.Errorf("the settings that checkrein install saved (%s, %s) are ignored: %w", config, dir, err)
			}
			p.State = dir
			return p.WithConfig(config), nil
		}
	}
	getenv := func(name string) string { v, _ := environ.Lookup(a.Environ, name); return v }
	// If a host's variables are rejected, the default places are used instead.
	home := func(name string) string {
		if a.Called && name == "HOME" {
			return AccountHome()
		}
		return ""
	}
	var why error
	p.Config = ConfigDir(getenv)
	if why = a.check(p.Config); why != nil {
		p.Notices = append(p.Notices, fmt.Sprintf("your configuration is not read from %s: %v", p.Config, why))
		p.Config = a.existingDefault(ConfigDir(home))
	}
	if p.State, why = state.DefaultPath(getenv); why == nil {
		why = a.check(p.State)
	}
	if why != nil {
		told := "nothing is saved: " + why.Error()
		if p.State != "" {
			told = fmt.Sprintf("nothing is saved in %s: %v", p.State, why)
		}
		p.Notices = append(p.Notices, told)
		p.State, _ = state.DefaultPath(home) // "" without a home directory
		p.State = a.existingDefault(p.State)
	}
	return p.WithConfig(p.Config), nil
}

// existingDefault returns dir, a default directory in the account's home directory, if it exists and
// is the user's, otherwise "".
func (a Finder) existingDefault(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || a.check(dir) != nil {
		return ""
	}
	return dir
}

// pinnedPlaces returns the directories from the command line. It fails unless both are set, absolute
// and the user's own.
func (a Finder) pinnedPlaces() (Places, error) {
	p := Places{Config: a.Config, State: a.State}
	for _, d := range [...]struct{ flag, dir string }{{"--config", a.Config}, {"--state", a.State}} {
		switch {
		case d.dir == "":
			return p, fmt.Errorf("%s is missing: use --config and --state together", d.flag)
		case !filepath.IsAbs(d.dir):
			return p, fmt.Errorf("%s %s must be an absolute path", d.flag, d.dir)
		}
		if err := a.check(d.dir); err != nil {
			return p, fmt.Errorf("%s %s: %w", d.flag, d.dir, err)
		}
	}
	return p.WithConfig(p.Config), nil
}

// Dirs returns the directories that are set.
func (p Places) Dirs() []string {
	return slices.DeleteFunc([]string{p.State, p.Config, p.Agents}, func(dir string) bool { return dir == "" })
}

// Home returns the home directory that contains the configuration directory, or "" if that is
// elsewhere.
func (p Places) Home() string {
	if dir := filepath.Dir(p.Config); filepath.Base(dir) == ".config" {
		return filepath.Dir(dir)
	}
	return ""
}

// WithConfig returns p with config as its configuration directory, and the hook folders beside it.
func (p Places) WithConfig(config string) Places {
	p.Config, p.Agents = config, ""
	if config != "" {
		p.Agents = filepath.Join(filepath.Dir(config), "agents", "hooks")
	}
	return p
}

// check returns an error if dir is not the user's own. Projects matter only for calls by a host or
// git.
func (a Finder) check(dir string) error {
	if dir == "" {
		return nil
	}
	if !a.Called {
		return a.walker.check(dir, nil)
	}
	return a.walker.check(dir, a.Projects)
}

// ConfigDir returns the configuration directory that the environment variables determine, or "" if
// none is set.
func ConfigDir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "checkrein")
	}
	if runtime.GOOS == "windows" {
		if dir := getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "checkrein")
		}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "checkrein")
	}
	return ""
}

// account overrides [AccountHome] in programs that are built for tests; "" means the system's record.
var account string

// AccountHome returns the home directory in the system's record of this user, or "" if there is none.
// No variable changes it.
func AccountHome() string {
	if account != "" {
		return account
	}
	return environ.AccountHome()
}

// isDefaultDir reports whether dir is a default place of checkrein's files in the account's home
// directory. Projects are not checked out over these places.
func isDefaultDir(dir string) bool {
	home := AccountHome()
	if home == "" {
		return false
	}
	return dir == filepath.Join(home, ".config", "checkrein") || dir == filepath.Join(home, ".local", "state", "checkrein")
}

// errTooManyLinks is the error for a path with more than maxLinks symlinks.
var errTooManyLinks = errors.New("the path contains too many links")
