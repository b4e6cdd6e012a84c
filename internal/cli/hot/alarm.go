package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	hosts "github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// An alarm answers a call that does not end in time, whatever delays it, because a host that gets no
// answer runs the tool. Exactly one answer is written, by whoever claims it first.
type alarm struct {
	flags    *hookFlags
	usageErr error // a mistake in the command line
	began    time.Time
	timer    *time.Timer

	within  atomic.Int64           // nanoseconds since began; 0 = no limit
	phase   atomic.Int32           // one of the phases below
	body    atomic.Pointer[[]byte] // the part of the event read so far
	claimed atomic.Bool
}

// The phases of a call.
const (
	phaseReading = iota
	phaseLoading
	phaseRunning
	phaseRecording
)

// stuckReasons lists the explanations for calls that got stuck, by the phase in which they did.
var stuckReasons = [...]string{
	phaseReading:   "the agent did not send the complete event on stdin. Try again; if that does not help, restart the agent",
	phaseLoading:   "configuration and state could not be read in time, because of a hanging disk, a very large directory tree or another process that holds a lock. To see what is wrong: checkrein doctor",
	phaseRunning:   "a hook kept running after its timeout. To list all hooks, run checkrein hooks list; to test them, run checkrein hooks doctor",
	phaseRecording: "the verdict could not be recorded in time, because of a hanging disk or another process that holds the ledger's lock. To see what is wrong: checkrein doctor",
}

const (
	// writeTimeout is how long the host has to read the answer once the alarm rings.
	writeTimeout = time.Second
	// deniedCode is the exit code that most hosts take as a denial, whatever was printed.
	deniedCode = 2
)

// alarmKey is the context key of the alarm.
type alarmKey struct{}

// Arm sets the alarm if the command line in env answers an event for a host, before anything is read.
// It returns the context for [Run]. When the alarm rings, it calls exit to end the program.
func Arm(ctx context.Context, env console.Env, exit func(code int)) context.Context {
	if len(env.Args) == 0 || env.Args[0] != "hook" {
		return ctx
	}
	env.Args = env.Args[1:]
	a := newAlarm(env)
	a.began = a.began.Add(-process.StartupAge())
	if !a.flags.serve && !errors.Is(a.usageErr, errHelp) { // events of a server have their own alarms
		a.start(func() { a.ring(env, exit) })
	}
	return context.WithValue(ctx, alarmKey{}, a)
}

// alarmFrom returns the alarm in ctx, or a new one that does not ring if there is none.
func alarmFrom(ctx context.Context, env console.Env) *alarm {
	if a, ok := ctx.Value(alarmKey{}).(*alarm); ok {
		return a
	}
	return newAlarm(env)
}

// newAlarm returns an alarm for the command line in env. It does not ring before set is called.
func newAlarm(env console.Env) *alarm {
	f, err := parseHook(env)
	return (&alarm{flags: f, usageErr: err, began: env.Now()}).withLimit()
}

// withLimit sets the time limit to that of the command line or else to the host's, and returns a.
func (a *alarm) withLimit() *alarm {
	within := a.flags.within
	if h, ok := hosts.Find(a.flags.host); ok && within == 0 {
		within = h.AnswerTimeout(nil)
	}
	a.within.Store(int64(within))
	return a
}

// start starts a timer that calls ring when the time limit is reached, if there is a limit.
func (a *alarm) start(ring func()) {
	if within := a.limit(); within > 0 {
		a.timer = time.AfterFunc(time.Until(a.began.Add(within)), ring)
	}
}

// limit returns the time limit, or 0 if there is none.
func (a *alarm) limit() time.Duration { return time.Duration(a.within.Load()) }

// shorten lowers the time limit to how long the host waits for an answer to this event, unless the
// command line sets a limit.
func (a *alarm) shorten(c *wire.Call) {
	if a.flags.within > 0 || c.Host == nil || c.Event == nil {
		return
	}
	if within := c.Host.AnswerTimeout(c.Event); within > 0 && within < a.limit() {
		a.within.Store(int64(within))
		if a.timer != nil {
			a.timer.Reset(time.Until(a.began.Add(within)))
		}
	}
}

// claim reports whether the caller is the first to claim the answer, and so must write it.
func (a *alarm) claim() bool { return a.claimed.CompareAndSwap(false, true) }

// withDeadline returns a context that ends hooks shortly before the time limit, so that the outcome
// can still be recorded and sent.
func (a *alarm) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	within := a.limit()
	if within == 0 {
		return ctx, func() {}
	}
	rest := min(max(within/4, 100*time.Millisecond), 2*time.Second)
	return context.WithDeadline(ctx, a.began.Add(within-rest))
}

// ring answers a call that got stuck, and ends the program.
func (a *alarm) ring(env console.Env, exit func(int)) {
	c := a.partialCall()
	code := console.Bug
	if c.isGate() {
		code = deniedCode
	}
	time.AfterFunc(writeTimeout, func() { exit(code) }) // in case the host does not read the answer
	if a.claim() {
		code := writeReply(env, a.lateReply(&c))
		process.KillAll() // hooks must not act after the call was refused
		exit(code)
	}
	// Otherwise the answer is being written, and its writer ends the program.
}

// partialCall returns the call as far as its event has arrived. It shares nothing with the goroutine
// that is stuck.
func (a *alarm) partialCall() hostCall {
	var body []byte
	if p := a.body.Load(); p != nil {
		body = *p
	}
	return a.flags.readCall(body, nil)
}

// lateReply returns the reply to a call that got stuck.
func (a *alarm) lateReply(c *hostCall) wire.Reply {
	text := fmt.Sprintf("checkrein did not finish within %s s: %s.", formatSeconds(a.limit()), stuckReasons[a.phase.Load()])
	return c.encoder()([]engine.Outcome{unjudgedOutcome(c.Events[0], c.isGate(), text)})
}

// formatSeconds returns d as a number of seconds, without a unit.
func formatSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// readInput reads an event of at most maxPayload bytes from r. It stores the part read so far for
// partialCall.
func (a *alarm) readInput(r io.Reader) ([]byte, error) {
	body := make([]byte, 0, 4<<10)
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		seen := body
		a.body.Store(&seen)
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		case len(body) > maxPayload:
			return nil, errTooLarge
		case len(body) == cap(body):
			// Grow by at least what a pipe holds: untouched pages cost nothing, but copying
			// a small buffer repeatedly does.
			body = slices.Grow(body, max(64<<10, len(body)))
		}
	}
}

// answerMisuse handles a wrong command line. A host gets an answer to its event, and a person at a
// terminal gets an error message.
func (a *alarm) answerMisuse(env console.Env) int {
	text := fmt.Sprintf("hook: %v\nRun 'checkrein hook --help' for usage.", a.usageErr)
	_, known := hosts.Find(a.flags.host)
	if !known || a.flags.serve || isTerminal(env.Stdin) {
		return printError(env, console.Usage, "%s", text)
	}
	body, err := a.readInput(env.Stdin)
	c := a.flags.readCall(body, err)
	a.shorten(&c.Call)
	return a.reply(env, c.encoder()(c.faultOutcomes(fmt.Errorf("the agent's hook command is wrong: %w. To write it again, run checkrein install %s", a.usageErr, a.flags.host))))
}

// isTerminal reports whether r is a terminal.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// reply writes r for the host and returns the exit code. If the alarm has claimed the answer, reply
// blocks until the alarm ends the program.
func (a *alarm) reply(env console.Env, r wire.Reply) int {
	if !a.claim() {
		select {}
	}
	return writeReply(env, r)
}
