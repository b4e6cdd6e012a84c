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

	// drainWindow is how long Run waits for the stdout and stderr of a program that has exited
	// to end. After that Run stops reading stderr, and lists the processes that hold stdout.
	drainWindow = 25 * time.Millisecond

	// killWindow is how long Run waits for killed processes to disappear. The wait only helps
	// callers that check for them at once.
	killWindow = 10 * time.Millisecond

	// eofWindow is how long the output pipes of a dead family may take to reach their end.
	eofWindow = 2 * time.Millisecond

	// reapWindow is how long Run waits for a killed leader. A leader that takes longer hangs in
	// the kernel or belongs to another user, and is left behind.
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

// A StartError is the error of a program that could not be started.
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
	// Argv is the program and its arguments; no shell interprets it. A bare name is looked up in
	// the PATH of Env. A relative path with a separator is relative to Dir.
	Argv []string
	// Dir is the working directory; "" means that of this process.
	Dir string
	// Env is the environment as KEY=value; nil means that of this process.
	Env []string
	// Stdin is the whole standard input of the program, which need not read it.
	Stdin []byte
	// MaxOut is the maximum number of bytes of stdout; 0 means 1 MiB. One more byte ends the
	// whole process tree at once with ErrTooMuchOutput.
	MaxOut int
	// MaxErr is the maximum number of bytes of stderr that are kept; 0 means 64 KiB. The rest is
	// read and discarded.
	MaxErr int
	// Grace is the time between TERM and KILL when the context ends; 0 means 30 ms, a negative
	// value means none. Windows has no TERM, so the program is killed at once.
	Grace time.Duration
	// Offline starts the program in an empty network namespace without even a loopback
	// interface. The program does not start if the system cannot create one. Root's privileges
	// are then limited to files. Only Run supports it.
	Offline bool
	// NewSession starts the program in its own session, without the terminal that this process
	// may have, so it can neither read from nor write to it. Only Run supports it.
	NewSession bool
	// Image is the content of the program; Argv[0] is then only its name. The program runs from
	// memory, where nothing can change it. If it is a script, the interpreter in its first line
	// reads it as /proc/self/fd/3. Only Run on Linux supports it; see CheckImage.
	Image []byte
	// Ticket is set if the program is one of checkrein's own that runs what its caller passes.
	// Argv then has at least a command, and the program calls AcceptTicket with the arguments
	// after its name.
	Ticket bool
}

// A Result is the outcome of a run. It is valid even if there is an error. The caller owns the slices.
type Result struct {
	Stdout, Stderr []byte
	// Exit is the exit code, or -1 if there is none: the program was not started or a signal ended it.
	Exit int
	// Signal is the name of the signal that ended the program, such as "SIGKILL"; "" if none did.
	Signal string
	// StderrTruncated is set if stderr had more bytes than were kept.
	StderrTruncated bool
}

// Run starts the program of s as the leader of its own process group, writes its input, collects its
// output, and waits for it and for the end of its stdout.
//
// A non-zero exit and death by a signal are not errors; they are in the Result. The error is a
// *StartError if nothing was started, ErrTimeout or ErrCanceled if ctx ended first, ErrTooMuchOutput,
// or a wrapped system error if the exit status was lost. If ctx has already ended, nothing is started.
//
// When ctx ends, the group and every descendant that left it get TERM and, if any of them still runs
// after the grace time, KILL. Only a process that left its parents and closed the output pipes cannot
// be found.
//
// The run does not end with the leader as long as another process holds stdout. That process may write
// the answer, so Run keeps reading until the last holder closes stdout or ctx ends. Without a deadline
// that may take forever. When ctx ends, the rest of the group, all holders of the output pipes and
// their descendants are ended as above. If the platform does not report which processes hold a pipe,
// only the group and its descendants are ended, and on Windows none.
//
// Once stdout has ended, processes that the leader started may live on if they have closed stderr too.
// Members of the group that still hold stderr after a short window are killed, because their output
// would never be read. If the platform does not report which processes hold a pipe, the whole group is
// killed, and on Windows none. A process that moved to its own session intends to live on, and is left
// alone.
//
// The program is in its own group, so a terminal's Ctrl-C does not reach it. The caller must turn
// Ctrl-C into a cancelled ctx.
func Run(ctx context.Context, s Spec) (Result, error) {
	if err := ctxError(ctx); err != nil {
		return Result{Exit: -1}, err
	}
	r, err := startRun(s)
	if err != nil {
		return Result{Exit: -1}, err
	}
	defer unregisterRun(r)
	if !registerRun(r) {
		r.kill()
	}
	if err = r.wait(ctx); err != nil {
		r.endTree(graceTime(s))
	} else {
		err = r.finish()
	}
	return r.result(), err
}

// ctxError returns ErrTimeout or ErrCanceled if ctx has ended, otherwise nil.
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

// graceTime returns the time between TERM and KILL for s.
func graceTime(s Spec) time.Duration {
	if s.Grace == 0 {
		return defaultGrace
	}
	return s.Grace
}

// orDefault returns n if it is positive, otherwise def.
func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
