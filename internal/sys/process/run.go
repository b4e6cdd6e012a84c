package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A run is a started program. Its methods belong to the goroutine of Run. The goroutines that it
// starts use only their own sink, and the fields state and waitErr until exited is closed.
type run struct {
	argv0    string
	proc     *os.Process
	pid      int // proc forgets it when the process is reaped
	began    time.Time
	out, err sink
	readers  sync.WaitGroup
	stdin    *os.File // the input that is still being written; nil if none

	exited  chan struct{} // closed when the leader was reaped
	state   *os.ProcessState
	waitErr error

	// orphans holds the processes that the leader left behind, listed while its number was still
	// safe to use. It is nil if none held stdout for long.
	orphans *family
}

// startRun starts the program of s and the goroutines that serve it. The error is always a
// *StartError, and then no descriptor is left open.
func startRun(s Spec) (*run, error) {
	cmd, err := newCommand(s)
	if err != nil {
		return nil, err
	}
	var p pipes
	if err := p.open(len(s.Stdin) > 0); err != nil {
		return nil, &StartError{Argv0: s.Argv[0], Err: err}
	}
	rest := p.prefillInput(s.Stdin)
	if p.inR != nil {
		cmd.Stdin = p.inR
	}
	cmd.Stdout, cmd.Stderr = p.outW, p.errW
	cmd.SysProcAttr = groupAttr()
	if s.NewSession {
		cmd.SysProcAttr = sessionAttr()
	}
	began := time.Now()
	if s.Offline {
		err = isolateNetwork(cmd.SysProcAttr)
	}
	if err == nil && s.Image != nil {
		var image *os.File
		if image, err = runFromMemory(cmd, s.Image); err == nil {
			defer image.Close()
		}
	}
	finish := func(bool) {}
	if err == nil {
		finish, err = attachTicket(s, cmd)
	}
	if err == nil {
		err = launch(cmd)
		finish(false)
	}
	p.closeTheirs()
	if err != nil {
		p.closeOurs()
		return nil, startError(s, err)
	}
	r := &run{
		argv0:  s.Argv[0],
		proc:   cmd.Process,
		pid:    cmd.Process.Pid,
		began:  began,
		out:    sink{r: p.outR, max: orDefault(s.MaxOut, defaultMaxOut), full: make(chan struct{}), done: make(chan struct{})},
		err:    sink{r: p.errR, max: orDefault(s.MaxErr, defaultMaxErr)},
		stdin:  p.inW,
		exited: make(chan struct{}),
	}
	r.startGoroutines(rest)
	return r, nil
}

// newCommand returns the command of s without its input and output. The error is a *StartError.
func newCommand(s Spec) (*exec.Cmd, error) {
	if len(s.Argv) == 0 {
		return nil, &StartError{Err: errors.New("empty argv")}
	}
	name, missing := s.Argv[0], error(nil)
	if filepath.Base(name) == name {
		name, missing = FindProgram(name, s.Dir, s.Env)
	}
	cmd := exec.Command(name, s.Argv[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env = s.Argv[0], s.Dir, s.Env
	if missing != nil {
		cmd.Err = missing
	}
	return cmd, nil
}

// launch starts cmd. The program inherits its standard streams and cmd.ExtraFiles, but no other open
// descriptor of this process.
func launch(cmd *exec.Cmd) error {
	closeAllOnExec()
	return cmd.Start()
}

// startError returns err, with which the program of s did not start, as a *StartError. The system
// reports the same error for a missing working directory and a missing program, so the directory is
// checked.
func startError(s Spec, err error) *StartError {
	if s.Dir != "" {
		info, why := os.Stat(s.Dir)
		var path *os.PathError
		if errors.As(why, &path) {
			why = path.Err
		}
		if why == nil && !info.IsDir() {
			why = syscall.ENOTDIR
		}
		if why != nil {
			err = fmt.Errorf("working directory %q: %w", s.Dir, why)
		}
	}
	return &StartError{Argv0: s.Argv[0], Err: err}
}

// startGoroutines starts a goroutine for each output, one that reaps the leader, and one that writes
// rest, the input that did not fit into the pipe.
func (r *run) startGoroutines(rest []byte) {
	go func() {
		r.state, r.waitErr = r.proc.Wait()
		close(r.exited)
	}()
	r.readers.Go(r.out.readAll)
	r.readers.Go(r.err.readAll)
	if stdin := r.stdin; stdin != nil {
		r.readers.Go(func() {
			// A program need not read its input, so a broken pipe is no
			// error, and drainOutput may close the pipe during this write.
			_, _ = stdin.Write(rest)
			_ = stdin.Close()
		})
	}
}

// hasExited reports whether the leader was reaped.
func (r *run) hasExited() bool { return isClosed(r.exited) }

// wait waits until the leader has exited and its stdout has ended, or until stdout has exceeded its
// limit. If ctx ends first, it returns ErrTimeout or ErrCanceled.
//
// The end of the pipe is the only certain sign that no process can write to it any more: a holder may
// belong to another user, or the descriptor may be in transit in the queue of a socket.
func (r *run) wait(ctx context.Context) error {
	select {
	case <-r.exited:
	case <-r.out.full:
		return nil
	case <-ctx.Done():
		// A program that exited in time counts, even if ctx ended at the same moment.
		if !r.hasExited() {
			return ctxError(ctx)
		}
	}
	if isClosed(r.out.done) || waitClosed(r.out.done, drainWindow) {
		return nil
	}
	r.orphans = listOrphans(r.pid, r.began)
	select {
	case <-r.out.done:
	case <-ctx.Done():
		if !isClosed(r.out.done) {
			return ctxError(ctx)
		}
	}
	return nil
}

// finish completes a run that ctx did not end: the leader has exited and stdout has ended, or stdout
// has exceeded its limit. It returns ErrTooMuchOutput in the second case.
func (r *run) finish() error {
	if !r.hasTooMuchOutput() {
		r.drainOutput(drainWindow)
	}
	if r.hasTooMuchOutput() {
		r.endTree(0)
		return ErrTooMuchOutput
	}
	if !r.isDrained() {
		r.killGroupHolders()
	}
	if r.waitErr != nil {
		return fmt.Errorf("wait for %q: %w", r.argv0, r.waitErr)
	}
	return nil
}

// killGroupHolders kills members of the group that hold the output pipes.
func (r *run) killGroupHolders() {
	f := r.orphans
	if f == nil {
		f = &family{leader: r.pid}
	} else {
		f.revalidate()
	}
	f.killGroupHolders(r.out.r, r.err.r)
}

// hasTooMuchOutput reports whether stdout exceeded its limit.
func (r *run) hasTooMuchOutput() bool { return isClosed(r.out.full) }

// isDrained reports whether both outputs were read to their end, which means that no process holds
// them any more. It is valid after drainOutput.
func (r *run) isDrained() bool { return r.out.eof && r.err.eof }

// endTree ends the process tree, with TERM first if grace is positive, and collects its last output.
func (r *run) endTree(grace time.Duration) {
	f := r.familyToEnd()
	if grace > 0 && f.terminate() {
		if !r.waitGone(f, grace) {
			f.refresh()
		}
	}
	// Always kill: there may be processes that started after the family was listed.
	f.kill()
	if !r.waitGone(f, killWindow) {
		waitClosed(r.exited, reapWindow)
	}
	r.drainOutput(eofWindow)
	if !r.isDrained() {
		f.killHolders(r.out.r, r.err.r)
	}
}

// familyToEnd returns the processes that must be ended.
func (r *run) familyToEnd() *family {
	f := r.orphans
	switch {
	case f != nil:
		f.revalidate()
	case r.hasExited():
		f = listOrphans(r.pid, r.began)
	default:
		return listFamily(r.pid)
	}
	f.addHolders(r.out.r, r.err.r)
	return f
}

// waitGone waits at most d, and reports whether the leader and all members of f have ended.
func (r *run) waitGone(f *family, d time.Duration) bool {
	until := time.Now().Add(d)
	if !waitClosed(r.exited, d) {
		return false
	}
	for pause := 100 * time.Microsecond; f.hasLiveMember(); pause = min(2*pause, 2*time.Millisecond) {
		if time.Now().Add(pause).After(until) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// isClosed reports whether c is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitClosed waits at most d, and reports whether c was closed.
func waitClosed(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// drainOutput gives the readers at most d more to reach the end of their pipes. On return everything
// written until then is in the sinks, and no goroutine uses them or the input any more. It may be
// called again.
func (r *run) drainOutput(d time.Duration) {
	if r.stdin != nil {
		_ = r.stdin.Close()
	}
	for _, k := range []*sink{&r.out, &r.err} {
		setReadTimeout(k.r, d)
	}
	r.readers.Wait()
	for _, k := range []*sink{&r.out, &r.err} {
		if !k.eof {
			k.readReady()
		}
	}
}

// result closes the pipes and returns the Result. It must be the last call.
func (r *run) result() Result {
	_ = r.out.r.Close()
	_ = r.err.r.Close()
	res := Result{Stdout: r.out.buf, Stderr: r.err.buf, StderrTruncated: r.err.over, Exit: -1}
	if r.hasExited() && r.state != nil {
		res.Exit = r.state.ExitCode()
		res.Signal = signalName(r.state)
	}
	return res
}
