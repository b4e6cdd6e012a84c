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

// An alarm answers for a call that does not end in time, whatever holds it up: a
// host that gets no answer runs the tool. There is one answer: whoever claims it
// first gives it.
type alarm struct {
	flags *hookFlags
	wrong error // what is wrong with the command line
	began time.Time
	timer *time.Timer

	within  atomic.Int64           // nanoseconds since began; 0 = the host waits as long as it takes
	phase   atomic.Int32           // what the call is at
	body    atomic.Pointer[[]byte] // what was read of the event so far
	claimed atomic.Bool
}

// The phases of a call, each with what it means that a call got no further.
const (
	reading = iota
	loading
	asking
	recording
)

var stuck = [...]string{
	reading:   "the agent did not send the complete event on stdin. Try again; if that does not help, restart the agent",
	loading:   "configuration and state could not be read in time, because of a hanging disk, a very large directory tree or another process that holds a lock. To see what is wrong: checkrein doctor",
	asking:    "a hook kept running after its timeout. To list all hooks, run checkrein hooks list; to test them, run checkrein hooks doctor",
	recording: "the verdict could not be recorded in time, because of a hanging disk or another process that holds the ledger's lock. To see what is wrong: checkrein doctor",
}

const (
	// lastWord is how long whoever reads the answer has for that, once time is up.
	lastWord = time.Second
	// blocked is the exit code that most hosts take for a denial, whatever was
	// printed.
	blocked = 2
)

type alarmKey struct{}

// Arm sets the alarm for a call that a host waits for, before anything is read.
// The context is for [Run]; exit ends the program.
func Arm(ctx context.Context, env console.Env, exit func(code int)) context.Context {
	if len(env.Args) == 0 || env.Args[0] != "hook" {
		return ctx
	}
	env.Args = env.Args[1:]
	a := newAlarm(env)
	a.began = a.began.Add(-process.Age())
	if !a.flags.serve && !errors.Is(a.wrong, errHelp) { // events of a server have alarms of their own
		a.set(func() { a.ring(env, exit) })
	}
	return context.WithValue(ctx, alarmKey{}, a)
}

// armed returns the alarm of the context, or one that does not ring.
func armed(ctx context.Context, env console.Env) *alarm {
	if a, ok := ctx.Value(alarmKey{}).(*alarm); ok {
		return a
	}
	return newAlarm(env)
}

func newAlarm(env console.Env) *alarm {
	f, err := parseHook(env)
	return (&alarm{flags: f, wrong: err, began: env.Now()}).limited()
}

// limited takes over the limit of the command line, else the host's own.
func (a *alarm) limited() *alarm {
	within := a.flags.within
	if h, ok := hosts.Find(a.flags.host); ok && within == 0 {
		within = h.Within(nil)
	}
	a.within.Store(int64(within))
	return a
}

// set has ring called when time is up.
func (a *alarm) set(ring func()) {
	if within := a.limit(); within > 0 {
		a.timer = time.AfterFunc(time.Until(a.began.Add(within)), ring)
	}
}

func (a *alarm) limit() time.Duration { return time.Duration(a.within.Load()) }

// hurry shortens the time for an event that its host waits less for, unless the
// command line says how long.
func (a *alarm) hurry(c *wire.Call) {
	if a.flags.within > 0 || c.Host == nil || c.Event == nil {
		return
	}
	if within := c.Host.Within(c.Event); within > 0 && within < a.limit() {
		a.within.Store(int64(within))
		if a.timer != nil {
			a.timer.Reset(time.Until(a.began.Add(within)))
		}
	}
}

// claim reports whether the caller is the one to answer.
func (a *alarm) claim() bool { return a.claimed.CompareAndSwap(false, true) }

// bound ends hooks a little before time is up, so that what they came to can be
// recorded and told.
func (a *alarm) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	within := a.limit()
	if within == 0 {
		return ctx, func() {}
	}
	rest := min(max(within/4, 100*time.Millisecond), 2*time.Second)
	return context.WithDeadline(ctx, a.began.Add(within-rest))
}

// ring answers in the stead of a call that got stuck, and ends the program.
func (a *alarm) ring(env console.Env, exit func(int)) {
	c := a.call()
	code := console.Bug
	if c.gate() {
		code = blocked
	}
	time.AfterFunc(lastWord, func() { exit(code) }) // when nobody reads what is said
	if a.claim() {
		code := say(env, a.late(&c))
		process.KillAll() // hooks that go on would act after the call was refused
		exit(code)
	}
	// Else the answer is being written, and whoever does that ends the program.
}

// call reads the event as far as it came. The one that got stuck is not touched.
func (a *alarm) call() hostCall {
	var body []byte
	if p := a.body.Load(); p != nil {
		body = *p
	}
	return a.flags.read(body, nil)
}

// late is the reply to a call that got stuck.
func (a *alarm) late(c *hostCall) wire.Reply {
	text := fmt.Sprintf("checkrein did not finish within %s s: %s.", seconds(a.limit()), stuck[a.phase.Load()])
	return c.encoder()([]engine.Outcome{unjudged(c.Events[0], c.gate(), text)})
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// read reads what a host sends, if that is not too much, and lets the alarm see
// how far it came.
func (a *alarm) read(r io.Reader) ([]byte, error) {
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
			// What a pipe holds at once. A page that nothing is written to costs nothing,
			// and every page that is left behind was made in vain.
			body = slices.Grow(body, max(64<<10, len(body)))
		}
	}
}

// misused answers a call whose command line is wrong. A host that made it waits
// for an answer all the same; a person is told what is wrong.
func (a *alarm) misused(env console.Env) int {
	text := fmt.Sprintf("hook: %v\nRun 'checkrein hook --help' for usage.", a.wrong)
	_, known := hosts.Find(a.flags.host)
	if !known || a.flags.serve || interactive(env.Stdin) {
		return fail(env, console.Usage, "%s", text)
	}
	body, err := a.read(env.Stdin)
	c := a.flags.read(body, err)
	a.hurry(&c.Call)
	return a.say(env, c.encoder()(c.faulted(fmt.Errorf("the agent's hook command is wrong: %w. To write it again, run checkrein install %s", a.wrong, a.flags.host))))
}

// interactive reports whether nobody has anything to say on stdin but a person.
func interactive(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// say gives the host its reply, unless the alarm is at it: that ends the program.
func (a *alarm) say(env console.Env, r wire.Reply) int {
	if !a.claim() {
		select {}
	}
	return say(env, r)
}
