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

// Exit codes of a command that could not run, as shells have them.
const (
	notRun   = 126
	notFound = 127
)

// chunk is how much is read at once.
const chunk = 64 << 10

// A Command is one whose output is printed without secrets.
type Command struct {
	Argv           []string // the program and its arguments; none = Text in Shell
	Shell, Text    string
	Stdin          *os.File
	Stdout, Stderr *os.File
	Values         []string // that are known to be secrets
	// Filter is a program with its arguments that filters its input. It goes on with what
	// jobs in the background print when the command itself has ended.
	Filter []string
}

// Run runs the command and returns its exit code. It runs in our process group, so that what
// ends us ends it. An error says that it did not run, or that not all of its output was printed.
func (c *Command) Run() (int, error) {
	out, err := newLane(c.Stdout, c.Values)
	if err != nil {
		return notRun, err
	}
	lanes := []*lane{out}
	if !same(c.Stdout, c.Stderr) { // else the order of both would be lost
		errs, err := newLane(c.Stderr, c.Values)
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
	stop := forward(cmd)
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
		go l.copy()
	}
	state, err := cmd.Process.Wait()
	stop.end()
	for _, l := range lanes {
		err = errors.Join(err, l.finish(c.Filter))
	}
	if state == nil {
		return notRun, err
	}
	return ended(state, err == nil), err
}

// same reports whether two files are one.
func same(a, b *os.File) bool {
	x, err := a.Stat()
	y, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// A forwarding passes on signals that were meant for the command.
type forwarding struct {
	started chan struct{}
	done    chan struct{}
	signals chan os.Signal
}

// forward passes on the signals that this process gets from now on.
func forward(cmd *exec.Cmd) *forwarding {
	f := &forwarding{started: make(chan struct{}), done: make(chan struct{}), signals: make(chan os.Signal, 8)}
	for _, s := range passedOn {
		if !signal.Ignored(s) { // the command is to ignore it as well
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
				if !reaches(s) {
					_ = cmd.Process.Signal(s) // it may be gone
				}
			case <-f.done:
				return
			}
		}
	}()
	return f
}

// end passes on no more: from now on signals are for us.
func (f *forwarding) end() {
	signal.Stop(f.signals)
	close(f.done)
}

// A lane is one way for output: a pipe from the command, a filter, and where it goes.
type lane struct {
	r, w   *os.File
	filter *Filter
	to     *os.File
	ended  chan struct{}
	err    error // why copying ended; io.EOF = there is no more
}

func newLane(to *os.File, values []string) (*lane, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &lane{r: r, w: w, filter: NewFilter(values), to: to, ended: make(chan struct{})}, nil
}

// copy gives out what comes until there is no more, or until it is told to stop.
func (l *lane) copy() {
	defer close(l.ended)
	buf := make([]byte, chunk)
	for {
		n, err := l.r.Read(buf)
		if n > 0 {
			if werr := l.give(buf[:n]); werr != nil {
				err = werr
			}
		}
		if err != nil {
			l.err = err
			return
		}
	}
}

// give filters a piece and prints what is ready.
func (l *lane) give(piece []byte) (err error) {
	defer l.contain(&err)
	_, err = l.to.Write(l.filter.Write(piece))
	return err
}

// flush prints the rest.
func (l *lane) flush() (err error) {
	defer l.contain(&err)
	_, err = l.to.Write(l.filter.Close())
	return err
}

// contain closes a lane whose filter broke down: what it holds is not known to be clean.
func (l *lane) contain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the redactor failed: %v", p)
	}
	if *err != nil {
		l.r.Close()
	}
}

// finish prints all that the command printed until now. Jobs in the background that still
// hold its output go on with a filter of their own.
func (l *lane) finish(filter []string) error {
	_ = l.r.SetReadDeadline(time.Unix(1, 0)) // where there is none, copying goes on to the end
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
	return cmd.Start() // nobody waits for it
}

// errHeld reports that nothing more is there now, but that more may come.
var errHeld = errors.New("held open")

// Copy filters a text from in to out.
func Copy(out io.Writer, in io.Reader, values []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the redactor failed: %v", p)
		}
	}()
	f := NewFilter(values)
	buf := make([]byte, chunk)
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
