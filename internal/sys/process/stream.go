package process

import (
	"context"
	"fmt"
	"os"
	"sync"
)

// A Stream is a running program whose input is written and whose output is read while it runs, so the
// output may be larger than memory. One goroutine may write while another reads. Wait must be called
// once, after the last read.
type Stream struct {
	argv0        string
	proc         *os.Process
	in, out      *os.File
	err          sink
	reader       sync.WaitGroup
	ended        context.Context
	stopWatching func() bool // stops watching ended
}

// OpenStream starts the program of s as the leader of its own process group. Only Argv, Dir, Env,
// MaxErr and Ticket of s are used. When ctx ends, the group and all its descendants are killed, and
// reads end.
//
// The error is a *StartError, or ErrTimeout or ErrCanceled if ctx has ended.
func OpenStream(ctx context.Context, s Spec) (*Stream, error) {
	if err := ctxError(ctx); err != nil {
		return nil, err
	}
	cmd, err := newCommand(s)
	if err != nil {
		return nil, err
	}
	var p pipes
	if err := p.open(true); err != nil {
		return nil, &StartError{Argv0: s.Argv[0], Err: err}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.inR, p.outW, p.errW
	cmd.SysProcAttr = groupAttr()
	finish, err := attachTicket(s, cmd)
	if err == nil {
		err = launch(cmd)
		finish(false)
	}
	p.closeTheirs()
	if err != nil {
		p.closeOurs()
		return nil, startError(s, err)
	}
	t := &Stream{
		argv0: s.Argv[0], proc: cmd.Process, in: p.inW, out: p.outR, ended: ctx,
		err: sink{r: p.errR, max: orDefault(s.MaxErr, defaultMaxErr)},
	}
	t.reader.Go(t.err.readAll)
	t.stopWatching = context.AfterFunc(ctx, t.kill)
	return t, nil
}

// Write writes to the program's input.
func (t *Stream) Write(b []byte) (int, error) { return t.in.Write(b) }

// CloseWrite closes the program's input.
func (t *Stream) CloseWrite() error { return t.in.Close() }

// Read reads the program's output.
func (t *Stream) Read(b []byte) (int, error) { return t.out.Read(b) }

// kill kills the program and its descendants, and ends pending reads.
func (t *Stream) kill() {
	listFamily(t.proc.Pid).kill()
	_ = t.in.Close()
	setReadTimeout(t.out, 0)
}

// Stop kills the program, for a caller that does not need the rest of its output.
func (t *Stream) Stop() { t.kill() }

// Wait closes input and output and waits for the program, which should exit because of that; otherwise
// the end of the context kills it. The Result has no Stdout. A non-zero exit is no error.
func (t *Stream) Wait() (Result, error) {
	_ = t.in.Close()
	_ = t.out.Close()
	state, err := t.proc.Wait()
	t.stopWatching()
	setReadTimeout(t.err.r, drainWindow)
	t.reader.Wait()
	_ = t.err.r.Close()
	res := Result{Stderr: t.err.buf, StderrTruncated: t.err.over, Exit: -1}
	if state != nil {
		res.Exit, res.Signal = state.ExitCode(), signalName(state)
	}
	if why := ctxError(t.ended); why != nil {
		return res, why
	}
	if err != nil {
		return res, fmt.Errorf("wait for %q: %w", t.argv0, err)
	}
	return res, nil
}
