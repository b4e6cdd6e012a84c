// Package process runs programs. It is the only package of checkrein that starts, limits, ends and
// identifies processes.
//
// Run always returns: by the deadline of its context plus a few tens of milliseconds, whatever the
// program does with its output, its input, its children and its signals. All functions are safe for
// concurrent use.
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

	// drainWindow is how long other processes may hold the stderr of a program that has exited before
	// Run stops waiting for its end, and its stdout before Run finds out which processes hold it.
	drainWindow = 25 * time.Millisecond

	// killWindow is how long Run waits for killed processes to disappear. That only helps callers that
	// check at once; the kill itself needs no waiting.
	killWindow = 10 * time.Millisecond

	// eofWindow is how long the outputs of a dead family may take to end.
	eofWindow = 2 * time.Millisecond

	// reapWindow is how long Run waits for a killed leader. One that takes longer hangs in the kernel
	// or belongs to another user, and is left behind.
	reapWindow = 100 * time.Millisecond
)

// The reasons why Run ends a program, for errors.Is.
var (
	// ErrTimeout means that the deadline of the context passed before the program had exited and its
	// stdout had ended.
	ErrTimeout = errors.New("process timed out")
	// ErrCanceled means that the context was cancelled before its deadline.
	ErrCanceled = errors.New("process canceled")
	// ErrTooMuchOutput means that stdout exceeded Spec.MaxOut.
	ErrTooMuchOutput = errors.New("process wrote too much output")
)

// A StartError is the error if a program could not be started: nothing ran.
type StartError struct {
	Argv0 string // the requested program; "" for an empty Argv
	Err   error  // the reason; never nil
}

// Error returns the program and the reason.
func (e *StartError) Error() string {
	return fmt.Sprintf("start %q: %v", e.Argv0, e.Err)
}

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// A Spec describes a program to run. Run and Detach do not modify it.
type Spec struct {
	// Argv is the program and its arguments; no shell interprets it (see Shell). A bare name is looked
	// up in the PATH of Env, see [Find]; a relative path with a separator is relative to Dir.
	Argv []string
	// Dir is the working directory; "" is that of this process.
	Dir string
	// Env is the environment as KEY=value; nil is that of this process.
	Env []string
	// Stdin is all the program can read; it need not read any of it.
	Stdin []byte
	// MaxOut is how many bytes of stdout are allowed; 0 is 1 MiB. One more byte ends the whole process
	// tree at once with ErrTooMuchOutput.
	MaxOut int
	// MaxErr is how many bytes of stderr are kept; 0 is 64 KiB. The rest is read and discarded.
	MaxErr int
	// Grace is the time between TERM and KILL when the context ends; 0 is 30 ms, a negative value is
	// none. Windows has no TERM and kills at once.
	Grace time.Duration
	// Offline starts the program in an empty network namespace, which lacks even the loopback
	// interface. The program does not start if the system cannot create one. Root's privileges then
	// extend to files only. Only Run supports it.
	Offline bool
	// NewSession starts the program in a session of its own, without the terminal that this process
	// may have: it can neither read nor type there. Only Run supports it.
	NewSession bool
	// Image is the program itself, with Argv[0] only as its name: these bytes run from memory, where
	// nothing can change them. If they are a script, the interpreter of its first line reads them as
	// /proc/self/fd/3. Only Run on Linux supports it; see CheckImage.
	Image []byte
	// Ticket is set if the program is checkrein's own and runs what its caller passes: Argv then has
	// at least a command, and the program calls AcceptTicket with what follows its name.
	Ticket bool
}

// A Result is what is known about a run, even if there is an error. The caller owns the slices.
type Result struct {
	Stdout, Stderr []byte
	// Exit is the exit code, or -1 if there is none: the program was not started or a signal ended it.
	Exit int
	// Signal is the name of the signal that ended the program, such as "SIGKILL"; "" if none did.
	Signal string
	// StderrTruncated is set if stderr had more bytes than were kept.
	StderrTruncated bool
}

// Run starts the program of s as the leader of a process group of its own, writes its input, collects
// its output, and waits for it and for the end of its stdout.
//
// A non-zero exit and death by a signal are not errors; they are in the Result. The errors are a
// *StartError if nothing was started, ErrTimeout or ErrCanceled if ctx ended first, ErrTooMuchOutput,
// and a wrapped system error if the exit status was lost. If ctx has already ended, nothing is
// started.
//
// When ctx ends, the group and every descendant that left it get TERM, and KILL after the grace time
// if any of them still runs. Only a process that also left its parents and the output pipes cannot be
// found.
//
// The run does not end with the leader as long as another process holds stdout: its output may be the
// answer, so Run keeps reading until the last holder closes it or ctx ends. Without a deadline that
// may take forever. When ctx ends, the rest of the group, all holders of the output pipes wherever
// they went, and their descendants are ended as above. If the platform cannot tell which processes
// hold a pipe, only the group and its descendants are; on Windows none are.
//
// Once stdout has ended, processes that the leader started may live on if they have closed stderr too.
// Members of the group that still hold it after a short window are killed, since their output would
// never be read; if the platform cannot tell which processes hold a pipe, the whole group is killed,
// and on Windows none are. A process that has moved to a session of its own meant to live on, and is
// left alone.
//
// The program is in its own group, so a terminal's Ctrl-C does not reach it; the caller must turn that
// into a cancelled ctx.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := ctxError(ctx); err != nil {
		return Result{Exit: -1}, err
	}
	r, err := start(s)
	if err != nil {
		return Result{Exit: -1}, err
	}
	defer unregister(r)
	if !register(r) {
		r.kill()
	}
	if err = r.wait(ctx); err != nil {
		r.endTree(graceTime(s))
	} else {
		err = r.finish()
	}
	return r.result(), err
}

// ctxError returns ErrTimeout or ErrCanceled if ctx has ended, else nil.
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

// graceTime returns the time between TERM and KILL.
func graceTime(s Spec) time.Duration {
	if s.Grace == 0 {
		return defaultGrace
	}
	return s.Grace
}

// orDefault returns n if it is positive, else def.
func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
