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
	// NarrationGuard is the name of the builtin.
	NarrationGuard = "narration_guard"

	narrationTTL = 10 * time.Minute   // how long a caught reply counts, unless ttl= is set
	runsTTL      = 7 * 24 * time.Hour // how long the state of a session is kept
	maxRuns      = 16
	maxQuote     = 200
)

// A narration is the state of a session: its runs, the latest last, and the last reply that described
// using a tool although none was used.
type narration struct {
	Runs []narratedRun `json:"runs,omitempty"`
	Used bool          `json:"used,omitempty"` // some run used a tool, so that replies may refer to it
	Said string        `json:"said,omitempty"`
	At   time.Time     `json:"at,omitzero"`
	Old  bool          `json:"old,omitempty"` // Said is from an earlier run
}

// A narratedRun is everything that an agent does between two prompts of the user. Not every host gives
// runs ids.
type narratedRun struct {
	ID    string `json:"id,omitempty"`
	Tools bool   `json:"tools,omitempty"`
	Ended bool   `json:"ended,omitempty"` // the run stopped, although a hook may have made it continue
}

// NewNarrationGuard returns the builtin that catches an agent which writes "running it now" but runs
// nothing. It considers whole runs, because a reply that summarises tool use contains no tool call
// itself.
//
// The argument ttl=D sets how long a caught reply counts. The function redone reports whether a hook
// made the agent continue in this turn, so that what looks like a new run is still the same one.
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
		return guardNarration(&call, narrationEvent{ttl: ttl, redone: redone})
	}, nil
}

// errUnchanged keeps unchanged state from being written.
var errUnchanged = errors.New("unchanged")

// guardNarration updates the session's state with an event and returns the verdict.
func guardNarration(call *builtin.Call, g narrationEvent) (checkrein.Verdict, error) {
	ev := &call.Event
	if ev.Kind == checkrein.SessionEnd {
		return checkrein.Verdict{}, call.Forget(NarrationGuard)
	}
	var n narration
	var v checkrein.Verdict
	err := call.Keep(NarrationGuard, runsTTL, &n, func() error {
		g.call, g.n, g.now = call, &n, call.Machine.Now()
		v = g.handle()
		if !g.changed {
			return errUnchanged
		}
		return nil
	})
	if errors.Is(err, errUnchanged) || checkrein.ContractOf(ev.Kind).Closed {
		err = nil // an error while storing the state must not block a message
	}
	return v, err
}

// A narrationEvent applies one event to the state of a session.
type narrationEvent struct {
	call    *builtin.Call
	n       *narration
	now     time.Time
	ttl     time.Duration
	redone  func(*checkrein.Event) bool // see [NewNarrationGuard]; nil means never
	changed bool
}

// handle applies the event and returns the verdict.
func (g *narrationEvent) handle() checkrein.Verdict {
	ev := &g.call.Event
	run := g.findRun()
	if rawjson.Kind(ev.Detail("tool_names")) == '[' && string(ev.Detail("tool_names")) != "[]" {
		g.recordToolUse(run)
	}
	switch ev.Kind {
	case checkrein.PostToolUse, checkrein.PostToolUseFailure:
		g.recordToolUse(run)
	case checkrein.AfterLLMCall, checkrein.OnResponseEnd:
		g.updateNarration(run)
	case checkrein.UserPromptSubmit, checkrein.TurnStart, checkrein.BeforeLLMCall:
		if usedTools(ev.Messages) {
			g.recordToolUse(run)
		}
		return g.remind()
	case checkrein.OnOutboundMessage:
		return g.annotate()
	case checkrein.Stop:
		g.updateNarration(run)
		g.endRun(run)
		if g.n.Said != "" && !g.n.Old {
			return checkrein.Verdict{Notice: []string{"the reply describes using a tool, but none was used: " + g.n.Said}}
		}
	case checkrein.TurnEnd:
		if why, _ := rawjson.Text(ev.Detail("reason")); !slices.Contains(continuingReasons, why) {
			g.endRun(run)
		}
	}
	return checkrein.Verdict{}
}

// continuingReasons lists the reasons for the end of a turn after which the same run continues.
var continuingReasons = []string{"continue", "steered", "force_handoff"}

// endRun marks a run as ended.
func (g *narrationEvent) endRun(run *narratedRun) {
	g.changed = g.changed || !run.Ended
	run.Ended = true
}

// findRun returns the run of the event. If there is none yet, it starts one.
func (g *narrationEvent) findRun() *narratedRun {
	ev, n := &g.call.Event, g.n
	id := runID(ev)
	if id != "" {
		if i := slices.IndexFunc(n.Runs, func(r narratedRun) bool { return r.ID == id }); i >= 0 {
			return &n.Runs[i]
		}
		return g.beginRun(id)
	}
	if len(n.Runs) == 0 {
		return g.beginRun("")
	}
	run := &n.Runs[len(n.Runs)-1]
	starts := ev.Kind == checkrein.UserPromptSubmit && ev.Text != "" && !ev.Meanwhile()
	if run.Ended && (ev.Kind == checkrein.TurnStart || ev.Kind == checkrein.BeforeLLMCall) {
		starts = true // the host reported no prompt
	}
	if starts && (g.redone == nil || !g.redone(ev)) {
		return g.beginRun("")
	}
	return run
}

// beginRun begins a run, in which nothing has been said yet.
func (g *narrationEvent) beginRun(id string) *narratedRun {
	n := g.n
	if len(n.Runs) > 0 || id != "" {
		g.changed = true
	}
	n.Old = n.Said != ""
	if id == "" {
		n.Runs = n.Runs[:0] // keep one run only, because hosts without run ids run one at a time
	}
	n.Runs = append(n.Runs, narratedRun{ID: id})
	n.Runs = n.Runs[max(0, len(n.Runs)-maxRuns):]
	return &n.Runs[len(n.Runs)-1]
}

// recordToolUse records that run has used a tool, which fulfils any promise.
func (g *narrationEvent) recordToolUse(run *narratedRun) {
	g.changed = g.changed || !run.Tools || !g.n.Used || g.n.Said != ""
	run.Tools, g.n.Used, g.n.Said, g.n.Old = true, true, "", false
}

// updateNarration records whether the event's reply announces a call. Only the last reply counts,
// because a call that an earlier one announced may have been denied, and the last one may say so.
func (g *narrationEvent) updateNarration(run *narratedRun) {
	reply := finalReply(&g.call.Event)
	if reply == "" {
		return
	}
	said := ""
	if !run.Tools {
		said = quoteSentence(findNarration(reply, g.n.Used))
	}
	g.changed = g.changed || said != "" || g.n.Said != ""
	g.n.Said, g.n.At, g.n.Old = said, g.now, false
}

// quoteSentence returns s in the form in which it is stored and quoted: short, on one line, and
// without secrets.
func quoteSentence(s string) string {
	c := secret.Cleaner{Want: secret.Secrets}
	s, _ = c.RedactText(s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxQuote {
		s = strings.TrimSuffix(builtin.Truncate(s, maxQuote), "\n... (truncated)") + "…"
	}
	return s
}

// isRecent reports whether there is a caught reply that still counts.
func (g *narrationEvent) isRecent() bool {
	age := g.now.Sub(g.n.At)
	return g.n.Said != "" && age < g.ttl && age > -g.ttl
}

// remind returns a verdict that reminds the model of a caught reply, so that it uses the tool or
// corrects itself.
func (g *narrationEvent) remind() checkrein.Verdict {
	if !g.isRecent() {
		return checkrein.Verdict{}
	}
	return builtin.AddContext(`You wrote "` + g.n.Said + `", but no tool was used in that turn: nothing was run. Use the tool now, or say plainly that it has not been done. Never describe a tool's use or output without calling it.`)
}

// noToolWarning is appended to a message that describes using a tool although none was used.
const noToolWarning = "⚠ This message describes using a tool, but none was used."

// annotate returns a verdict that appends noToolWarning to an outgoing message if the run's reply was
// caught.
func (g *narrationEvent) annotate() checkrein.Verdict {
	if !g.isRecent() || g.n.Old || strings.Contains(g.call.Event.Text, noToolWarning) {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Append: "\n" + noToolWarning}
}

// runID returns the host's id of the run, or "" if it has none.
func runID(ev *checkrein.Event) string {
	for _, name := range [...]string{"run_id", "turn_id", "generation_id"} {
		if id, _ := rawjson.Text(ev.Detail(name)); id != "" && len(id) <= maxQuote {
			return id
		}
	}
	return ""
}

// usedTools reports whether messages, a conversation, has a tool call after the user's last message.
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

// hasToolPart reports whether content, that of a message with several parts, has a tool call or
// result.
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
