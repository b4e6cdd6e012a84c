// Package step is the handler of everything that the hot program does not link:
// it hands the hook and the event to the companion program and reads its
// answer. A companion that is missing, of another build, wrong or late is a
// fault.
package step

import (
	"context"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/build"
	"github.com/checkrein/checkrein/internal/handover"
	"github.com/checkrein/checkrein/internal/process"
)

// Type returns a row of the handler table that runs hooks of the named type in
// the companion program.
func Type(name, companion string, environ []string, state string) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: name,
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			if companion == "" {
				return nil, fmt.Errorf("hooks of type %s need checkreind beside checkrein", name)
			}
			return &handler{h, companion, environ, state}, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
	}
}

type handler struct {
	hook      checkrein.Hook
	companion string
	environ   []string
	state     string // the directory
}

// Handle runs the step.
func (s *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	task := handover.Task{Build: build.Version, Hook: s.hook, Event: ev, State: s.state}
	task.Deadline, _ = ctx.Deadline()
	line, err := handover.Line(task)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("writing the task: %w", err)
	}
	res, err := process.Run(ctx, process.Spec{Argv: []string{s.companion, "step"}, Env: s.environ, Stdin: line, MaxOut: 4 << 20, Ticket: true})
	var start *process.StartError
	switch {
	case errors.As(err, &start):
		return checkrein.Answer{}, fmt.Errorf("%w: install checkreind beside checkrein", err)
	case err != nil:
		return checkrein.Answer{Log: string(res.Stderr)}, err
	case res.Exit != 0:
		return checkrein.Answer{Log: string(res.Stderr)}, fmt.Errorf("the companion exited with %d: %s", res.Exit, res.Stderr)
	}
	return handover.ReadDone(res.Stdout)
}
