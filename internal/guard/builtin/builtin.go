// Package builtin is what all builtins have in common: how they are called, what they see
// of the machine, and how their verdicts are worded.
package builtin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Machine is what every builtin sees of where it runs.
type Machine struct {
	Environ []string         // the environment; nil = the process's own
	Home    string           // the home directory; "" = as Environ says
	Now     func() time.Time // in the person's time zone; nil = time.Now
	// Run runs a program and returns what it wrote to stdout. It gives an
	// error when the program did not start, did not exit with 0 or was ended,
	// and may then still return what there is. dir "" is our own directory.
	// A nil Run runs nothing: what needs a program has nothing to say then.
	Run func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error)
	// Keep changes what a builtin, by its name, remembers of the event's session
	// until ttl after the last change: it fills v, a pointer, with what there is,
	// or zero, calls change, and keeps what is in v then. An error of change is
	// returned and nothing is kept. Change must not call Keep. Without a session
	// v is always zero at first. Forget forgets. Use [Call.Keep] and [Call.Forget],
	// which do without when these are nil.
	Keep   func(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error
	Forget func(ev *checkrein.Event, name string) error
	// DirArgs lists the arguments by which a host's own tools take a directory, and
	// which it obeys; nil knows of none.
	DirArgs func(host string) []string
	// Earlier returns the records of the tool calls that the event's session made before,
	// the newest first, as far as they are at hand; nil knows of none.
	Earlier func(ev *checkrein.Event) [][]byte
}

// A Func is a builtin at work. It is safe for concurrent use. Nothing to say
// is the zero Verdict and no error.
type Func func(ctx context.Context, call Call) (checkrein.Verdict, error)

// A Call is one use of a builtin.
type Call struct {
	Event   checkrein.Event
	Dir     string   // where it works, absolute; "" = unknown
	Environ []string // the environment of programs that it starts; nil = the process's own
	Machine Machine
}

// Keep is [Machine.Keep] for the call's event.
func (c *Call) Keep(name string, ttl time.Duration, v any, change func() error) error {
	if c.Machine.Keep == nil {
		return change()
	}
	return c.Machine.Keep(&c.Event, name, ttl, v, change)
}

// Forget is [Machine.Forget] for the call's event.
func (c *Call) Forget(name string) error {
	if c.Machine.Forget == nil {
		return nil
	}
	return c.Machine.Forget(&c.Event, name)
}

// Variables returns the environment in which the call's programs run.
func (c *Call) Variables() []string {
	if c.Environ != nil {
		return c.Environ
	}
	return c.Machine.Environ
}

// NoArgs is the check of builtins without arguments.
func NoArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("takes no arguments: remove %q", args)
	}
	return nil
}

func ReadArgs(with []byte) ([]string, error) {
	val, ok := rawjson.Get(with, "args")
	if !ok || rawjson.Kind(val) == 'n' {
		return nil, nil
	}
	if rawjson.Kind(val) != '[' {
		return nil, errors.New("args must be a list of strings")
	}
	var args []string
	var err error
	rawjson.Elements(val, func(i int, val []byte) bool {
		arg, ok := rawjson.Text(val)
		if !ok && rawjson.Kind(val) == '0' {
			arg, ok = string(val), true
		}
		if !ok {
			err = fmt.Errorf("args: item %d must be a string", i+1)
		}
		args = append(args, arg)
		return ok
	})
	return args, err
}
