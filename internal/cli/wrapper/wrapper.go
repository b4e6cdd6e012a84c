// Package wrapper implements checkrein-shell, through which agents start commands. It replaces itself
// with the command, in the jail that a ticket of the hook names. A command without a ticket is
// contained and has no network.
//
// It runs before every command, so it links little and reads neither configuration nor rules.
package wrapper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
)

// Exit codes for commands that did not start.
const (
	notContained = 126
	notFound     = 127
)

// Run replaces this process with the command that an agent starts by args. It returns only if that
// fails, with the exit code.
func Run(args []string) int {
	dir, h := findHost()
	if len(args) == 0 && os.Getenv(h.Own) == "" {
		fmt.Fprintln(os.Stderr, "checkrein-shell: agents start commands with this program; see checkrein walls --help")
		return 2
	}
	c := wrap.ParseCommand(h, args, os.Getenv)
	if next, err := dir.Read(wrap.NextFile(h.Host), 4<<10); err == nil {
		c.Chain(h, string(next))
	}
	if isGone(dir) {
		return printError(notFound, syscall.Exec(c.Argv[0], c.Argv, os.Environ()))
	}
	here, err := workingDir()
	if err != nil {
		return printError(notContained, err)
	}
	store := wrap.Open(dir, time.Now)
	jail, err := store.Permit(&c, here)
	if err == nil && jail == nil {
		return printError(notFound, syscall.Exec(c.Argv[0], c.Argv, os.Environ()))
	}
	if err != nil {
		place := walls.Place{Homes: []string{os.Getenv("HOME"), environ.OwnAccount().Home}, Dirs: walls.ProjectDirs(here), Own: []string{dir.Path()}}
		strict, wrong := place.Jail()
		if wrong != nil {
			return printError(notContained, wrong)
		}
		jail = &strict
	}
	return printError(notContained, sandbox.ExecIn(*jail, c.Argv, walls.CleanEnviron(os.Environ())))
}

// findHost returns the state directory and the host that starts the wrapper. Both follow from its own
// path, in which install put it, so that no variable changes them.
func findHost() (state.Dir, wrap.Host) {
	path, err := os.Executable()
	at := filepath.Dir(path)
	if err != nil || filepath.Base(filepath.Dir(at)) != wrap.Folder {
		path, _ := state.DefaultPath(func(name string) string {
			if name == "HOME" {
				return environ.OwnAccount().Home
			}
			return ""
		})
		return state.NewDir(path), wrap.Host{}
	}
	dir := state.NewDir(filepath.Dir(filepath.Dir(at)))
	for _, h := range hosts.Wrappers {
		if h.Host == filepath.Base(at) {
			return dir, wrap.Host(h)
		}
	}
	return dir, wrap.Host{}
}

// isGone reports whether checkrein was removed from this machine, so that commands run as they are.
func isGone(dir state.Dir) bool {
	path, err := dir.Read(wrap.ProgramFile, 4<<10)
	if err != nil {
		return false
	}
	_, err = os.Stat(strings.TrimSpace(string(path)))
	return state.IsMissing(err)
}

// workingDir returns the working directory without symlinks.
func workingDir() (string, error) {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		err = fmt.Errorf("the working directory: %w", err)
	}
	return dir, err
}

// printError prints why a command did not start and returns code.
func printError(code int, err error) int {
	fmt.Fprintf(os.Stderr, "checkrein: the command was not started: %v\n", err)
	return code
}
