package mcp

import (
	"errors"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// addSandbox changes spec so that the server's program runs in its sandbox.
func (s *server) addSandbox(spec *process.Spec) error {
	opts := &s.pool.opts
	if err := sandbox.CheckSupported(); err != nil {
		return err
	}
	if opts.Program == "" {
		return errors.New("a sandbox needs the checkrein program, but its path is unknown")
	}
	place := walls.Place{Homes: []string{environ.OwnAccount().Home}}
	if opts.Walls != nil {
		var err error
		if place, err = opts.Walls(); err != nil {
			return err
		}
	}
	jail, err := place.Resolve(s.spec.Sandbox, opts.Dir)
	if err != nil {
		return err
	}
	path := spec.Argv[0]
	if !strings.Contains(path, "/") {
		if path, err = process.FindProgram(path, spec.Dir, spec.Env); err != nil {
			return &process.StartError{Argv0: spec.Argv[0], Err: err}
		}
	}
	spec.Argv, err = sandbox.TrampolineArgv(opts.Program, jail, append([]string{path}, spec.Argv[1:]...))
	spec.Ticket = true
	return err
}
