package hostlab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/sys/process"
)

const (
	maxOut = 16 << 20
	maxErr = 4 << 20
	// grace is the time between SIGTERM and SIGKILL.
	grace = 5 * time.Second
)

// A Run describes one run of a host. It is headless unless Person is set.
type Run struct {
	Prompt string
	Script mockmodel.Script
	// Home and Project are the contents of files to write first, by their paths below the
	// space's home and project.
	Home, Project map[string]string
	// Env is added to the host's environment; it must not have HOME.
	Env map[string]string
	// Args are added to the host's own arguments.
	Args []string
	// Untrusted makes the project untrusted, for hosts that also run in untrusted projects: Codex and
	// Copilot.
	Untrusted bool
	// Unapproved makes a host run unapproved hooks, if it has a flag for that. See also
	// Space.ApproveHooks.
	Unapproved bool
	// Person answers the host's questions about calls. If it is set, the host is driven as editors do;
	// see Host.CanAttend.
	Person func(question []byte) bool
	// Timeout limits the duration of the run; 0 = an ample limit.
	Timeout time.Duration
}

// A Result is the outcome of a run.
type Result struct {
	Stdout, Stderr string
	Exit           int    // the exit code; -1 if a signal ended the host
	Signal         string // the signal that ended the host; "" = none
	TimedOut       bool   // the host was ended because of the timeout
	Took           time.Duration
	Record         mockmodel.Record // the requests to the model
	Problems       []string         // why the script could not be played
	Questions      []Question       // the host's questions to the user
	Space          *Space
}

// Run runs the host once. An error means that it could not be run. The result describes how it ended,
// including a timeout.
func (s *Space) Run(ctx context.Context, r Run) (Result, error) {
	if _, ok := r.Env["HOME"]; ok {
		return Result{}, errors.New("a run must use the home directory of its space: remove HOME from Env")
	}
	if err := errors.Join(s.Write(s.Home, r.Home), s.Write(s.Project, r.Project), s.addSettings()); err != nil {
		return Result{}, fmt.Errorf("preparing a run of %s: %w", s.Host.Name, err)
	}
	s.model.Play(r.Script)
	timeout := r.Timeout
	if timeout == 0 {
		timeout = s.Host.Timeout()
	}
	runCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if r.Person != nil {
		res, err := s.runAttended(runCtx, r)
		res.Record, res.Problems = s.model.Record(), s.model.Problems()
		if ctx.Err() != nil { // the caller canceled it
			return res, fmt.Errorf("running %s: %w", s.Host.Name, process.ErrCanceled)
		}
		return res, err
	}
	spec := process.Spec{
		Argv: s.Argv(r), Dir: s.Project, Env: s.Environ(r.Env),
		MaxOut: maxOut, MaxErr: maxErr, Grace: grace,
	}
	if s.Host.recipe.Stdin {
		spec.Stdin = []byte(r.Prompt)
	}
	began := time.Now()
	out, err := process.Run(runCtx, spec)
	took := time.Since(began)
	killProcesses(s.Home)
	res := Result{
		Stdout: string(out.Stdout), Stderr: string(out.Stderr), Exit: out.Exit, Signal: out.Signal,
		TimedOut: errors.Is(err, process.ErrTimeout) && ctx.Err() == nil,
		Took:     took, Record: s.model.Record(), Problems: s.model.Problems(), Space: s,
	}
	if err != nil && !res.TimedOut {
		return res, fmt.Errorf("running %s: %w", s.Host.Name, err)
	}
	return res, nil
}

// Argv returns the command line of a run.
func (s *Space) Argv(r Run) []string {
	argv := append([]string{}, s.Host.argv...)
	own := s.Host.recipe.Args(s, r)
	return append(append(argv, own...), r.Args...)
}
