// Package builtin defines what all builtins share: how they are called, how they access the machine,
// and how their verdicts are worded.
package builtin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/undo"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Machine gives builtins access to the machine that they run on.
type Machine struct {
	Environ []string         // the environment; nil means the process's own
	Home    string           // the home directory; "" means that of Environ
	Now     func() time.Time // in the user's time zone; nil means time.Now
	// Run runs a program and returns its standard output. It returns an error if the
	// program did not start, did not exit with 0 or was killed, and may then still
	// return partial output. dir "" is the process's own directory. If Run is nil,
	// builtins that need a program have no opinion.
	Run func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error)
	// Keep changes the state that the builtin name keeps for the event's session until
	// ttl after the last change. It fills v, a pointer, with the state or its zero value,
	// calls change, and stores v. If change returns an error, Keep returns it and stores
	// nothing. change must not call Keep. Without a session, v always starts as zero.
	// Forget removes the state. Use [Call.Keep] and [Call.Forget], which allow nil.
	Keep   func(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error
	Forget func(ev *checkrein.Event, name string) error
	// DirArgs returns the names of arguments with which the host's own tools set the working
	// directory; nil means that none are known.
	DirArgs func(host string) []string
	// Earlier returns the available records of earlier tool calls in the session of ev, newest
	// first; nil means that there are none.
	Earlier func(ev *checkrein.Event) [][]byte
	// Sought is called with each text that guards search for in these records; records without any of
	// the texts do not matter. It may be nil.
	Sought func(ev *checkrein.Event, text string)
	// Save saves the losses of r before the call of ev. If the decision about the call
	// does not count, it only checks that this is possible. An error means that it is not, which is
	// an [undo.ErrNotSaved] if a limit is the reason. If Save is nil, nothing can be saved.
	Save func(ctx context.Context, ev *checkrein.Event, r undo.Request) (Saved, error)
	// Contains returns whether the command of ev will run behind walls if the verdict says so; programs
	// are those because of which it should. An error means that walls are installed and will not hold.
	// If Contains is nil, there are none.
	Contains func(ctx context.Context, ev *checkrein.Event, programs []string) (Containment, error)
	Contain  setting.Contain // which commands run behind walls
	// WrittenInside reports whether a contained command may have written the file path. If it is nil,
	// none has.
	WrittenInside func(path string) bool
}

// IDs of the obligation to contain a command, with a network and without. Its detail are the programs
// because of which it is contained, separated by spaces.
const (
	WallsOnline  = "walls"
	WallsOffline = "walls-offline"
)

// A Containment is whether a command can run behind walls.
type Containment uint8

const (
	NotContained Containment = iota // there are no walls
	Contained
	Opened // a person lets these programs run outside
)

// Saved is the result of saving what a call would lose.
type Saved struct {
	Any bool   // there is something to lose
	ID  string // of the save; "" = it was only checked, or there is nothing to lose
}

// A Func runs a builtin. It must be safe for concurrent use. If it has no opinion, it returns the zero
// Verdict and no error.
type Func func(ctx context.Context, call Call) (checkrein.Verdict, error)

// A Call is one use of a builtin.
type Call struct {
	Event   checkrein.Event
	Dir     string   // its absolute working directory; "" if unknown
	Environ []string // the environment of programs that it starts; nil means the process's own
	Machine Machine
}

// Keep is [Machine.Keep] for the call's event. If the machine keeps no state, it only calls change.
func (c *Call) Keep(name string, ttl time.Duration, v any, change func() error) error {
	if c.Machine.Keep == nil {
		return change()
	}
	return c.Machine.Keep(&c.Event, name, ttl, v, change)
}

// Forget is [Machine.Forget] for the call's event. It does nothing if the machine keeps no state.
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

// NoArgs returns an error if args is not empty.
func NoArgs(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("takes no arguments: remove %q", args)
	}
	return nil
}

// ParseArgs returns the list "args" in with, the settings of a hook. Numbers count as strings.
func ParseArgs(with []byte) ([]string, error) {
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
