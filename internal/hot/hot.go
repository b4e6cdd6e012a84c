// Package hot is the small program that machines call: it answers events and
// hands every other command to its companion.
//
// It runs thousands of times a day for about a millisecond, so it links little
// and does nothing before it knows what is asked of it.
package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/checkrein/checkrein/internal/build"
)

// An Env is everything that a command may touch of the outside.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Dir            string
	Now            func() time.Time
	Managed        string // the administrator's directory; "" = this system's
	Program        string // the running program's path, "" = unknown
	// Interrupts returns a context that Ctrl-C ends. Watching for signals
	// costs a fifth of a start, so it is asked for only when something waits.
	Interrupts func(context.Context) context.Context
}

// Exit codes, the same for both programs.
const (
	ExitDone    = 0
	ExitFinding = 1
	ExitUsage   = 2
	ExitConfig  = 3
	ExitRefused = 4
	ExitBug     = 70
)

// A command is a row of the table of commands that are answered here.
type command struct {
	name string
	run  func(context.Context, Env) int
}

var commands = [...]command{
	{"eval", eval},
	{"version", version},
	{"_async", async},
}

// Run runs the command in env.Args and returns the exit code.
func Run(ctx context.Context, env Env) int {
	if len(env.Args) > 0 {
		for _, c := range commands {
			if c.name == env.Args[0] {
				env.Args = env.Args[1:]
				return c.run(ctx, env)
			}
		}
	}
	return handOver(env)
}

// companion is the path of the heavy program, which lies beside this one.
func companion(env Env) string {
	if env.Program == "" {
		return ""
	}
	name := "checkreind"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(env.Program), name)
}

// handOver runs the companion in place of this program.
func handOver(env Env) int {
	path := companion(env)
	if _, err := os.Stat(path); err != nil {
		return fail(env, ExitBug, "this command needs checkreind, which is not beside checkrein (%s): install both", path)
	}
	code, err := replace(path, append([]string{path}, env.Args...), env.Environ)
	if err != nil {
		return fail(env, ExitBug, "starting %s: %v", path, err)
	}
	return code
}

// version prints what is installed.
func version(_ context.Context, env Env) int {
	fmt.Fprintf(env.Stdout, "checkrein %s (%s, %s/%s)\n", build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if path := companion(env); path != "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(env.Stdout, "checkreind is missing: expected at %s\n", path)
		}
	}
	return ExitDone
}

// fail prints what went wrong and returns the code.
func fail(env Env, code int, format string, args ...any) int {
	fmt.Fprintf(env.Stderr, "checkrein: "+format+"\n", args...)
	return code
}
