// Package companion implements the handlers that are not linked into the hot program. They pass the
// hook and the event to the companion program and read its answer. It is a fault if the companion is
// missing, fails, is late, or is of another build.
package companion

import (
	"context"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/handover"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// Options configure the handlers.
type Options struct {
	Companion string // the path of the companion program, or ""
	Environ   []string
	State     string // the state directory
	Config    string // the user's configuration directory, or ""
	// Policy returns the digest of the policy in force. It is nil if the companion does not need it.
	Policy func() string
}

// Type returns a handler type that runs hooks of type name in the companion program. The traits must
// be those of the type there.
func Type(name string, traits checkrein.Traits, opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: name,
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			if opts.Companion == "" {
				return nil, fmt.Errorf("hooks of type %s need checkreind in the same directory as checkrein", name)
			}
			return &handler{h, opts}, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return traits },
	}
}

type handler struct {
	hook checkrein.Hook
	opts Options
}

// Handle runs the hook in the companion program.
func (s *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	task := handover.Task{Build: build.Version, Hook: s.hook, Event: ev, State: s.opts.State, Config: s.opts.Config}
	if s.opts.Policy != nil {
		task.Policy = s.opts.Policy()
	}
	task.Deadline, _ = ctx.Deadline()
	line, err := handover.EncodeLine(task)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("writing the task: %w", err)
	}
	res, err := process.Run(ctx, process.Spec{Argv: []string{s.opts.Companion, "step"}, Env: environ.WithoutConnectionRedirects(s.opts.Environ), Stdin: line, MaxOut: 4 << 20, Ticket: true})
	var start *process.StartError
	switch {
	case errors.As(err, &start):
		return checkrein.Answer{}, fmt.Errorf("%w: install checkreind in the same directory as checkrein", err)
	case err != nil:
		return checkrein.Answer{Log: string(res.Stderr)}, err
	case res.Exit != 0:
		return checkrein.Answer{Log: string(res.Stderr)}, fmt.Errorf("checkreind exited with code %d: %s", res.Exit, res.Stderr)
	}
	return handover.DecodeOutcome(res.Stdout)
}
