package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/payload"
	hosts "github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
)

const hookHelp = `Answer one event that an agent sends on stdin, and record it in the ledger.

Agents call this command after 'checkrein install AGENT'. To try things out, use
'checkrein eval'.

Examples:
  checkrein hook claude < event.json
  echo '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}' | checkrein hook native
  checkrein hook native --event turn_start < event.json

Usage: checkrein hook AGENT [flags] < event.json

Agents:
  native               programs that use checkrein's own format; the answer is
                       the JSON of 'checkrein eval --json'
%s
Flags:
  --event NAME         the event, by the agent's name for it (for native, by any
                       system's name); replaces the event name in the payload
  --root DIR           the project, if the agent does not name it
  --config DIR         your configuration directory, an absolute path.
                       'checkrein install' writes it, so that a project's
                       environment variables cannot change it
  --state DIR          your state directory, in the same way
  --within SECONDS     answer within this time, counted from the start of the
                       program, because the agent runs the tool anyway after
                       that. The default is a little less than the agent's own
                       default timeout
  --serve-stdio        answer events until stdin ends, one JSON line each: for
                       the plugins that 'checkrein install' adds to agents that
                       run no commands

The output and the exit code are for the agent.
`

func hookUsage() string {
	var b strings.Builder
	for _, h := range hosts.Table() {
		fmt.Fprintf(&b, "  %-20s %s\n", h.Name, h.Title)
	}
	return fmt.Sprintf(hookHelp, b.String())
}

// hookFlags are what the command line asks for.
type hookFlags struct {
	host, event, root string
	config, state     string // pinned
	within            time.Duration
	serve             bool
}

// maxWithin bounds --within, in seconds.
const maxWithin = 1e6

// parseHook reads the command line to its end: beside an error, what is right in
// it says whom to tell.
func parseHook(env console.Env) (*hookFlags, error) {
	var f hookFlags
	var words []string
	var wrong error
	args := args{list: env.Args, words: &words}
	for args.next() || args.past(&wrong) {
		switch args.name {
		case "h", "help":
			return &f, errHelp
		case "event":
			f.event = args.value()
		case "root":
			f.root = args.value()
		case "config":
			f.config = args.value()
		case "state":
			f.state = args.value()
		case "within":
			text := args.value()
			within, ok := duration(text)
			if !ok {
				args.fail("--within must be a number of seconds from 0.001 to %.0f, not %q", maxWithin, text)
			}
			f.within = within
		case "serve-stdio":
			f.serve = args.on()
		default:
			args.unknown("event", "root", "config", "state", "within", "serve-stdio", "help")
		}
	}
	if len(words) > 0 {
		f.host = words[0]
		isHost := func(w string) bool { _, ok := hosts.Find(w); return ok }
		if i := slices.IndexFunc(words, isHost); i > 0 { // behind what an unknown flag left over
			f.host = words[i]
		}
	}
	switch {
	case wrong != nil:
		return &f, wrong
	case len(words) != 1:
		return &f, fmt.Errorf("name an agent: one of %s", strings.Join(append(hosts.Names(), "native"), ", "))
	}
	if h, ok := hosts.Find(f.host); ok && f.serve && !h.Plugin {
		f.serve = false
		return &f, fmt.Errorf("%s runs a command for every event: --serve-stdio is only for agents with a checkrein plugin", h.Title)
	}
	event := f.event
	if f.host != "native" {
		event = "" // which is the host's, and may be new
	}
	return &f, checkNames(f.host, event)
}

// duration reads a number of seconds that a clock can count.
func duration(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0.001 && n <= maxWithin) { // so that NaN is none
		return 0, false
	}
	return time.Duration(n * float64(time.Second)), true
}

// hook answers an event for a host. An event that cannot be read is answered
// and recorded too.
func hook(ctx context.Context, env console.Env) int {
	a := armed(ctx, env)
	switch {
	case errors.Is(a.wrong, errHelp):
		io.WriteString(env.Stdout, hookUsage())
		return console.Done
	case a.wrong != nil:
		return a.misused(env)
	case a.flags.serve:
		return serve(ctx, env, a.flags)
	}
	hintAtTerminal(env, "an event", "type it as one JSON object", "eval")
	body, err := a.read(env.Stdin)
	return a.say(env, a.answer(ctx, env, body, err))
}

// answer judges one payload, which is broken if there is an error, and says what
// to tell the host.
func (a *alarm) answer(ctx context.Context, env console.Env, body []byte, err error) wire.Reply {
	a.phase.Store(loading)
	f := a.flags
	c := f.read(body, err)
	a.hurry(&c.Call)
	say := c.encoder()
	encode := func(outs []engine.Outcome) wire.Reply {
		a.phase.Store(recording)
		return say(outs)
	}
	if dir := c.Events[0].Session.Dir; f.root != "" && dir == "" {
		for i := range c.Events {
			c.Events[i].Session.Dir = env.Path(f.root)
		}
	}
	k, openErr := open(env, setup{called: true, config: f.config, state: f.state}, &c.Events[0])
	for i := range c.Events {
		c.Events[i].Session.Dir = c.Events[0].Session.Dir
	}
	if openErr != nil {
		return encode(c.faulted(fmt.Errorf("%w; nothing was recorded", openErr)))
	}
	call := app.Call{Events: c.Events, Began: a.began}
	if err := k.NoteHost(f.host, &c.Events[0]); err != nil {
		c.Err = err
		if c.Events[0].Kind == checkrein.Other { // a hook hears its events in words of its own
			encode = block
		}
	}
	if c.Err != nil {
		call.Fault = c.Err.Error()
		return k.Record(call, c.faulted(c.Err), encode)
	}
	instant := !slices.ContainsFunc(c.Events, func(ev checkrein.Event) bool { return !k.Instant(ev) })
	a.phase.Store(asking)
	if instant {
		return k.Answer(ctx, call, encode)
	}
	if env.Interrupts != nil {
		ctx = env.Interrupts(ctx)
	}
	ctx, cancel := a.bound(ctx)
	defer cancel()
	return k.Answer(ctx, call, encode)
}

// A hostCall is what came in, for a host or in checkrein's own words.
type hostCall struct {
	wire.Call
	named bool // someone said which event it is
}

// encoder describes outcomes in the words of whoever called.
func (c *hostCall) encoder() app.Encoder {
	if c.Host == nil {
		return app.EncodeNative
	}
	return func(outs []engine.Outcome) wire.Reply { return c.Host.Say(&c.Call, outs) }
}

func (f *hookFlags) read(body []byte, err error) hostCall {
	if h, ok := hosts.Find(f.host); ok {
		c := hostCall{Call: h.Read(h, body, f.event), named: f.event != ""}
		if err != nil {
			c.Err = err
		}
		return c
	}
	ev, readErr := payload.Read(body, f.event)
	if err == nil {
		err = readErr
	}
	return hostCall{Call: wire.Call{Events: []checkrein.Event{ev}, Err: err}, named: f.event != ""}
}

// faulted are the outcomes of a call that nobody could judge: what waits for an
// answer is denied.
func (c *hostCall) faulted(err error) []engine.Outcome {
	return []engine.Outcome{faulted(c.Events[0], c.gate(), err)}
}

// gate reports whether something may wait for the answer.
func (c *hostCall) gate() bool {
	if c.Host != nil {
		return c.Gates()
	}
	kind := c.Events[0].Kind
	return checkrein.ContractOf(kind).Closed || kind == checkrein.Other && !c.named
}

// block describes in the one way that every reader of a hook understands what a verdict
// tells.
func block(outs []engine.Outcome) wire.Reply {
	v := &outs[0].Verdict
	return wire.Reply{Stderr: []byte(strings.Join(append(v.Notice, v.Reason), "\n") + "\n"), Exit: 2}
}

// say gives the host its reply.
func say(env console.Env, r wire.Reply) int {
	if len(r.Stderr) > 0 {
		env.Stderr.Write(r.Stderr)
	}
	if code := write(env, r.Stdout); code != console.Done {
		return code
	}
	if len(r.Stdout) > 0 && wasClosed(env.Stdout) {
		return fail(env, console.Bug, "the verdict could not be written: stdout is closed")
	}
	return r.Exit
}
