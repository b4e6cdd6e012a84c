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

// A run is one started program. Its methods belong to the goroutine of Run;
// the goroutines it starts only touch their own sink, and state before exited
// is closed.
type run struct {
	argv0    string
	proc     *os.Process
	pid      int // kept, since proc forgets it once reaped
	began    time.Time
	out, err sink
	readers  sync.WaitGroup
	stdin    *os.File // what is left of feeding the program; nil if nothing

	exited  chan struct{} // closed when the leader was reaped
	state   *os.ProcessState
	waitErr error

	// orphans are whom the leader left behind, listed while its number was
	// still safe to use; nil if nobody kept stdout for long.
	orphans *family
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
	if s.Apart {
		cmd.SysProcAttr = sessionAttr()
	}
	began := time.Now()
	if s.Offline {
		err = offline(cmd.SysProcAttr)
	}
	if err == nil && s.Image != nil {
		var image *os.File
		if image, err = imaged(cmd, s.Image); err == nil {
			defer image.Close()
		}
	}
	after := func(bool) {}
	if err == nil {
		after, err = ticketed(s, cmd)
	}
	if err == nil {
		err = launch(cmd)
		after(false)
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
	r.serve(rest)
	return r, nil
}

// command makes the command of s without its input and output.
func command(s Spec) (*exec.Cmd, error) {
	if len(s.Argv) == 0 {
		return nil, &StartError{Err: errors.New("empty argv")}
	}
	name, missing := s.Argv[0], error(nil)
	if filepath.Base(name) == name {
		name, missing = Find(name, s.Dir, s.Env)
	}
	cmd := exec.Command(name, s.Argv[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env = s.Argv[0], s.Dir, s.Env
	if missing != nil {
		cmd.Err = missing
	}
	return cmd, nil
}

// launch starts a program with its standard input and output, what cmd hands it on
// purpose, and nothing else that is open in us.
func launch(cmd *exec.Cmd) error {
	seal()
	return cmd.Start()
}

// startError returns why the program of s did not start. The system does not tell
// a missing working directory from a missing program.
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

// wait waits until the leader has exited and its stdout has ended, or had too
// much in it. It returns how ctx ended if that came first.
//
// The end of the pipe is the only sure sign that nobody can write to it any
// more: a holder may belong to another user, or wait in the queue of a socket.
func (r *run) wait(ctx context.Context) error {
	select {
	case <-r.exited:
	case <-r.out.full:
		return nil
	case <-ctx.Done():
		// A program that is done is done, however close it was.
		if !r.hasExited() {
			return ctxError(ctx)
		}
	}
	if isClosed(r.out.done) || waitClosed(r.out.done, drainWindow) {
		return nil
	}
	r.orphans = orphansOf(r.pid, r.began)
	select {
	case <-r.out.done:
	case <-ctx.Done():
		if !isClosed(r.out.done) {
			return ctxError(ctx)
		}
	}
	return nil
}

// finish completes a run whose context had no say: the leader has exited and
// stdout has ended, or had too much in it.
func (r *run) finish() error {
	if !r.tooMuch() {
		r.collect(drainWindow)
	}
	if r.tooMuch() {
		r.end(0)
		return ErrTooMuchOutput
	}
	if !r.drained() {
		r.killGroupHolders()
	}
	if r.waitErr != nil {
		return fmt.Errorf("wait for %q: %w", r.argv0, r.waitErr)
	}
	return nil
}

// killGroupHolders kills who of the group keeps our outputs open.
func (r *run) killGroupHolders() {
	f := r.orphans
	if f == nil {
		f = &family{leader: r.pid}
	} else {
		f.renew()
	}
	f.killGroupHolders(r.out.r, r.err.r)
}

func (r *run) tooMuch() bool { return isClosed(r.out.full) }

// drained reports whether both outputs were read to their end, so that nobody
// holds them any more. It may be asked after collect.
func (r *run) drained() bool { return r.out.eof && r.err.eof }

// end ends the process tree, with TERM first if there is a grace time, and
// collects what it had to say.
func (r *run) end(grace time.Duration) {
	f := r.family()
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

// family lists whom to end.
func (r *run) family() *family {
	f := r.orphans
	switch {
	case f != nil:
		f.renew()
	case r.hasExited():
		f = orphansOf(r.pid, r.began)
	default:
		return familyOf(r.pid)
	}
	f.adopt(r.out.r, r.err.r)
	return f
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
