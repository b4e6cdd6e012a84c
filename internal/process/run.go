package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A run is one started program. Its methods belong to the goroutine of Run;
// the goroutines it starts only touch their own sink, and state before exited
// is closed.
type run struct {
	argv0    string
	proc     *os.Process
	pid      int // kept, since proc forgets it once reaped
	out, err sink
	readers  sync.WaitGroup
	stdin    *os.File // what is left of feeding the program; nil if nothing

	exited  chan struct{} // closed when the leader was reaped
	state   *os.ProcessState
	waitErr error
}

// start starts the program and the goroutines that serve it. Its only error is
// a *StartError, and then no descriptor is left open.
func start(s Spec) (*run, error) {
	cmd, err := command(s)
	if err != nil {
		return nil, err
	}
	var p pipes
	if err := p.open(len(s.Stdin) > 0); err != nil {
		return nil, &StartError{Argv0: s.Argv[0], Err: err}
	}
	rest := p.feed(s.Stdin)
	if p.inR != nil {
		cmd.Stdin = p.inR
	}
	cmd.Stdout, cmd.Stderr = p.outW, p.errW
	cmd.SysProcAttr = groupAttr()
	err = cmd.Start()
	p.closeTheirs()
	if err != nil {
		p.closeOurs()
		return nil, &StartError{Argv0: s.Argv[0], Err: err}
	}
	r := &run{
		argv0:  s.Argv[0],
		proc:   cmd.Process,
		pid:    cmd.Process.Pid,
		out:    sink{r: p.outR, max: orDefault(s.MaxOut, defaultMaxOut), full: make(chan struct{})},
		err:    sink{r: p.errR, max: orDefault(s.MaxErr, defaultMaxErr)},
		stdin:  p.inW,
		exited: make(chan struct{}),
	}
	r.serve(rest)
	return r, nil
}

// command makes the command of s without its input and output.
func command(s Spec) (*exec.Cmd, error) {
	if len(s.Argv) == 0 {
		return nil, &StartError{Err: errors.New("empty argv")}
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	return cmd, nil
}

// serve starts the goroutines: one for each output, one that reaps, and one
// for the input that did not fit into the pipe.
func (r *run) serve(rest []byte) {
	go func() {
		r.state, r.waitErr = r.proc.Wait()
		close(r.exited)
	}()
	r.readers.Go(r.out.readAll)
	r.readers.Go(r.err.readAll)
	if stdin := r.stdin; stdin != nil {
		r.readers.Go(func() {
			// A program need not read its input, so a broken pipe is its
			// good right; so is ours to close the pipe under this write.
			_, _ = stdin.Write(rest)
			_ = stdin.Close()
		})
	}
}

func (r *run) hasExited() bool { return isClosed(r.exited) }

// finish completes a run whose context had no say: the leader has exited, or
// has written too much.
func (r *run) finish() error {
	if !r.tooMuch() {
		r.collect(drainWindow)
	}
	if r.tooMuch() {
		r.end(0)
		return ErrTooMuchOutput
	}
	if !r.drained() {
		killGroupHolders(r.pid, r.out.r, r.err.r)
	}
	if r.waitErr != nil {
		return fmt.Errorf("wait for %q: %w", r.argv0, r.waitErr)
	}
	return nil
}

func (r *run) tooMuch() bool { return isClosed(r.out.full) }

// drained reports whether both outputs were read to their end, so that nobody
// holds them any more. It may be asked after collect.
func (r *run) drained() bool { return r.out.eof && r.err.eof }

// end ends the process tree, with TERM first if there is a grace time, and
// collects what it had to say.
func (r *run) end(grace time.Duration) {
	f := familyOf(r.pid)
	if grace > 0 && f.terminate() {
		if !r.watch(f, grace) {
			f.refresh()
		}
	}
	// Unconditional: it also gets who was born after the family was listed.
	f.kill()
	if !r.watch(f, killWindow) {
		waitClosed(r.exited, reapWindow)
	}
	r.collect(eofWindow)
	if !r.drained() {
		f.killHolders(r.out.r, r.err.r)
	}
}

// watch reports whether the leader and all of f were gone before d was over.
func (r *run) watch(f *family, d time.Duration) bool {
	until := time.Now().Add(d)
	if !waitClosed(r.exited, d) {
		return false
	}
	for pause := 100 * time.Microsecond; f.left(); pause = min(2*pause, 2*time.Millisecond) {
		if time.Now().Add(pause).After(until) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitClosed reports whether c was closed before d was over.
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

// collect gives the readers at most d more to see the end of their pipes. On
// return all that had been written until then is in the sinks, and no
// goroutine touches them or the input any more. A second call is harmless.
func (r *run) collect(d time.Duration) {
	if r.stdin != nil {
		_ = r.stdin.Close()
	}
	for _, k := range []*sink{&r.out, &r.err} {
		expire(k.r, d)
	}
	r.readers.Wait()
	for _, k := range []*sink{&r.out, &r.err} {
		if !k.eof {
			k.readReady()
		}
	}
}

// result closes the pipes and says what came of the run. It is the last call.
func (r *run) result() Result {
	_ = r.out.r.Close()
	_ = r.err.r.Close()
	res := Result{Stdout: r.out.buf, Stderr: r.err.buf, StderrCut: r.err.over, Exit: -1}
	if r.hasExited() && r.state != nil {
		res.Exit = r.state.ExitCode()
		res.Signal = signalName(r.state)
	}
	return res
}
