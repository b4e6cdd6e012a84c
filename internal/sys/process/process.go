// Package process runs programs: the one place of checkrein that starts,
// bounds, ends and identifies processes.
//
// Run promises that it comes back: by the deadline of its context plus a few
// tens of milliseconds, whatever the program does with its output, its input,
// its children and its signals. Everything here may be called from several
// goroutines at once.
package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	defaultMaxOut = 1 << 20
	defaultMaxErr = 64 << 10
	defaultGrace  = 30 * time.Millisecond

	// drainWindow is how long a program that has exited may leave its stderr
	// open in somebody else's hands before Run stops waiting for the end, and
	// its stdout before Run looks whose hands these are.
	drainWindow = 25 * time.Millisecond

	// killWindow is how long Run watches killed processes disappear. It is
	// only a courtesy to callers who look right away; KILL needs no help.
	killWindow = 10 * time.Millisecond

	// eofWindow is how long the outputs of a dead family may take to end.
	eofWindow = 2 * time.Millisecond

	// reapWindow is how long Run waits for a killed leader. One that outlasts
	// it hangs in the kernel or belongs to another user, and is left behind.
	reapWindow = 100 * time.Millisecond
)

// The reasons for which Run ends a program. Match them with errors.Is.
var (
	// ErrTimeout reports that the deadline of the context passed before the
	// program had exited and its stdout had ended.
	ErrTimeout = errors.New("process timed out")
	// ErrCanceled reports that the context was cancelled before its deadline.
	ErrCanceled = errors.New("process canceled")
	// ErrTooMuchOutput reports that stdout went past Spec.MaxOut.
	ErrTooMuchOutput = errors.New("process wrote too much output")
)

// A StartError records that a program could not be started: nothing ran.
type StartError struct {
	Argv0 string // the program asked for, "" for an empty Argv
	Err   error  // why; never nil
}

// Error names the program and the reason.
func (e *StartError) Error() string {
	return fmt.Sprintf("start %q: %v", e.Argv0, e.Err)
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// A Spec is one program to run. Run and Detach only read it.
type Spec struct {
	// Argv is the program and its arguments; it never passes through a shell
	// (see Shell). A bare name is looked up in the PATH of Env, see [Find];
	// a relative path with a separator is relative to Dir.
	Argv []string
	// Dir is the working directory; "" is ours.
	Dir string
	// Env is the environment as KEY=value; nil is ours.
	Env []string
	// Stdin is all the program can read; it need not read any of it.
	Stdin []byte
	// MaxOut is how many bytes of stdout are allowed; 0 is 1 MiB. One byte
	// more ends the whole process tree at once with ErrTooMuchOutput.
	MaxOut int
	// MaxErr is how many bytes of stderr are kept; 0 is 64 KiB. What follows
	// them is read and thrown away.
	MaxErr int
	// Grace is the time between TERM and KILL when the context ends; 0 is
	// 30 ms, less than 0 is none. Windows has no TERM and kills at once.
	Grace time.Duration
	// Offline starts the program in a network of its own that has nothing in
	// it, not even itself; only Run heeds it. The program cannot start where
	// the system gives nobody such a network. Root is then root over files only.
	Offline bool
	// Apart starts the program in a session of its own, without the terminal that
	// we may have: it can neither read nor type there. Only Run heeds it.
	Apart bool
	// Image is the program itself, with Argv[0] as its name only: what runs is
	// these bytes, from memory, where nothing can change them. Of a script it is
	// the interpreter that its first line names, which reads the bytes as
	// /proc/self/fd/3. Only Run heeds it, only on Linux; see CanImage.
	Image []byte
	// Ticket is set if the program is checkrein's own and runs what it is given:
	// Argv has at least a command, and the program calls Admit with what follows
	// its name.
	Ticket bool
}

// A Result is what is known of a run, also beside an error. The slices belong
// to the caller.
type Result struct {
	Stdout, Stderr []byte
	// Exit is the exit code, -1 when there is none: the program was not
	// started or a signal ended it.
	Exit int
	// Signal names the signal that ended the program, as in "SIGKILL"; it is
	// "" when none did.
	Signal string
	// StderrCut is set if stderr had more bytes than were kept.
	StderrCut bool
}

// Run starts the program of s as the leader of a process group of its own,
// feeds it, collects its output and waits for it and for the end of its stdout.
//
// A non-zero exit and death by a signal are not errors; they are in the
// Result. The errors are a *StartError when nothing was started, ErrTimeout or
// ErrCanceled when ctx ended first, ErrTooMuchOutput, and a wrapped system
// error when the exit status was lost. A ctx that has ended starts nothing.
//
// When ctx ends, the group and every descendant that left it get TERM, and
// KILL after the grace time if any of them is left. Only one that also left
// its parents and our outputs cannot be found.
//
// The exit of the leader is not the end of the run as long as anybody else
// holds our stdout: what he writes may be the answer, so Run reads on until
// the last holder lets go or ctx ends. A ctx without a deadline may then wait
// for good. When ctx ends, the rest of the group, whoever holds our outputs
// wherever he went, and their descendants end as above. Where the platform
// cannot tell who holds a pipe that is the group and its descendants, and on
// Windows nobody.
//
// Once stdout has ended, what the leader started may live on as long as it has
// let go of our stderr, too. Members of the group that still hold it after a
// short window are killed, since nobody will ever read what they write; where
// the platform cannot tell who holds a pipe that is the whole group, and on
// Windows nobody. A process that has moved to a session of its own is taken at
// its word then and left alone.
//
// Being in its own group, the program does not hear a terminal's Ctrl-C; the
// caller turns that into a cancelled ctx.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := ctxError(ctx); err != nil {
		return Result{Exit: -1}, err
	}
	r, err := start(s)
	if err != nil {
		return Result{Exit: -1}, err
	}
	defer leave(r)
	if !enter(r) {
		r.kill()
	}
	if err = r.wait(ctx); err != nil {
		r.end(grace(s))
	} else {
		err = r.finish()
	}
	return r.result(), err
}

// ctxError translates the way ctx ended; nil while it has not.
func ctxError(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	default:
		return ErrCanceled
	}
}

func grace(s Spec) time.Duration {
	if s.Grace == 0 {
		return defaultGrace
	}
	return s.Grace
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
