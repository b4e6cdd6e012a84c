// Package hot implements checkrein, the small program that agents call. It answers events, and hands
// other commands over to its companion.
//
// It runs thousands of times a day for about a millisecond, so it links little and does no work that
// the command does not need.
package hot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// A command is a command that this program runs itself.
type command struct {
	name string
	run  func(context.Context, console.Env) int
}

// commands is the table of commands that this program runs itself.
var commands = [...]command{
	{"hook", runHook},
	{"eval", runEval},
	{"classify", runClassify},
	{"scan", runScan},
	{"git", runGit},
	{"redact", runRedact},
	{"version", runVersion},
	{"_async", runAsync},
	{sandbox.CommandName, runSandboxed},
}

// Run runs the command in env.Args and returns the exit code.
func Run(ctx context.Context, env console.Env) int {
	if len(env.Args) > 0 {
		if env.Args[0] == "--version" {
			env.Args[0] = "version"
		}
		for _, c := range commands {
			if c.name == env.Args[0] {
				env.Args = env.Args[1:]
				return c.run(ctx, env)
			}
		}
	}
	return runCompanion(env)
}

// companionPath returns the path of checkreind in the directory of this program, or "" if that is
// unknown.
func companionPath(env console.Env) string {
	if env.Program == "" {
		return ""
	}
	name := "checkreind"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(env.Program), name)
}

// runCompanion runs the companion with the same arguments in place of this program. It returns the
// exit code.
func runCompanion(env console.Env) int {
	path := companionPath(env)
	if _, err := os.Stat(path); err != nil {
		return printError(env, console.Bug, "this command needs checkreind, which is not in the same directory as checkrein (%s): install both", path)
	}
	code, err := replaceProcess(path, append([]string{path}, env.Args...), env.Environ)
	if err != nil {
		return printError(env, console.Bug, "starting %s: %v", path, err)
	}
	return code
}

// runVersion prints the version, and a line if the companion is missing.
func runVersion(_ context.Context, env console.Env) int {
	fmt.Fprintf(env.Stdout, "checkrein %s (%s, %s/%s)\n", build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if path := companionPath(env); path != "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(env.Stdout, "checkreind is missing: expected at %s\n", path)
		}
	}
	return console.Done
}

// printError prints an error message to stderr and returns code.
func printError(env console.Env, code int, format string, args ...any) int {
	fmt.Fprintf(env.Stderr, "checkrein: "+format+"\n", args...)
	return code
}
