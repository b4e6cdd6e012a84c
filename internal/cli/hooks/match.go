package hooks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A matchQuery has the flags of the match command, and the call that it explains.
type matchQuery struct {
	env     *console.Env
	at      base.ProjectFlags
	name    string // the name of a hook, a pack or a rule; "" = all hooks on the event
	event   string
	tool    string
	command string
	path    string
	input   string
	text    string
	last    bool
	record  string
	asJSON  bool

	recorded *record.Record   // the record of the call; nil = the call is not from the ledger
	whole    *checkrein.Event // the call from the record or stdin; nil = the call is given by flags

	project string // the project of the recorded call, whose hooks are used
}

// MatchCommand returns the match command.
func MatchCommand(env *console.Env) *cobra.Command {
	m := matchQuery{env: env}
	cmd := &cobra.Command{
		Use: "match [HOOK | PACK/RULE]", Short: "Show why a hook or rule matches a call, or why not",
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return m.completeHookNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				m.name = args[0]
			}
			return m.run(cmd.Context())
		},
	}
	m.at.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&m.event, "event", "", "the `EVENT` (any system's name for it is accepted)")
	f.StringVar(&m.tool, "tool", "", "the `TOOL` that is called (checkrein's or an agent's name for it)")
	f.StringVar(&m.command, "command", "", "the shell `COMMAND` passed to the tool")
	f.StringVar(&m.path, "path", "", "the `PATH` passed to the tool")
	f.StringVar(&m.input, "input", "", "all arguments passed to the tool, as a `JSON` object")
	f.StringVar(&m.text, "text", "", "the `TEXT` of the prompt, reply or message, for events that have one")
	f.BoolVar(&m.last, "last", false, "use the newest call of this project in the ledger")
	f.StringVar(&m.record, "record", "", "use the call in the record with this `ID`: a number, handle or hash")
	f.BoolVar(&m.asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("event", cobra.FixedCompletions(eventNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// eventNames returns the names of all events.
func eventNames() []string {
	var out []string
	for _, row := range checkrein.Contracts()[1:] {
		out = append(out, row.Name)
	}
	return out
}

// completeHookNames returns the names of hooks that the shell can complete.
func (m *matchQuery) completeHookNames() []string {
	k, err := m.at.Open(m.env)
	if err != nil {
		return nil
	}
	return hookNames(k)
}

// hookNames returns the labels of the hooks of k, without duplicates.
func hookNames(k *app.Kit) (out []string) {
	for _, h := range k.Hooks() {
		if !standsForFile(&h) && !slices.Contains(out, h.Label()) {
			out = append(out, h.Label())
		}
	}
	return out
}

// run prints for each selected hook, or for the named rule, whether it matches the call and why.
func (m *matchQuery) run(ctx context.Context) error {
	if err := m.check(); err != nil {
		return err
	}
	k, err := m.loadCallAndOpen(ctx)
	if err != nil {
		return err
	}
	hooks := m.selectHooks(k)
	if m.name != "" && len(hooks) == 0 {
		return m.matchRule(ctx, k)
	}
	report := matchReport{Version: 1, Hooks: []json.RawMessage{}, named: m.name != ""}
	for _, h := range hooks {
		ev := m.callEvent(m.kindFor(h), h)
		report.Event, report.Call, report.shown = m.eventName(&ev), callText(&ev), shownCall(&ev, m.eventName(&ev))
		whys := k.Explain(ev, func(other *checkrein.Hook) bool { return other.ID == h.ID && other.On == h.On && other.From == h.From })
		for i := range whys {
			report.add(&whys[i], m.decisionText(ctx, k, ev, whys[i].Hook))
		}
	}
	return m.printHooks(&report)
}

// check returns an error if the flags contradict each other. If they do not give a call, it reads one
// from stdin.
func (m *matchQuery) check() error {
	given := 0
	for _, s := range []string{m.command, m.path, m.input} {
		if s != "" {
			given++
		}
	}
	stored := m.last || m.record != ""
	switch {
	case m.last && m.record != "":
		return errors.New("use --last or --record, not both")
	case stored && (given > 0 || m.tool != "" || m.text != ""):
		return errors.New("the call comes from the ledger: leave out --tool, --command, --path, --input and --text")
	case m.record != "" && m.event != "":
		return errors.New("--record names one event: leave out --event")
	case given > 1:
		return errors.New("give only one of --command, --path and --input; --input can hold all arguments")
	case given == 0 && !stored && m.tool == "" && m.text == "" && m.event == "":
		return m.readStdin()
	case m.input != "" && rawjson.CheckObject([]byte(m.input)) != nil:
		return fmt.Errorf("--input is not a JSON object: write it as '{\"name\": \"value\"}'")
	}
	if m.event != "" {
		if _, ok := hookfile.KindOf(m.event); !ok {
			return fmt.Errorf("unknown event %q%s", m.event, suggest.Hint(m.event, eventNames()))
		}
	}
	return nil
}

// readStdin sets m.whole to the event on stdin.
func (m *matchQuery) readStdin() error {
	var body []byte
	if !base.IsTerminal(m.env.Stdin) {
		var err error
		if body, err = base.ReadInput(m.env, "-"); err != nil {
			return err
		}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return errors.New("name a call: give --command, --path, --tool, --input or --text, pass an event on stdin, or use --last for the newest call in the ledger")
	}
	ev, err := payload.ReadEvent(body, "")
	if err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	ev.Session.Dir = cmp.Or(ev.Session.Dir, m.env.Dir)
	m.whole = &ev
	return nil
}

// loadCallAndOpen opens the kit with the hooks of the project in which the call was made. For --last
// and --record, it first reads the call from the ledger into m.
func (m *matchQuery) loadCallAndOpen(ctx context.Context) (*app.Kit, error) {
	if !m.last && m.record == "" {
		return m.at.Open(m.env)
	}
	dir, err := records.LedgerFlag("").Dir(m.env)
	if err != nil {
		return nil, err
	}
	var raw []byte
	if m.record != "" {
		raw, err = records.FindRecord(ctx, m.env, dir, m.record)
	} else {
		raw, err = m.lastCallHere(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	r, err := record.Decode(raw)
	if err != nil || r.Kind != ledger.KindEvent {
		return nil, &base.Exit{Code: console.Finding, Err: errors.New("this record is not about an event. To list those that are, run checkrein audit query")}
	}
	m.recorded = r
	ev := m.recordedEvent()
	m.whole = &ev
	root := cmp.Or(r.Root, r.Dir) // Dir may differ from where the session began
	if info, err := os.Stat(root); len(m.at.Files) > 0 || err != nil || !info.IsDir() {
		return m.at.Open(m.env)
	}
	m.project = projectOf(root)
	return base.OpenKit(m.env, app.Options{Dir: root, Agent: m.at.Agent, FilesByPlace: true})
}

// lastCallHere returns the record of the newest call, or of the newest event of the kind --event, in
// this project.
func (m *matchQuery) lastCallHere(ctx context.Context, dir string) ([]byte, error) {
	// The default is a tool call, because the newest event of a session is usually its end.
	event := checkrein.PreToolUse.String()
	if m.event != "" {
		kind, _ := hookfile.KindOf(m.event)
		event = kind.String()
	}
	k, err := m.at.Open(m.env)
	if err != nil {
		return nil, err
	}
	if err := records.CheckBegun(m.env, dir); err != nil {
		return nil, err
	}
	list, _, _, err := records.Newest(ctx, dir, &records.Selection{Events: []string{event}, In: sameProject(k.Root())}, 1)
	switch {
	case err != nil:
		return nil, base.AsFailure(err)
	case len(list) == 0:
		return nil, base.AsFailure(fmt.Errorf("no %s is on record for the project %s. "+
			"To list the calls of all projects, run checkrein audit query; to use one of them, give --record ID", event, k.Root()))
	}
	return list[0], nil
}

// projectOf returns the top directory of the repository that dir lies in, or dir if it is not in a
// repository.
func projectOf(dir string) string {
	way := environ.FindParentDirs(dir)
	return cmp.Or(way.RepoTop(), dir)
}

// sameProject returns a function that reports whether another directory belongs to the same project as
// root. It caches its results.
func sameProject(root string) func(string) bool {
	project, known := projectOf(root), map[string]bool{root: true}
	return func(other string) bool {
		same, ok := known[other]
		if !ok {
			same = projectOf(other) == project
			known[other] = same
		}
		return same
	}
}

// isNamed reports whether m.name is a name of h.
func (m *matchQuery) isNamed(h *checkrein.Hook) bool {
	return !standsForFile(h) && (h.ID == m.name || h.Name == m.name || visible.EscapeLine(h.Label()) == m.name)
}

// selectHooks returns the hooks called m.name or, if that is "", all hooks on the event.
func (m *matchQuery) selectHooks(k *app.Kit) (out []*checkrein.Hook) {
	all := k.Hooks()
	for i := range all {
		h := &all[i]
		if m.name != "" && m.isNamed(h) || m.name == "" && h.On == m.kindFor(nil) && !standsForFile(h) {
			out = append(out, h)
		}
	}
	return out
}

// kindFor returns the kind of event for which h is tried: that of the given call, or else the kind
// that h is for. If h is nil, the default is a tool call.
func (m *matchQuery) kindFor(h *checkrein.Hook) checkrein.Kind {
	name := m.event
	if m.recorded != nil {
		name = m.recorded.Event
	} else if m.whole != nil {
		name = m.whole.Kind.String()
	}
	if kind, ok := hookfile.KindOf(name); ok && name != "" {
		return kind
	}
	if h != nil {
		return h.On
	}
	return checkrein.PreToolUse
}

// callEvent returns the call as an event of the given kind. If the query does not name a tool, it uses
// a tool name that h accepts, since the host is unknown.
func (m *matchQuery) callEvent(kind checkrein.Kind, h *checkrein.Hook) checkrein.Event {
	if m.whole != nil {
		return *m.whole
	}
	ev := checkrein.Event{Kind: kind, Text: m.text, Session: checkrein.Session{Dir: m.env.Dir, ID: "checkrein-match"}}
	if checkrein.ContractOf(kind).Subject != checkrein.SubjectTool {
		return ev
	}
	tool := checkrein.Tool{Name: m.tool, Input: json.RawMessage("{}")}
	switch {
	case m.command != "":
		tool.Name, tool.Input = cmp.Or(m.tool, acceptedName(h, "shell")), argumentJSON("command", m.command)
	case m.path != "":
		tool.Name, tool.Input = cmp.Or(m.tool, acceptedName(h, "write", "edit", "read")), argumentJSON("path", m.path)
	case m.input != "":
		tool.Name, tool.Input = cmp.Or(m.tool, acceptedName(h, "shell")), json.RawMessage(m.input)
	case m.tool == "":
		tool.Name = "shell"
	}
	ev.Tool = &tool
	return ev
}

// acceptedName returns the name of the first of tools that the matcher of h accepts, or the first of
// them if h is nil.
func acceptedName(h *checkrein.Hook, tools ...string) string {
	if h == nil {
		return tools[0]
	}
	name, _ := doctor.AcceptedTool(h, tools...)
	return name
}

// argumentJSON returns a JSON object with the one member name.
func argumentJSON(name, value string) json.RawMessage {
	o := rawjson.Object{'{'}
	o.Key(name)
	return json.RawMessage(append(rawjson.AppendString(o, value), '}'))
}

// recordedEvent returns the event of the record as far as the ledger has it, and prints a warning if
// parts are missing.
func (m *matchQuery) recordedEvent() checkrein.Event {
	ev, missing := records.EventOf(m.recorded)
	switch missing {
	case records.Truncated:
		fmt.Fprintln(m.env.Stderr, "the record contains only the beginning and the end of this call, so conditions on its text may give different results: pass the call itself with --command or --input")
	case records.Redacted:
		fmt.Fprintln(m.env.Stderr, "the record contains no secrets, so conditions on secrets may give different results: pass the call itself with --command or --input")
	}
	return ev
}

// eventName returns the name of ev for display: checkrein's, or the host's if checkrein has none.
func (m *matchQuery) eventName(ev *checkrein.Event) string {
	if ev.Kind == checkrein.Other && ev.Native != "" {
		return ev.Native
	}
	return ev.Kind.String()
}

// shownCall returns the call as part of a sentence, with its text in quotes.
func shownCall(ev *checkrein.Event, event string) string {
	switch {
	case ev.Tool == nil && ev.Text == "":
		return "the event " + event
	case ev.Tool == nil:
		return "the text " + strconv.Quote(ev.Text)
	}
	tool, what, _ := strings.Cut(callText(ev), " ")
	if what == "" {
		return tool
	}
	return tool + ` "` + what + `"`
}

// callText returns the name of the tool with its first command or path, or the text of ev if it has no
// tool.
func callText(ev *checkrein.Event) string {
	if ev.Tool == nil {
		return ev.Text
	}
	text := ev.Tool.Name
	if c := ev.Tool.Commands(); len(c) > 0 {
		text += " " + c[0]
	} else if p := ev.Tool.Paths(); len(p) > 0 {
		text += " " + p[0]
	}
	return text
}
