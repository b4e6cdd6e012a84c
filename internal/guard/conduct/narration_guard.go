package conduct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	NarrationGuard = "narration_guard"

	narrationTTL = 10 * time.Minute   // of what a reply said, unless ttl= says otherwise
	runsTTL      = 7 * 24 * time.Hour // of what is known of the session's runs
	maxRuns      = 16
	maxQuote     = 200
)

// A narration is what is remembered of a session: its runs, the latest last, and
// what the last reply said without having done it.
type narration struct {
	Runs []narratedRun `json:"runs,omitempty"`
	Used bool          `json:"used,omitempty"` // some run used a tool, so there is something to speak of
	Said string        `json:"said,omitempty"`
	At   time.Time     `json:"at,omitzero"`
	Old  bool          `json:"old,omitempty"` // it was said in an earlier run
}

// A narratedRun is all that an agent does between two prompts of a person. Not
// every host gives it an id.
type narratedRun struct {
	ID    string `json:"id,omitempty"`
	Tools bool   `json:"tools,omitempty"`
	Ended bool   `json:"ended,omitempty"` // it stopped, though a hook may have told it to go on
}

// NewNarrationGuard catches an agent that says "running it now" and runs nothing.
// It looks at whole runs: a reply that sums up what tools did has none in it.
//
// ttl=D is how long what was said counts. Redone reports whether a hook told the agent to
// go on in this turn, so that what looks like a new run is still the same.
func NewNarrationGuard(redone func(*checkrein.Event) bool, args []string) (builtin.Func, error) {
	ttl := narrationTTL
	for _, arg := range args {
		text, ok := strings.CutPrefix(arg, "ttl=")
		d, err := time.ParseDuration(text)
		if !ok || err != nil || d <= 0 || d > runsTTL {
			return nil, fmt.Errorf("argument %q: must be ttl= and a duration up to %s, such as ttl=10m", arg, runsTTL)
		}
		ttl = d
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return guardNarration(&call, narrator{ttl: ttl, redone: redone})
	}, nil
}

// errUnchanged keeps what is remembered from being written anew.
var errUnchanged = errors.New("unchanged")

func guardNarration(call *builtin.Call, g narrator) (checkrein.Verdict, error) {
	ev := &call.Event
	if ev.Kind == checkrein.SessionEnd {
		return checkrein.Verdict{}, call.Forget(NarrationGuard)
	}
	var n narration
	var v checkrein.Verdict
	err := call.Keep(NarrationGuard, runsTTL, &n, func() error {
		g.call, g.n, g.now = call, &n, call.Machine.Now()
		v = g.hear()
		if !g.changed {
			return errUnchanged
		}
		return nil
	})
	if errors.Is(err, errUnchanged) || checkrein.ContractOf(ev.Kind).Closed {
		err = nil // what cannot be remembered is no reason to hold a message back
	}
	return v, err
}

// A narrator hears one event.
type narrator struct {
	call    *builtin.Call
	n       *narration
	now     time.Time
	ttl     time.Duration
	redone  func(*checkrein.Event) bool // see [NewNarrationGuard]; nil = never
	changed bool
}

func (g *narrator) hear() checkrein.Verdict {
	ev := &g.call.Event
	run := g.run()
	if rawjson.Kind(ev.Detail("tool_names")) == '[' && string(ev.Detail("tool_names")) != "[]" {
		g.used(run)
	}
	switch ev.Kind {
	case checkrein.PostToolUse, checkrein.PostToolUseFailure:
		g.used(run)
	case checkrein.AfterLLMCall, checkrein.OnResponseEnd:
		g.check(run)
	case checkrein.UserPromptSubmit, checkrein.TurnStart, checkrein.BeforeLLMCall:
		if usedTools(ev.Messages) {
			g.used(run)
		}
		return g.remind()
	case checkrein.OnOutboundMessage:
		return g.annotate()
	case checkrein.Stop:
		g.check(run)
		g.end(run)
		if g.n.Said != "" && !g.n.Old {
			return checkrein.Verdict{Notice: []string{"the reply describes using a tool, but none was used: " + g.n.Said}}
		}
	case checkrein.TurnEnd:
		if why, _ := rawjson.Text(ev.Detail("reason")); !slices.Contains(goingOn, why) {
			g.end(run)
		}
	}
	return checkrein.Verdict{}
}

// goingOn are the reasons of turns that another one of the same run follows.
var goingOn = []string{"continue", "steered", "force_handoff"}

func (g *narrator) end(run *narratedRun) {
	g.changed = g.changed || !run.Ended
	run.Ended = true
}

// run finds the run of the event and begins one where it is new.
func (g *narrator) run() *narratedRun {
	ev, n := &g.call.Event, g.n
	id := runID(ev)
	if id != "" {
		if i := slices.IndexFunc(n.Runs, func(r narratedRun) bool { return r.ID == id }); i >= 0 {
			return &n.Runs[i]
		}
		return g.begin(id)
	}
	if len(n.Runs) == 0 {
		return g.begin("")
	}
	run := &n.Runs[len(n.Runs)-1]
	starts := ev.Kind == checkrein.UserPromptSubmit && ev.Text != "" && !ev.Meanwhile()
	if run.Ended && (ev.Kind == checkrein.TurnStart || ev.Kind == checkrein.BeforeLLMCall) {
		starts = true // nobody told of the prompt
	}
	if starts && (g.redone == nil || !g.redone(ev)) {
		return g.begin("")
	}
	return run
}

// begin begins a run. Nothing is said in it yet.
func (g *narrator) begin(id string) *narratedRun {
	n := g.n
	if len(n.Runs) > 0 || id != "" {
		g.changed = true
	}
	n.Old = n.Said != ""
	if id == "" {
		n.Runs = n.Runs[:0] // what has no id has only one run at a time
	}
	n.Runs = append(n.Runs, narratedRun{ID: id})
	n.Runs = n.Runs[max(0, len(n.Runs)-maxRuns):]
	return &n.Runs[len(n.Runs)-1]
}

// used notes that the run has used a tool. What was promised is done then.
func (g *narrator) used(run *narratedRun) {
	g.changed = g.changed || !run.Tools || !g.n.Used || g.n.Said != ""
	run.Tools, g.n.Used, g.n.Said, g.n.Old = true, true, "", false
}

// check looks at a reply. The last one counts: a call that the first one spoke of
// may have been refused, and the last one may say so.
func (g *narrator) check(run *narratedRun) {
	reply := replyOf(&g.call.Event)
	if reply == "" {
		return
	}
	said := ""
	if !run.Tools {
		said = quote(narrates(reply, g.n.Used))
	}
	g.changed = g.changed || said != "" || g.n.Said != ""
	g.n.Said, g.n.At, g.n.Old = said, g.now, false
}

// quote is a sentence as it is kept and told: short, on one line, without secrets.
func quote(s string) string {
	c := secret.Cleaner{Want: secret.Secrets}
	s, _ = c.Text(s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxQuote {
		s = strings.TrimSuffix(builtin.Truncate(s, maxQuote), "\n... (truncated)") + "…"
	}
	return s
}

func (g *narrator) recent() bool {
	age := g.now.Sub(g.n.At)
	return g.n.Said != "" && age < g.ttl && age > -g.ttl
}

// remind returns the model what it said: that shapes what it does next.
func (g *narrator) remind() checkrein.Verdict {
	if !g.recent() {
		return checkrein.Verdict{}
	}
	return builtin.AddContext(`You wrote "` + g.n.Said + `", but no tool was used in that turn: nothing was run. Use the tool now, or say plainly that it has not been done. Never describe a tool's use or output without calling it.`)
}

// unrun is what a person reads below a message.
const unrun = "⚠ This message describes using a tool, but none was used."

// annotate warns the person who gets what was said.
func (g *narrator) annotate() checkrein.Verdict {
	if !g.recent() || g.n.Old || strings.Contains(g.call.Event.Text, unrun) {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Append: "\n" + unrun}
}

// runID is the host's name for the run, "" when it has none.
func runID(ev *checkrein.Event) string {
	for _, name := range [...]string{"run_id", "turn_id", "generation_id"} {
		if id, _ := rawjson.Text(ev.Detail(name)); id != "" && len(id) <= maxQuote {
			return id
		}
	}
	return ""
}

// usedTools reports whether a conversation has a tool call behind the last thing
// that a person said.
func usedTools(messages []byte) bool {
	used := false
	rawjson.Elements(messages, func(_ int, m []byte) bool {
		content, _ := rawjson.Get(m, "content")
		calls, _ := rawjson.Get(m, "tool_calls")
		role := rawjson.GetText(m, "role")
		switch {
		case role == "tool", role == "function", rawjson.Kind(calls) == '[' && string(calls) != "[]", hasToolPart(content):
			used = true
		case role == "user":
			used = false
		}
		return true
	})
	return used
}

// hasToolPart looks into a message of several parts.
func hasToolPart(content []byte) bool {
	found := false
	if rawjson.Kind(content) != '[' {
		return false
	}
	rawjson.Elements(content, func(_ int, part []byte) bool {
		switch rawjson.GetText(part, "type") {
		case "tool_use", "tool_result", "tool_call", "function_call":
			found = true
		}
		return !found
	})
	return found
}
