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
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "checkrein-shell: agents start commands with this program; see checkrein walls --help")
		return 2
	}
	c := wrap.ParseCommand(args, os.Getenv)
	dir := stateDir()
	if next, err := dir.Read(wrap.NextFile("claude"), 4<<10); err == nil {
		c.Chain(string(next))
	}
	if isGone(dir) {
		return printError(notFound, syscall.Exec(c.Argv[0], c.Argv, os.Environ()))
	}
	here, err := syscallGetwd()
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

// stateDir returns the state directory. The wrapper that install put there finds it by its own path, so
// that no variable changes it.
func stateDir() state.Dir {
	if path, err := os.Executable(); err == nil && filepath.Base(filepath.Dir(path)) == wrap.Folder {
		return state.NewDir(filepath.Dir(filepath.Dir(path)))
	}
	path, _ := state.DefaultPath(func(name string) string {
		if name == "HOME" {
			return environ.OwnAccount().Home
		}
		return ""
	})
	return state.NewDir(path)
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

// syscallGetwd returns the working directory without symlinks.
func syscallGetwd() (string, error) {
	buf := make([]byte, syscall.PathMax)
	n, err := syscall.Getcwd(buf)
	if err != nil {
		return "", fmt.Errorf("the working directory: %w", err)
	}
	return strings.TrimSuffix(string(buf[:n]), "\x00"), nil
}

// printError prints why a command did not start and returns code.
func printError(code int, err error) int {
	fmt.Fprintf(os.Stderr, "checkrein: the command was not started: %v\n", err)
	return code
}
