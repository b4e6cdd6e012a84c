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
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/envelope"
	hosts "github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/kit"
)

const hookHelp = `Answer one event that a host sends on stdin, and record it in the ledger.

Hosts call this, as 'checkrein install HOST' tells them to; 'checkrein eval' is for
trying things out.

Examples:
  checkrein hook claude < event.json
  echo '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}' | checkrein hook native
  checkrein hook native --event turn_start < event.json

Usage: checkrein hook HOST [flags] < event.json

Hosts:
  native               whoever speaks checkrein's own words; the answer is the JSON of 'checkrein eval --json'
%s
Flags:
  --event NAME         the event, in the host's words (of native: in any system's); beats the payload's
  --root DIR           the project, where the host does not say it
  --config DIR         your configuration directory, and
  --state DIR          your state directory, both absolute: 'checkrein install' writes them, so that
                       no variable of a project moves them
  --within SECONDS     answer before this is over, because the host then runs the tool anyway
  --serve-stdio        answer events until stdin ends, one JSON line each: for the plugins that
                       'checkrein install' puts into hosts which run no commands

What is printed, and the exit code, are for the host.
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

func parseHook(env console.Env) (*hookFlags, error) {
	var f hookFlags
	var words []string
	args := args{list: env.Args, words: &words}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "event":
			f.event = args.value()
		case "root":
			f.root = args.value()
		case "config":
			f.config = args.value()
		case "state":
			f.state = args.value()
		case "within":
			n, err := strconv.ParseFloat(args.value(), 64)
			if args.err == nil && (err != nil || n <= 0) {
				args.err = errors.New("--within takes seconds")
			}
			f.within = time.Duration(n * float64(time.Second))
		case "serve-stdio":
			f.serve = args.on()
		default:
			args.unknown("event", "root", "config", "state", "within", "serve-stdio", "help")
		}
	}
	switch {
	case args.err != nil:
		return nil, args.err
	case len(words) != 1:
		return nil, fmt.Errorf("which host? this build knows %s", strings.Join(append(hosts.Names(), "native"), ", "))
	}
	f.host = words[0]
	if h, ok := hosts.Named(f.host); ok && f.serve && !h.Plugin {
		return nil, fmt.Errorf("%s runs a command for every event: --serve-stdio is for hosts that have a plugin of ours", h.Title)
	}
	event := f.event
	if f.host != "native" {
		event = "" // which is the host's, and may be new
	}
	return &f, checkNames(f.host, event)
}

// hook answers an event for a host. An event that cannot be read is answered
// and recorded too.
func hook(ctx context.Context, env console.Env) int {
	f, err := parseHook(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, hookUsage())
		return console.Done
	}
	if err != nil {
		return fail(env, console.Usage, "hook: %v\nRun 'checkrein hook --help' for usage.", err)
	}
	if f.serve {
		return serve(ctx, env, f)
	}
	body, err := readBody(env.Stdin)
	return say(env, f.answer(ctx, env, body, err))
}

// answer judges one payload, which is broken if there is an error, and says what
// to tell the host.
func (f *hookFlags) answer(ctx context.Context, env console.Env, body []byte, err error) checkrein.Reply {
	began := env.Now()
	c := f.read(body, err)
	encode := c.encoder()
	if dir := c.Events[0].Session.Dir; f.root != "" && dir == "" {
		for i := range c.Events {
			c.Events[i].Session.Dir = env.Path(f.root)
		}
	}
	k, openErr := open(env, &evalFlags{called: true, config: f.config, state: f.state}, &c.Events[0])
	for i := range c.Events {
		c.Events[i].Session.Dir = c.Events[0].Session.Dir
	}
	if openErr != nil {
		return encode(c.faulted(fmt.Errorf("%w; nothing was recorded", openErr)))
	}
	call := kit.Call{Events: c.Events, Began: began}
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
	if !slices.ContainsFunc(c.Events, func(ev checkrein.Event) bool { return !k.Instant(ev) }) {
		return k.Answer(ctx, call, encode)
	}
	if env.Interrupts != nil {
		ctx = env.Interrupts(ctx)
	}
	if f.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.within)
		defer cancel()
	}
	return k.Answer(ctx, call, encode)
}

// A hostCall is what came in, for a host or in checkrein's own words.
type hostCall struct {
	wire.Call
	named bool // someone said which event it is
}

// encoder says outcomes in the words of whoever called.
func (c *hostCall) encoder() kit.Encoder {
	if c.Host == nil {
		return kit.Native
	}
	return func(outs []engine.Outcome) checkrein.Reply { return c.Host.Say(&c.Call, outs) }
}

func (f *hookFlags) read(body []byte, err error) hostCall {
	if h, ok := hosts.Named(f.host); ok {
		c := hostCall{Call: h.Read(h, body, f.event), named: f.event != ""}
		if err != nil {
			c.Err = err
		}
		return c
	}
	ev, readErr := envelope.Read(body, f.event)
	if err == nil {
		err = readErr
	}
	return hostCall{Call: wire.Call{Events: []checkrein.Event{ev}, Err: err}, named: f.event != ""}
}

// faulted are the outcomes of a call that nobody could judge: what waits for an
// answer is denied.
func (c *hostCall) faulted(err error) []engine.Outcome {
	gate := c.Host != nil && c.Gates() || c.Host == nil && (checkrein.ContractOf(c.Events[0].Kind).Closed || c.Events[0].Kind == checkrein.Other && !c.named)
	return []engine.Outcome{faulted(c.Events[0], gate, err)}
}

// block says in the one way that every reader of a hook understands what a verdict
// tells.
func block(outs []engine.Outcome) checkrein.Reply {
	v := &outs[0].Verdict
	return checkrein.Reply{Stderr: []byte(strings.Join(append(v.Notice, v.Reason), "\n") + "\n"), Exit: 2}
}

// say gives the host its reply.
func say(env console.Env, r checkrein.Reply) int {
	if len(r.Stderr) > 0 {
		env.Stderr.Write(r.Stderr)
	}
	if code := write(env, r.Stdout); code != console.Done {
		return code
	}
	return r.Exit
}
