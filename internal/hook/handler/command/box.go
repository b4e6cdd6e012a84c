package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// A box runs a hook's program in a sandbox.
type box struct {
	rules   *sandbox.Rules
	hook    *checkrein.Hook
	program string
	runs    func(root string, h *checkrein.Hook) []string
	walls   func() walls.Place
	own     []environ.Var // the hook's own variables
}

// newBox returns the box for the sandbox settings of h, or nil if it has none. Whether this machine
// supports sandboxes is checked only when the hook runs, because it is not a mistake in the hook.
func newBox(opts Options, h *checkrein.Hook) (*box, error) {
	rules, err := sandbox.ParseRules(h.With)
	if rules == nil || err != nil {
		return nil, err
	}
	place, err := environ.ReadPlace(h.With)
	return &box{rules, h, opts.Program, opts.Runs, opts.Walls, place.Env}, err
}

// runProgram runs a program in the sandbox; root is the project's directory. If the sandbox cannot be
// created, it returns an error and runs nothing.
func (b *box) runProgram(ctx context.Context, spec process.Spec, root string) (process.Result, error) {
	if err := sandbox.CheckSupported(); err != nil {
		return process.Result{}, err
	}
	if b.program == "" {
		return process.Result{}, errors.New("a sandbox needs the checkrein program, but its path is unknown: set kit.Options.Program")
	}
	place := walls.Place{Homes: []string{environ.OwnAccount().Home}}
	if b.walls != nil {
		place = b.walls()
	}
	jail, err := place.Resolve(b.rules, root)
	if err != nil {
		return process.Result{}, err
	}
	if b.rules.Profile != "" {
		spec.Env = walls.Environ(b.rules, spec.Env, func(name string) bool {
			return slices.ContainsFunc(b.own, func(v environ.Var) bool { return v.Name == name })
		})
	} else {
		if b.runs != nil {
			jail.Read = append(jail.Read, b.runs(root, b.hook)...)
		}
		temp, remove, err := sandbox.MakeTempDir() // the profile has the system's
		if err != nil {
			return process.Result{}, err
		}
		defer remove()
		jail.Write = append(jail.Write, temp)
		spec.Env = environ.Overlay(spec.Env, []environ.Var{{Name: "TMPDIR", Value: temp}})
	}
	if spec.Argv, err = b.sandboxArgv(jail, &spec); err != nil {
		return process.Result{}, err
	}
	spec.Ticket = true
	// The sandbox by itself blocks the network. An empty network namespace is a second barrier,
	// which not every system permits.
	spec.Offline = jail.NoNetwork
	res, err := process.Run(ctx, spec)
	if start := (*process.StartError)(nil); spec.Offline && errors.As(err, &start) {
		spec.Offline = false
		res, err = process.Run(ctx, spec)
	}
	if err == nil {
		err = sandbox.ParseRefusal(res.Exit, res.Stderr)
	}
	return res, err
}

// sandboxArgv returns the command that enters the sandbox jail and then executes the program of spec.
// A program without a slash is looked up in PATH, as for other hooks.
func (b *box) sandboxArgv(jail sandbox.Jail, spec *process.Spec) ([]string, error) {
	path := spec.Argv[0]
	if !strings.Contains(path, "/") {
		var err error
		if path, err = process.FindProgram(path, spec.Dir, spec.Env); err != nil {
			return nil, &process.StartError{Argv0: spec.Argv[0], Err: err}
		}
	}
	return sandbox.TrampolineArgv(b.program, jail, append([]string{path}, spec.Argv[1:]...))
}
