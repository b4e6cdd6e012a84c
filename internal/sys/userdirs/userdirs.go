// Package userdirs finds the directories that are the person's own: those of their configuration,
// their hook folders and checkrein's state.
//
// At a terminal, environment variables determine them. A host passes on a project's variables, so for
// calls by a host or git they count last: first what `install` wrote into the command line, then what
// it recorded in the home of the user id.
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

// Places are the directories of a person; "" if there is none.
type Places struct {
	Config string // checkrein's own files
	Agents string // HOOK.md folders
	State  string
	// Notices explain which directories are not used, and why.
	Notices []string
}

// A Finder finds a person's directories for a caller.
type Finder struct {
	Environ []string
	// Config and State are pinned: they count, or nothing does.
	Config, State string
	// Called is set if a host or git started this process: its variables may come from a project.
	Called bool
	// Projects are directories that came from elsewhere; a directory inside them is not the person's.
	// Only a person's own variables may lead there.
	Projects []string

	walker *walker // shared by all checks
}

// Find returns the person's directories. The error explains why a pinned one is not theirs, and what
// to do.
func (a Finder) Find() (Places, error) {
	a.walker = new(walker)
	if a.Config != "" || a.State != "" {
		return a.pinnedPlaces()
	}
	var p Places
	if a.Called {
		if config, dir, ok := ReadNote(AccountHome()); ok {
			// They count as pinned: ignoring them would lose stricter rules.
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
	p.Config = UserDir(getenv)
	if why = a.check(p.Config); why != nil {
		p.Notices = append(p.Notices, fmt.Sprintf("your configuration is not read from %s: %v", p.Config, why))
		p.Config = a.existingDefault(UserDir(home))
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
		p.State, _ = state.DefaultPath(home) // "" without a home
		p.State = a.existingDefault(p.State)
	}
	return p.WithConfig(p.Config), nil
}

// existingDefault returns a directory in the home of the user id if it exists and is the person's,
// else "".
func (a Finder) existingDefault(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || a.check(dir) != nil {
		return ""
	}
	return dir
}

// pinnedPlaces returns the directories of the command line; both must be given.
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

// Home returns the home directory that contains the configuration; "" if it is elsewhere.
func (p Places) Home() string {
	if dir := filepath.Dir(p.Config); filepath.Base(dir) == ".config" {
		return filepath.Dir(dir)
	}
	return ""
}

// WithConfig returns p with another configuration directory.
func (p Places) WithConfig(config string) Places {
	p.Config, p.Agents = config, ""
	if config != "" {
		p.Agents = filepath.Join(filepath.Dir(config), "agents", "hooks")
	}
	return p
}

func (a Finder) check(dir string) error {
	if dir == "" {
		return nil
	}
	if !a.Called {
		return a.walker.check(dir, nil)
	}
	return a.walker.check(dir, a.Projects)
}

// UserDir returns the directory of a person's own files by the environment variables; "" if none is
// set.
func UserDir(getenv func(string) string) string {
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

// account overrides [Account] in programs that are built for tests; "" uses the system's record.
var account string

// AccountHome returns the home directory of the user id in the system's record; "" if there is none.
// No variable changes it.
func AccountHome() string {
	if account != "" {
		return account
	}
	return environ.AccountHome()
}

// isDefaultDir reports whether a directory is a default place of checkrein's files in the home of the
// user id. Projects are not checked out over them.
func isDefaultDir(dir string) bool {
	home := AccountHome()
	if home == "" {
		return false
	}
	return dir == filepath.Join(home, ".config", "checkrein") || dir == filepath.Join(home, ".local", "state", "checkrein")
}

// errTooManyLinks is the error for a path with more than maxLinks symlinks.
var errTooManyLinks = errors.New("the path contains too many links")
