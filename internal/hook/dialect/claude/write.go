package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// writeSettings returns a settings.json with hooks, and what it could not express. Events are in the
// order of their first hooks, and the hooks of an event keep their order; consecutive ones with the
// same matcher share a group. A hook is left out if its loss is "event", "type" or "hook", except on
// post_tool_use, where "event" means that it no longer runs for failed tools.
func writeSettings(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	var w writer
	for i := range hooks {
		w.addHook(&hooks[i])
	}
	return []hookfile.Document{{Name: "settings.json", Data: w.encodeFile()}}, w.losses
}

// A writer collects entries and losses.
type writer struct {
	events []section
	losses []hookfile.Loss
}

// A section holds the groups of one event.
type section struct {
	name   string
	groups []entryGroup
}

// An entryGroup is a group of entries with the same matcher.
type entryGroup struct {
	matcher string
	hooks   [][]byte
}

func (w *writer) addLoss(h *checkrein.Hook, what, why, instead string) {
	w.losses = append(w.losses, hookfile.Loss{Hook: h.Label(), What: what, Why: why, Instead: instead})
}

// addHook adds an entry for h and records what Claude cannot express. It adds nothing if Claude cannot
// run h.
func (w *writer) addHook(h *checkrein.Hook) {
	name, ok := w.eventFor(h)
	if !ok {
		return
	}
	if h.Broken != "" {
		w.addLoss(h, "hook", "the hook is not valid: "+h.Broken, "fix it first")
		return
	}
	entry, ok := w.newEntry(h)
	if !ok {
		return
	}
	matcher, rule := w.matcherAndRule(h)
	if rule != "" {
		entry.setText("if", rule)
	}
	if d := h.Limit(); d != defaultTimeout(h.On) {
		entry.set("timeout", formatSeconds(d))
	}
	switch {
	case h.Async && h.Run == "command":
		entry.set("async", []byte("true"))
	case h.Async:
		w.addLoss(h, "async", "Claude runs only command hooks in the background", "")
	}
	w.addPropertyLosses(h)
	w.addEntry(name, matcher, entry.end())
}

func formatSeconds(d time.Duration) []byte { return strconv.AppendFloat(nil, d.Seconds(), 'f', -1, 64) }

// eventFor returns Claude's name for the event of h. If there is none, it records a loss and returns
// false.
func (w *writer) eventFor(h *checkrein.Hook) (string, bool) {
	name := claudeEventName(h.On)
	switch {
	case h.On == checkrein.Other && slices.Contains(rowlessEvents[:], h.Event):
		return h.Event, true
	case h.On == checkrein.Other && h.Event == "":
		w.addLoss(h, "event", "Claude has no hook that runs on every event", "list the events one by one")
	case name == "" || h.On == checkrein.BeforeLLMCall || h.On == checkrein.AfterLLMCall: // these names exist only in other systems
		w.addLoss(h, "event", "Claude has no event like "+eventLabel(h), nearestEvent(h.On))
	case h.On == checkrein.WorktreeCreate && h.Dialect != dialect:
		w.addLoss(h, "event", "in Claude this hook creates the worktree and must print its path", "SessionStart in the new worktree")
	default:
		return name, true
	}
	return "", false
}

func eventLabel(h *checkrein.Hook) string {
	if h.On == checkrein.Other {
		return h.Event
	}
	return h.On.String()
}

// nearestEvent returns Claude's event that is closest to k, which Claude lacks, or "".
func nearestEvent(k checkrein.Kind) string {
	switch k {
	case checkrein.TurnStart, checkrein.BeforeLLMCall, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
		return "UserPromptSubmit"
	case checkrein.TurnEnd, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnCompletionClaim:
		return "Stop"
	case checkrein.ToolResponseTransform:
		return "PostToolUse"
	case checkrein.OnToolApprovalDecision:
		return "PermissionRequest"
	case checkrein.BeforeCompaction:
		return "PreCompact"
	case checkrein.OnUserInput, checkrein.OnError, checkrein.OnMaxIterations:
		return "Notification"
	case checkrein.OnAgentSwitch:
		return "SubagentStart"
	case checkrein.OnSessionResume:
		return "SessionStart"
	}
	return ""
}

// addPropertyLosses records a loss for each property of h that Claude's entries cannot have.
func (w *writer) addPropertyLosses(h *checkrein.Hook) {
	if h.Name != "" {
		w.addLoss(h, "name", "Claude's hooks have no names", "")
	}
	if h.Args != "" {
		w.addLoss(h, "args", "Claude does not match on tool arguments", "check them in the hook")
	}
	if h.Search != "" {
		w.addLoss(h, "search", "Claude does not match on the payload", "check this in the hook")
	}
	if h.Priority != hookfile.DefaultPriority {
		w.addLoss(h, "priority", "Claude starts all hooks at the same time", "")
	}
	if h.Chain != "" {
		w.addLoss(h, "chain", "Claude starts all hooks at the same time", "")
	}
	if h.Gate {
		w.addLoss(h, "gate", "Claude does not run the hook again after a rewrite", "")
	}
	if !h.Rewrites {
		w.addLoss(h, "rewrites", "Claude lets every hook rewrite", "")
	}
	if h.Strict {
		w.addLoss(h, "strict_output", "Claude ignores unknown parts of an answer", "")
	}
	closes := h.OnFault == checkrein.FaultByRow && checkrein.ContractOf(h.On).Closed && !h.Async
	switch {
	case h.OnFault == checkrein.FaultBlock || closes && h.Dialect != dialect:
		w.addLoss(h, "on_error", "Claude continues when a hook fails", "exit with code 2 to block")
	case h.OnFault != checkrein.FaultByRow:
		w.addLoss(h, "on_error", "Claude also continues when this hook fails, but has no such setting", "")
	}
	if h.Dialect != dialect && (h.Run == "command" || h.Run == "http") {
		w.addLoss(h, "dialect", "the hook gets Claude's payload instead of the one for "+cmp.Or(h.Dialect, "native")+", and must answer in Claude's format", "make the hook accept both")
	}
}

func (w *writer) addEntry(name, matcher string, entry []byte) {
	at := slices.IndexFunc(w.events, func(s section) bool { return s.name == name })
	if at < 0 {
		at = len(w.events)
		w.events = append(w.events, section{name: name})
	}
	s := &w.events[at]
	if n := len(s.groups); n == 0 || s.groups[n-1].matcher != matcher {
		s.groups = append(s.groups, entryGroup{matcher: matcher})
	}
	g := &s.groups[len(s.groups)-1]
	g.hooks = append(g.hooks, entry)
}

// encodeFile returns the file as indented JSON.
func (w *writer) encodeFile() []byte {
	var events, file object
	for _, s := range w.events {
		groups := make([][]byte, len(s.groups))
		for i, g := range s.groups {
			var o object
			if g.matcher != "" {
				o.setText("matcher", g.matcher)
			}
			o.set("hooks", encodeList(g.hooks))
			groups[i] = o.end()
		}
		events.set(s.name, encodeList(groups))
	}
	file.set("hooks", events.end())
	var out bytes.Buffer
	_ = json.Indent(&out, file.end(), "", "  ") // cannot fail, since the input is valid JSON
	out.WriteByte('\n')
	return out.Bytes()
}

func encodeList(items [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}
