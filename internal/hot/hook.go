package hot

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/kit"
)

const hookHelp = `Answer one event that a host sends on stdin, and record it in the ledger.

Hosts call this; 'checkrein eval' is for trying things out.

Examples:
  echo '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}' | checkrein hook native
  checkrein hook native --event turn_start < event.json

Usage: checkrein hook HOST [flags] < event.json

Hosts:
  native               whoever speaks checkrein's own words; the answer is the JSON of 'checkrein eval --json'

Flags:
  --event NAME         the event, in any system's words; beats the payload's

What is printed, and the exit code, are for the host.
`

// hookFlags are what the command line asks for.
type hookFlags struct{ host, event string }

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
		default:
			args.unknown("event", "help")
		}
	}
	switch {
	case args.err != nil:
		return nil, args.err
	case len(words) != 1:
		return nil, errors.New("which host? this build knows native")
	}
	f.host = words[0]
	return &f, checkNames(f.host, f.event)
}

// hook answers an event for a host. An event that cannot be read is answered
// and recorded too.
func hook(ctx context.Context, env console.Env) int {
	f, err := parseHook(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, hookHelp)
		return console.Done
	}
	if err != nil {
		return fail(env, console.Usage, "hook: %v\nRun 'checkrein hook --help' for usage.", err)
	}
	call := kit.Call{Began: env.Now()}
	call.Event, err = readEvent(env.Stdin, f.event)
	if err != nil {
		call.Fault = err.Error()
	}
	k, openErr := open(env, &evalFlags{}, &call.Event)
	if openErr != nil {
		out := unreadable(call.Event, f.event, fmt.Errorf("%w; nothing was recorded", openErr))
		return say(env, kit.Native(&out))
	}
	if call.Fault != "" {
		out := unreadable(call.Event, f.event, err)
		return say(env, k.Record(call, &out, kit.Native))
	}
	if env.Interrupts != nil && !k.Instant(call.Event) {
		ctx = env.Interrupts(ctx)
	}
	out := k.Decide(ctx, call.Event)
	return say(env, k.Record(call, &out, kit.Native))
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
