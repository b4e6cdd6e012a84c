package hot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	hosts "github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

const evalHelp = `Run one event, given as JSON on stdin, through the matching hooks and print the
verdict.

Examples:
  echo '{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}' | checkrein eval
  checkrein eval -c agent.yaml --event pre_tool_use --explain < event.json
  checkrein eval -c checkrein.yaml --plan < event.json

Usage: checkrein eval [flags] < event.json

Flags:
  -c FILE              read hooks from this file only; repeatable. Without it,
                       the managed, user and project files are read.
  --event NAME         the event, by checkrein's or an agent's name for it
                       (pre_tool_use, PreToolUse); replaces the event name in
                       the payload
  --host NAME          the agent that sends the event. The default, native,
                       supports everything. An agent's own payload becomes the
                       same events as in 'checkrein hook AGENT'
  --agent NAME         the agent, if the file declares several
  --hook-EVENT CMD     add a command hook, e.g. --hook-pre-tool-use ./check.sh;
                       repeatable
  --plan               show what would run, but run nothing
  --explain            show every hook for the event: origin, stage, time,
                       answer, effects, and for each condition whether it was
                       met (✓ ✗), what was found and expected
  --json               print JSON
  --exit-code          exit with 1 if the verdict is deny and 5 if it is ask; of
                       several events the strictest counts
  --color WHEN         auto, always or never

The verdict is in the output. The exit code is 0, or 2 if the command line or
the event cannot be read.
`

// evalFlags holds the flags of eval.
type evalFlags struct {
	setup
	event, host, colour string
	plan, explain, json bool
	exitCode            bool // the exit code follows from the decision
}

// A setup has the options for opening a kit, apart from the event and the environment.
type setup struct {
	files         []string
	agent         string
	hooks         []checkrein.Hook
	called        bool   // a host called this program for its own event
	readOnly      bool   // write nothing
	config, state string // the directories that the command line in the host's settings pins
}

// parseEval reads the command line of eval.
func parseEval(env console.Env) (*evalFlags, error) {
	f := evalFlags{host: "native"}
	args := args{list: env.Args}
	for args.next() {
		switch args.name {
		case "h", "help":
			return nil, errHelp
		case "c":
			f.files = append(f.files, args.value())
		case "event":
			f.event = args.value()
		case "host":
			f.host = args.value()
		case "agent":
			f.agent = args.value()
		case "plan":
			f.plan = args.boolValue()
		case "explain":
			f.explain = args.boolValue()
		case "json":
			f.json = args.boolValue()
		case "exit-code":
			f.exitCode = args.boolValue()
		case "color":
			f.colour = args.colourValue()
		default:
			if !f.parseHookFlag(&args) {
				args.failUnknown("c", "event", "host", "agent", "plan", "explain", "json", "exit-code", "color", "help")
			}
		}
	}
	switch {
	case args.err != nil:
		return nil, args.err
	case f.plan && f.exitCode:
		return nil, errors.New("--plan decides nothing: leave out --exit-code")
	}
	return &f, checkNames(f.host, f.event)
}

// parseHookFlag reads --hook-EVENT CMD. It reports false if the current flag is not of this form or
// names an unknown event.
func (f *evalFlags) parseHookFlag(args *args) bool {
	event, ok := strings.CutPrefix(args.name, "hook-")
	if !ok {
		return false
	}
	kind, ok := hookfile.KindOf(strings.ReplaceAll(event, "-", "_"))
	if !ok {
		return false
	}
	if h, ok := config.FlagHook(kind, args.value(), len(f.hooks)+1); ok {
		f.hooks = append(f.hooks, h)
	}
	return true
}

// checkNames returns an error if the host or the event is unknown. The event "" is accepted, since the
// payload names it.
func checkNames(host, event string) error {
	h, known := hosts.Find(host)
	if !known && host != "native" {
		names := append(hosts.Names(), "native")
		return fmt.Errorf("unknown agent %q%s", host, suggest.HintOr(host, names, "must be one of "+strings.Join(names, ", ")))
	}
	if event == "" || strings.HasPrefix(event, "native:") || known && h.FindEvent(event) != nil {
		return nil
	}
	if _, ok := hookfile.KindOf(event); !ok && (known || !hosts.IsEvent(event)) {
		var names []string
		for _, row := range checkrein.Contracts()[1:] {
			names = append(names, row.Name)
		}
		return fmt.Errorf("unknown event %q%s (for an agent's own event, write native:%s)", event, suggest.Hint(event, names), event)
	}
	return nil
}

// eventNames returns all names that hosts and dialects have for events.
func eventNames() []string {
	var out []string
	for _, row := range checkrein.Contracts()[1:] {
		out = append(out, row.Name)
		for _, a := range row.Aliases {
			out = append(out, a.Name)
		}
	}
	for _, name := range hosts.Names() {
		h, _ := hosts.Find(name)
		for i := range h.Events {
			out = append(out, h.Events[i].Native)
		}
	}
	return out
}

// maxPayload is the maximum size of an event in bytes.
const maxPayload = 32 << 20

// errTooLarge is returned for a payload above maxPayload.
var errTooLarge = errors.New("the payload is larger than 32 MiB: pass large content in files")

// printStdinHint prints what the command reads from stdin and how to end the input, if stdin is a
// terminal. Otherwise the program would seem to hang.
func printStdinHint(env console.Env, what, how, command string) {
	null, err := os.Stat(os.DevNull)
	f, ok := env.Stdin.(*os.File)
	if !ok || err != nil || !isTerminal(f) {
		return
	}
	if info, err := f.Stat(); err == nil && !os.SameFile(info, null) {
		fmt.Fprintf(env.Stderr, "reading %s from the terminal: %s, then press Ctrl-D (for an example, run checkrein %s --help)\n", what, how, command)
	}
}

// runEval runs the eval command and returns the exit code.
func runEval(ctx context.Context, env console.Env) int {
	f, err := parseEval(env)
	if errors.Is(err, errHelp) {
		io.WriteString(env.Stdout, evalHelp)
		return console.Done
	}
	if err != nil {
		return printError(env, console.Usage, "eval: %v\nRun 'checkrein eval --help' for usage.", err)
	}
	printStdinHint(env, "an event", "type it as one JSON object", "eval")
	events, err := f.readEvents(env.Stdin)
	if errors.Is(err, payload.ErrNoEvent) {
		return printError(env, console.Usage, "eval: %v: add it, or pass --event", err)
	}
	if err != nil {
		return printError(env, console.Usage, "eval: the event on stdin cannot be read: %v", err)
	}
	if ev := &events[0]; f.event == "" && ev.Kind == checkrein.Other && !slices.Contains(eventNames(), ev.Native) {
		if hint := suggest.FindSlip(ev.Native, eventNames()); hint != "" {
			return printError(env, console.Usage, "eval: unknown event %q, did you mean %q? For an agent's own event, pass --event native:%s", ev.Native, hint, ev.Native)
		}
		fmt.Fprintf(env.Stderr, "checkrein: unknown event %q: only hooks on native:%s see it\n", ev.Native, ev.Native)
	}
	k, err := openKit(env, f.setup, &events[0])
	if err != nil {
		return printVerdicts(env, f, unreadableOutcome(events[0], f.event, err))
	}
	for i := range events {
		events[i].Session.Dir = events[0].Session.Dir
	}
	if f.plan {
		return printPlan(env, f, k, events)
	}
	if env.Interrupts != nil && slices.ContainsFunc(events, func(ev checkrein.Event) bool { return !k.IsInstant(ev) }) {
		ctx = env.Interrupts(ctx)
	}
	outs := k.DecideCall(ctx, events)
	if f.explain {
		for i := range outs {
			outs[i].Why = k.Explain(events[i], nil)
		}
	}
	if f.host == "native" {
		outs = []engine.Outcome{app.JoinOutcomes(outs)}
	}
	for i := range outs {
		addIgnoredDenial(&outs[i])
	}
	return printVerdicts(env, f, outs...)
}

// addIgnoredDenial adds a denial to the dropped effects of out if the event's host cannot honour it on
// this event. The decision does not change, since what a host honours never makes a decision weaker.
func addIgnoredDenial(out *engine.Outcome) {
	row := checkrein.ContractOf(out.Event.Kind)
	if out.Verdict.Decision == checkrein.Deny && row.Can(checkrein.CanDeny) && hosts.Honours(&out.Event)&(checkrein.CanDeny|checkrein.CanRedo) == 0 {
		out.Dropped = append(out.Dropped, checkrein.Dropped{Effect: checkrein.CanDeny.Words()[0], Why: "the agent does not honour this on " + row.Name + "; the user sees the reason"})
	}
}

// printVerdicts prints outcomes and returns the exit code. With --exit-code, it is that of the
// strictest decision.
func printVerdicts(env console.Env, f *evalFlags, outs ...engine.Outcome) int {
	var d checkrein.Decision
	for i := range outs {
		d = max(d, outs[i].Verdict.Decision)
	}
	code := printOutcomes(env, f, outs...)
	switch {
	case code != console.Done || !f.exitCode:
		return code
	case d == checkrein.Deny:
		return console.Finding
	case d == checkrein.Ask:
		return console.Ask
	}
	return console.Done
}

// readEvents reads the events to judge: all events of the payload if it is in the host's own format,
// or else those of a payload in any known format.
func (f *evalFlags) readEvents(r io.Reader) ([]checkrein.Event, error) {
	body, err := readPayload(r)
	events, wrong := hosts.ReadFor(f.host, body, f.event)
	if err == nil {
		err = wrong
	}
	return events, err
}

// readPayload reads r to its end. It fails if there are more than maxPayload bytes.
func readPayload(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxPayload {
		return nil, errTooLarge
	}
	return body, nil
}

// maxDirLen is the maximum length of a directory's path, as on Linux.
const maxDirLen = 4096

// openKit opens the kit for ev, and sets the directory of its session if that is "".
func openKit(env console.Env, s setup, ev *checkrein.Event) (*app.Kit, error) {
	if len(ev.Session.Dir) > maxDirLen {
		return nil, fmt.Errorf("the path of the session's directory is longer than %d bytes: use a directory with a shorter path", maxDirLen)
	}
	if ev.Session.Dir == "" {
		ev.Session.Dir = env.Dir
	}
	opts := app.Options{
		Dir: ev.Session.Dir, Session: ev.Session.ID, Host: ev.Host, Files: s.files, Agent: s.agent, Hooks: s.hooks,
		Environ: env.Environ, Managed: env.Managed, Now: env.Now,
		Program: env.Program, Companion: companionPath(env), Called: s.called, IgnoreSessionRoot: !s.called, ReadOnly: s.readOnly,
		Config: s.config, State: s.state, Pinned: s.config != "" || s.state != "",
	}
	// The agent of subagent_stop is the one that stops, but the hooks of its parent run.
	if s.agent == "" && ev.Kind != checkrein.SubagentStop {
		opts.Agent, opts.AgentIsGuess = ev.Session.Agent, true
	}
	for i, file := range opts.Files {
		opts.Files[i] = env.Path(file)
	}
	return app.Open(opts)
}

// unreadableOutcome returns the outcome of an event for which no hook could run. The event is denied
// if its contract says so. An unknown event may be a gate, so it is denied too, unless the command
// line names it.
func unreadableOutcome(ev checkrein.Event, name string, err error) engine.Outcome {
	return faultOutcome(ev, checkrein.ContractOf(ev.Kind).Closed || ev.Kind == checkrein.Other && name == "", err)
}

// faultOutcome returns the outcome of an event that could not be judged because of err: a denial for a
// gate, and a notice otherwise.
func faultOutcome(ev checkrein.Event, gate bool, err error) engine.Outcome {
	return unjudgedOutcome(ev, gate, "checkrein cannot evaluate this event: "+err.Error())
}

// unjudgedOutcome returns a denial with the reason why for a gate, and a notice with it otherwise.
func unjudgedOutcome(ev checkrein.Event, gate bool, why string) engine.Outcome {
	if gate {
		return engine.Outcome{Event: ev, Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: why}}
	}
	return engine.Outcome{Event: ev, Verdict: checkrein.Verdict{Notice: []string{why}}}
}
