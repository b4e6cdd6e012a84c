package pipe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// Exit codes of a command that could not be run, as shells use them.
const (
	notRun   = 126
	notFound = 127
)

// chunkSize is the maximum number of bytes that one read returns.
const chunkSize = 64 << 10

// A Command is a command whose output is printed with its secrets redacted.
type Command struct {
	Argv           []string // the program and its arguments; if empty, Shell runs Text
	Shell, Text    string
	Stdin          *os.File
	Stdout, Stderr *os.File
	Values         []string // known secrets
	// Filter is a program with its arguments that copies its standard input to its standard
	// output without secrets. It takes over the output of background jobs when the command
	// itself has ended.
	Filter []string
}

// Run runs the command and returns its exit code. The command runs in this process's group, so signals
// to the group end it too. An error means that the command did not run, or that not all of its output
// was printed.
func (c *Command) Run() (int, error) {
	out, err := newOutputPipe(c.Stdout, c.Values)
	if err != nil {
		return notRun, err
	}
	lanes := []*outputPipe{out}
	if !isSameFile(c.Stdout, c.Stderr) { // otherwise one pipe keeps the order of both
		errs, err := newOutputPipe(c.Stderr, c.Values)
		if err != nil {
			return notRun, err
		}
		lanes = append(lanes, errs)
	}
	argv := c.Argv
	if len(argv) == 0 {
		argv = []string{c.Shell, "-c", c.Text}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, out.w, lanes[len(lanes)-1].w
	stop := startForwarding(cmd)
	err = cmd.Start()
	for _, l := range lanes {
		l.w.Close()
	}
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return notFound, err
		}
		return notRun, err
	}
	close(stop.started)
	for _, l := range lanes {
		go l.copyOutput()
	}
	state, err := cmd.Process.Wait()
	stop.stop()
	for _, l := range lanes {
		err = errors.Join(err, l.finish(c.Filter))
	}
	if state == nil {
		return notRun, err
	}
	return exitCode(state, err == nil), err
}

// isSameFile reports whether a and b are open on the same file. It reports false if either cannot be
// examined.
func isSameFile(a, b *os.File) bool {
	x, err := a.Stat()
	y, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// A forwarder forwards signals to the command.
type forwarder struct {
	started chan struct{}
	done    chan struct{}
	signals chan os.Signal
}

// startForwarding returns a forwarder that passes the signals which this process receives from now on
// to cmd. It waits until started is closed.
func startForwarding(cmd *exec.Cmd) *forwarder {
	f := &forwarder{started: make(chan struct{}), done: make(chan struct{}), signals: make(chan os.Signal, 8)}
	for _, s := range forwardedSignals {
		if !signal.Ignored(s) { // the command inherits ignored signals
			signal.Notify(f.signals, s)
		}
	}
	go func() {
		select {
		case <-f.started:
		case <-f.done:
			return
		}
		for {
			select {
			case s := <-f.signals:
				if !reachesCommand(s) {
					_ = cmd.Process.Signal(s) // the command may have ended
				}
			case <-f.done:
				return
			}
		}
	}()
	return f
}

// stop ends the forwarding. Later signals act on this process.
func (f *forwarder) stop() {
	signal.Stop(f.signals)
	close(f.done)
}

// An outputPipe carries one output of the command through a filter to its destination.
type outputPipe struct {
	r, w   *os.File
	filter *Filter
	to     *os.File
	ended  chan struct{}
	err    error // the reason why copying ended: io.EOF at the end of the output
}

// newOutputPipe returns a pipe that writes its input, without values and other secrets, to to.
func newOutputPipe(to *os.File, values []string) (*outputPipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &outputPipe{r: r, w: w, filter: NewFilter(values), to: to, ended: make(chan struct{})}, nil
}

// copyOutput filters and writes output until it ends, fails, or reaches the read deadline, and records
// the reason in l.err.
func (l *outputPipe) copyOutput() {
	defer close(l.ended)
	buf := make([]byte, chunkSize)
	for {
		n, err := l.r.Read(buf)
		if n > 0 {
			if werr := l.writeFiltered(buf[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			l.err = err
			return
		}
	}
}

// writeFiltered adds piece to the filter and writes the output that is ready.
func (l *outputPipe) writeFiltered(piece []byte) (err error) {
	defer l.closeOnError(&err)
	_, err = l.to.Write(l.filter.Write(piece))
	return err
}

// flush writes the rest of the output that the filter holds.
func (l *outputPipe) flush() (err error) {
	defer l.closeOnError(&err)
	_, err = l.to.Write(l.filter.Close())
	return err
}

// closeOnError turns a panic of the filter into *err, and closes the read end of the pipe if *err is
// set. The text that the filter still holds is dropped, because it may contain secrets.
func (l *outputPipe) closeOnError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the redactor failed: %v", p)
	}
	if *err != nil {
		l.r.Close()
	}
}

// finish writes everything that the command has printed so far. If background jobs still hold the pipe
// open, it starts filter as a separate process for their output.
func (l *outputPipe) finish(filter []string) error {
	_ = l.r.SetReadDeadline(time.Unix(1, 0)) // if deadlines are not supported, copying continues to the end
	<-l.ended
	if errors.Is(l.err, os.ErrDeadlineExceeded) {
		l.err = l.drain()
	}
	switch {
	case errors.Is(l.err, io.EOF):
		return l.flush()
	case !errors.Is(l.err, errHeld):
		return l.err
	}
	if err := l.flush(); err != nil {
		return err
	}
	cmd := exec.Command(filter[0], filter[1:]...)
	cmd.Stdin, cmd.Stdout = l.r, l.to
	return cmd.Start() // the filter outlives this process
}

// errHeld means that the pipe is empty, but a background job still holds it open.
var errHeld = errors.New("held open")

// Copy copies in to out, with values and other secrets redacted.
func Copy(out io.Writer, in io.Reader, values []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the redactor failed: %v", p)
		}
	}()
	f := NewFilter(values)
	buf := make([]byte, chunkSize)
	for {
		n, rerr := in.Read(buf)
		if _, err := out.Write(f.Write(buf[:n])); err != nil {
			return err
		}
		if errors.Is(rerr, io.EOF) {
			_, err := out.Write(f.Close())
			return err
		}
		if rerr != nil {
			return rerr
		}
	}
}
