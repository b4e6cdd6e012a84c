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

// hookUsage returns the help text of the hook command, with the list of hosts.
func hookUsage() string {
	var b strings.Builder
	for _, h := range hosts.Table() {
		fmt.Fprintf(&b, "  %-20s %s\n", h.Name, h.Title)
	}
	return fmt.Sprintf(hookHelp, b.String())
}

// hookFlags holds the flags of hook.
type hookFlags struct {
	host, event, root string
	config, state     string // pinned by install
	within            time.Duration
	serve             bool
}

// maxWithin is the largest value of --within, in seconds.
const maxWithin = 1e6

// parseHook reads the whole command line of hook, even after a mistake, because the flags that it
// returns with an error show which host waits for an answer.
func parseHook(env console.Env) (*hookFlags, error) {
	var f hookFlags
	var words []string
	var wrong error
	args := args{list: env.Args, words: &words}
	for args.next() || args.skipMistake(&wrong) {
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
			within, ok := parseSeconds(text)
			if !ok {
				args.fail("--within must be a number of seconds from 0.001 to %.0f, not %q", maxWithin, text)
			}
			f.within = within
		case "serve-stdio":
			f.serve = args.boolValue()
		default:
			args.failUnknown("event", "root", "config", "state", "within", "serve-stdio", "help")
		}
	}
	if len(words) > 0 {
		f.host = words[0]
		isHost := func(w string) bool { _, ok := hosts.Find(w); return ok }
		if i := slices.IndexFunc(words, isHost); i > 0 { // words before the host are values of unknown flags
			f.host = words[i]
		}
	}
	switch {
	case wrong != nil:
		return &f, wrong
	case len(words) != 1:
		return &f, fmt.Errorf("name an agent: one of %s", strings.Join(append(hosts.Names(), "native"), ", "))
	}
	if h, ok := hosts.Find(f.host); ok && f.serve && !h.IsPlugin {
		f.serve = false
		return &f, fmt.Errorf("%s runs a command for every event: --serve-stdio is only for agents with a checkrein plugin", h.Title)
	}
	event := f.event
	if f.host != "native" {
		event = "" // a newer host may have events that checkrein does not list
	}
	return &f, checkNames(f.host, event)
}

// parseSeconds parses a number of seconds, and reports whether --within accepts it.
func parseSeconds(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0.001 && n <= maxWithin) { // also rejects NaN
		return 0, false
	}
	return time.Duration(n * float64(time.Second)), true
}

// runHook runs the hook command: it answers an event for a host, even one that it cannot read, and
// records it.
func runHook(ctx context.Context, env console.Env) int {
	a := alarmFrom(ctx, env)
	switch {
	case errors.Is(a.usageErr, errHelp):
		io.WriteString(env.Stdout, hookUsage())
		return console.Done
	case a.usageErr != nil:
		return a.answerMisuse(env)
	case a.flags.serve:
		return serve(ctx, env, a.flags)
	}
	printStdinHint(env, "an event", "type it as one JSON object", "eval")
	body, err := a.readInput(env.Stdin)
	return a.reply(env, a.answerCall(ctx, env, body, err))
}

// answerCall judges the event in body, records it and returns the reply for the host. If readErr is
// not nil, the event could not be read.
func (a *alarm) answerCall(ctx context.Context, env console.Env, body []byte, readErr error) wire.Reply {
	a.phase.Store(phaseLoading)
	f := a.flags
	c := f.readCall(body, readErr)
	a.shorten(&c.Call)
	say := c.encoder()
	encode := func(outs []engine.Outcome) wire.Reply {
		a.phase.Store(phaseRecording)
		return say(outs)
	}
	if dir := c.Events[0].Session.Dir; f.root != "" && dir == "" {
		for i := range c.Events {
			c.Events[i].Session.Dir = env.Path(f.root)
		}
	}
	k, openErr := openKit(env, setup{called: true, config: f.config, state: f.state}, &c.Events[0])
	for i := range c.Events {
		c.Events[i].Session.Dir = c.Events[0].Session.Dir
	}
	if openErr != nil {
		return encode(c.faultOutcomes(fmt.Errorf("%w; nothing was recorded", openErr)))
	}
	call := app.Call{Events: c.Events, Began: a.began}
	if readErr := k.NoteHost(f.host, &c.Events[0]); readErr != nil {
		c.Err = readErr
		if c.Events[0].Kind == checkrein.Other { // the caller's format is unknown
			encode = encodeBlock
		}
	}
	if c.Err != nil {
		call.Fault = c.Err.Error()
		return k.Record(call, c.faultOutcomes(c.Err), encode)
	}
	instant := k.ApprovalSettings().Wait == 0 && !slices.ContainsFunc(c.Events, func(ev checkrein.Event) bool { return !k.IsInstant(ev) })
	a.phase.Store(phaseRunning)
	if instant {
		return k.Answer(ctx, call, encode)
	}
	if env.Interrupts != nil {
		ctx = env.Interrupts(ctx)
	}
	ctx, cancel := a.withDeadline(ctx)
	defer cancel()
	return k.Answer(ctx, call, encode)
}

// A hostCall is a call in the format of a host or, if Host is nil, in checkrein's own format.
type hostCall struct {
	wire.Call
	named bool // the command line names the event
}

// encoder returns the encoder for replies in the format of the call.
func (c *hostCall) encoder() app.Encoder {
	if c.Host == nil {
		return app.EncodeNative
	}
	return func(outs []engine.Outcome) wire.Reply { return c.Host.Encode(&c.Call, outs) }
}

// readCall returns the call whose payload is body. If err is not nil, it becomes the error of the
// call.
func (f *hookFlags) readCall(body []byte, err error) hostCall {
	if h, ok := hosts.Find(f.host); ok {
		c := hostCall{Call: h.Read(h, body, f.event), named: f.event != ""}
		if err != nil {
			c.Err = err
		}
		return c
	}
	ev, readErr := payload.ReadEvent(body, f.event)
	if err == nil {
		err = readErr
	}
	return hostCall{Call: wire.Call{Events: []checkrein.Event{ev}, Err: err}, named: f.event != ""}
}

// faultOutcomes returns the outcomes of a call that could not be judged because of err. A gate is
// denied.
func (c *hostCall) faultOutcomes(err error) []engine.Outcome {
	return []engine.Outcome{faultOutcome(c.Events[0], c.isGate(), err)}
}

// isGate reports whether the host may wait for the answer before it acts, so that a fault must deny.
func (c *hostCall) isGate() bool {
	if c.Host != nil {
		return c.IsGate()
	}
	kind := c.Events[0].Kind
	return checkrein.ContractOf(kind).Closed || kind == checkrein.Other && !c.named
}

// encodeBlock encodes a verdict as exit code 2 and text on stderr, which every system that runs hooks
// understands as a denial.
func encodeBlock(outs []engine.Outcome) wire.Reply {
	v := &outs[0].Verdict
	return wire.Reply{Stderr: []byte(strings.Join(append(v.Notice, v.Reason), "\n") + "\n"), Exit: 2}
}

// writeReply writes the reply to the host and returns the exit code.
func writeReply(env console.Env, r wire.Reply) int {
	if len(r.Stderr) > 0 {
		env.Stderr.Write(r.Stderr)
	}
	if code := writeStdout(env, r.Stdout); code != console.Done {
		return code
	}
	if len(r.Stdout) > 0 && wasClosed(env.Stdout) {
		return printError(env, console.Bug, "the verdict could not be written: stdout is closed")
	}
	return r.Exit
}
