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

// write writes hooks as one settings.json. Events stand in the order of their
// first hooks, and the hooks of an event in their own: neighbours with the same
// matcher share a group. A hook that lost its "event", its "type" or all of the
// "hook" is not in it, but for those on post_tool_use, which keep half of it.
func write(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	var w writer
	for i := range hooks {
		w.hook(&hooks[i])
	}
	return []hookfile.Document{{Name: "settings.json", Data: w.file()}}, w.losses
}

type writer struct {
	events []section
	losses []hookfile.Loss
}

// A section is what a file says about one event.
type section struct {
	name   string
	groups []written
}

// A written is a group of entries.
type written struct {
	matcher string
	hooks   [][]byte
}

func (w *writer) lose(h *checkrein.Hook, what, why, instead string) {
	w.losses = append(w.losses, hookfile.Loss{Hook: h.Label(), What: what, Why: why, Instead: instead})
}

func (w *writer) hook(h *checkrein.Hook) {
	name, ok := w.event(h)
	if !ok {
		return
	}
	if h.Broken != "" {
		w.lose(h, "hook", "the hook is not valid: "+h.Broken, "fix it first")
		return
	}
	entry, ok := w.handler(h)
	if !ok {
		return
	}
	matcher, rule := w.when(h)
	if rule != "" {
		entry.text("if", rule)
	}
	if d := h.Limit(); d != patience(h.On) {
		entry.set("timeout", seconds(d))
	}
	switch {
	case h.Async && h.Run == "command":
		entry.set("async", []byte("true"))
	case h.Async:
		w.lose(h, "async", "Claude runs only command hooks in the background", "")
	}
	w.rest(h)
	w.put(name, matcher, entry.end())
}

func seconds(d time.Duration) []byte { return strconv.AppendFloat(nil, d.Seconds(), 'f', -1, 64) }

// event is the name under which a hook is written, false when it has none.
func (w *writer) event(h *checkrein.Hook) (string, bool) {
	name := nameOf(h.On)
	switch {
	case h.On == checkrein.Other && slices.Contains(rowless[:], h.Event):
		return h.Event, true
	case h.On == checkrein.Other && h.Event == "":
		w.lose(h, "event", "Claude has no hook that runs on every event", "list the events one by one")
	case name == "" || h.On == checkrein.BeforeLLMCall || h.On == checkrein.AfterLLMCall: // whose names others use
		w.lose(h, "event", "Claude has no event like "+called(h), nearest(h.On))
	case h.On == checkrein.WorktreeCreate && h.Dialect != dialect:
		w.lose(h, "event", "in Claude this hook creates the worktree and must print its path", "SessionStart in the new worktree")
	default:
		return name, true
	}
	return "", false
}

func called(h *checkrein.Hook) string {
	if h.On == checkrein.Other {
		return h.Event
	}
	return h.On.String()
}

// nearest is the event of Claude's that comes next to one that it lacks.
func nearest(k checkrein.Kind) string {
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

// rest reports the properties that no entry has.
func (w *writer) rest(h *checkrein.Hook) {
	if h.Name != "" {
		w.lose(h, "name", "Claude's hooks have no names", "")
	}
	if h.Args != "" {
		w.lose(h, "args", "Claude does not match on tool arguments", "check them in the hook")
	}
	if h.Search != "" {
		w.lose(h, "search", "Claude does not match on the payload", "check this in the hook")
	}
	if h.Priority != hookfile.DefaultPriority {
		w.lose(h, "priority", "Claude starts all hooks at the same time", "")
	}
	if h.Chain != "" {
		w.lose(h, "chain", "Claude starts all hooks at the same time", "")
	}
	if h.Gate {
		w.lose(h, "gate", "Claude does not run the hook again after a rewrite", "")
	}
	if !h.Rewrites {
		w.lose(h, "rewrites", "Claude lets every hook rewrite", "")
	}
	if h.Strict {
		w.lose(h, "strict_output", "Claude ignores unknown parts of an answer", "")
	}
	closes := h.OnFault == checkrein.FaultByRow && checkrein.ContractOf(h.On).Closed && !h.Async
	if h.OnFault != checkrein.FaultByRow || closes && h.Dialect != dialect {
		w.lose(h, "on_error", "Claude continues when a hook fails", "exit with code 2 to block")
	}
	if h.Dialect != dialect && (h.Run == "command" || h.Run == "http") {
		w.lose(h, "dialect", "the hook gets Claude's payload instead of the one for "+cmp.Or(h.Dialect, "native")+", and must answer in Claude's format", "make the hook accept both")
	}
}

func (w *writer) put(name, matcher string, entry []byte) {
	at := slices.IndexFunc(w.events, func(s section) bool { return s.name == name })
	if at < 0 {
		at = len(w.events)
		w.events = append(w.events, section{name: name})
	}
	s := &w.events[at]
	if n := len(s.groups); n == 0 || s.groups[n-1].matcher != matcher {
		s.groups = append(s.groups, written{matcher: matcher})
	}
	g := &s.groups[len(s.groups)-1]
	g.hooks = append(g.hooks, entry)
}

func (w *writer) file() []byte {
	var events, file object
	for _, s := range w.events {
		groups := make([][]byte, len(s.groups))
		for i, g := range s.groups {
			var o object
			if g.matcher != "" {
				o.text("matcher", g.matcher)
			}
			o.set("hooks", list(g.hooks))
			groups[i] = o.end()
		}
		events.set(s.name, list(groups))
	}
	file.set("hooks", events.end())
	var out bytes.Buffer
	_ = json.Indent(&out, file.end(), "", "  ") // it is put together of texts, and cannot be wrong
	out.WriteByte('\n')
	return out.Bytes()
}

func list(items [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}
