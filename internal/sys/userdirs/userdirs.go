// Package userdirs finds the directories that are the person's own: where their
// configuration, their hook folders and checkrein's state lie.
//
// Variables say so at a terminal. A host hands a project's variables on, so for
// what a host or git calls they count last: first what `install` wrote into the
// command line, then what it noted in the home of the user id.
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

// Places are the directories of a person; "" = there is none.
type Places struct {
	Config string // checkrein's own files
	Agents string // HOOK.md folders
	State  string
	// Told is what was set aside, and why.
	Told []string
}

// An Ask is what is known of who asks.
type Ask struct {
	Environ []string
	// Config and State are pinned: they count, or nothing does.
	Config, State string
	// Called is set if a host or git started us, whose variables may be a project's.
	Called bool
	// Projects are directories that came from somewhere else; what lies in them is
	// not the person's. Only the variables of a person may lead there.
	Projects []string

	walk *walk // that all its directories are looked at by
}

// Find finds the person's directories. An error says why a pinned one is not theirs,
// and what to do.
func (a Ask) Find() (Places, error) {
	a.walk = new(walk)
	if a.Config != "" || a.State != "" {
		return a.pinned()
	}
	var p Places
	if a.Called {
		if config, dir, ok := Noted(Account()); ok {
			// They are as good as pinned: without them stricter rules would fall away.
			if err := errors.Join(a.check(config), a.check(dir)); err != nil {
				return p, fmt.Errorf("the settings that checkrein install saved (%s, %s) are ignored: %w", config, dir, err)
			}
			p.State = dir
			return p.At(config), nil
		}
	}
	getenv := func(name string) string { v, _ := environ.Lookup(a.Environ, name); return v }
	// What a host's variables say, and should not, is where it always is instead.
	home := func(name string) string {
		if a.Called && name == "HOME" {
			return Account()
		}
		return ""
	}
	var why error
	p.Config = UserDir(getenv)
	if why = a.check(p.Config); why != nil {
		p.Told = append(p.Told, fmt.Sprintf("your configuration is not read from %s: %v", p.Config, why))
		p.Config = a.usual(UserDir(home))
	}
	if p.State, why = state.DefaultPath(getenv); why == nil {
		why = a.check(p.State)
	}
	if why != nil {
		told := "nothing is saved: " + why.Error()
		if p.State != "" {
			told = fmt.Sprintf("nothing is saved in %s: %v", p.State, why)
		}
		p.Told = append(p.Told, told)
		p.State, _ = state.DefaultPath(home) // "" without a home
		p.State = a.usual(p.State)
	}
	return p.At(p.Config), nil
}

// usual is a directory in the home of the user id, if it is there already: one who
// never worked there has nothing that could count.
func (a Ask) usual(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || a.check(dir) != nil {
		return ""
	}
	return dir
}

// pinned are the directories of the command line, of which both must be given.
func (a Ask) pinned() (Places, error) {
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
	return p.At(p.Config), nil
}

// Dirs lists the directories that there are.
func (p Places) Dirs() []string {
	return slices.DeleteFunc([]string{p.State, p.Config, p.Agents}, func(dir string) bool { return dir == "" })
}

// Home is the home that the configuration lies in; "" = it lies elsewhere.
func (p Places) Home() string {
	if dir := filepath.Dir(p.Config); filepath.Base(dir) == ".config" {
		return filepath.Dir(dir)
	}
	return ""
}

// At is the same with another configuration directory.
func (p Places) At(config string) Places {
	p.Config, p.Agents = config, ""
	if config != "" {
		p.Agents = filepath.Join(filepath.Dir(config), "agents", "hooks")
	}
	return p
}

func (a Ask) check(dir string) error {
	if dir == "" {
		return nil
	}
	if !a.Called {
		return a.walk.check(dir, nil)
	}
	return a.walk.check(dir, a.Projects)
}

// UserDir is where variables say that a person's own files lie; "" = none does.
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

// account is the home that [Account] tells in programs that are built for tests; "" =
// the system's record is asked.
var account string

// Account is the home directory of the user id, as the system has it on record; ""
// = there is none. No variable moves it.
func Account() string {
	if account != "" {
		return account
	}
	return environ.AccountHome()
}

// isUsual reports whether a directory is one where checkrein's files lie in the home
// of the user id. No project is checked out over them.
func isUsual(dir string) bool {
	home := Account()
	if home == "" {
		return false
	}
	return dir == filepath.Join(home, ".config", "checkrein") || dir == filepath.Join(home, ".local", "state", "checkrein")
}

// errTooManyLinks reports that a path leads on and on.
var errTooManyLinks = errors.New("the path contains too many links")
