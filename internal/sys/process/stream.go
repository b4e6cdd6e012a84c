package process

import (
	"context"
	"fmt"
	"os"
	"sync"
)

// A Stream is a running program that is written to and read from while it
// runs: what it says may be larger than memory. One goroutine may write while
// another reads. Wait must be called once, after the last read.
type Stream struct {
	argv0   string
	proc    *os.Process
	in, out *os.File
	err     sink
	reader  sync.WaitGroup
	ended   context.Context
	forget  func() bool // stops watching the context
}

// Open starts the program of s as the leader of a process group of its own. Only
// Argv, Dir, Env, MaxErr and Ticket of s count. When ctx ends, the group and all its
// descendants are killed, and reads end.
//
// The error is a *StartError, or says how ctx ended.
func Open(ctx context.Context, s Spec) (*Stream, error) {
	if err := ctxError(ctx); err != nil {
		return nil, err
	}
	cmd, err := command(s)
	if err != nil {
		return nil, err
	}
	var p pipes
	if err := p.open(true); err != nil {
		return nil, &StartError{Argv0: s.Argv[0], Err: err}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.inR, p.outW, p.errW
	cmd.SysProcAttr = groupAttr()
	after, err := ticketed(s, cmd)
	if err == nil {
		err = launch(cmd)
		after(false)
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
	t.forget = context.AfterFunc(ctx, t.end)
	return t, nil
}

// Write gives the program more input.
func (t *Stream) Write(b []byte) (int, error) { return t.in.Write(b) }

// CloseWrite ends the program's input.
func (t *Stream) CloseWrite() error { return t.in.Close() }

// Read reads what the program wrote.
func (t *Stream) Read(b []byte) (int, error) { return t.out.Read(b) }

// end kills the program and what it started, and ends pending reads.
func (t *Stream) end() {
	familyOf(t.proc.Pid).kill()
	_ = t.in.Close()
	expire(t.out, 0)
}

// Stop ends the program at once: nobody wants to hear the rest.
func (t *Stream) Stop() { t.end() }

// Wait closes both ends and waits for the program, which ends by that unless it
// ignores it; then the context ends it. The Result has no Stdout. A non-zero
// exit is no error.
func (t *Stream) Wait() (Result, error) {
	_ = t.in.Close()
	_ = t.out.Close()
	state, err := t.proc.Wait()
	t.forget()
	expire(t.err.r, drainWindow)
	t.reader.Wait()
	_ = t.err.r.Close()
	res := Result{Stderr: t.err.buf, StderrCut: t.err.over, Exit: -1}
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
