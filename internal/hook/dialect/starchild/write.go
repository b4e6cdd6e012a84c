package starchild

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const header = `# Starchild's shell hooks, written by checkrein. At its event each one gets the
# payload as JSON on stdin and answers with JSON on stdout; without an answer, starchild continues.
# They run after you approve them, unless shell_hooks.enabled is false in agent.yaml.
# Only checkrein reads name, on_error and allow_local: starchild continues when a
# hook fails, and STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 lets it call this machine.
`

// write writes one file with all hooks that starchild can run at all, in the
// order in which they run, and says what of them it could not say. Reading the file gives back
// what is not listed as lost.
func write(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	hooks = slices.Clone(hooks)
	slices.SortStableFunc(hooks, func(a, b checkrein.Hook) int { return cmp.Compare(b.Priority, a.Priority) })
	var w writer
	for i := range hooks {
		w.write(&hooks[i])
	}
	list := "hooks:\n" + w.entries.String()
	if w.entries.Len() == 0 {
		list = "hooks: []\n"
	}
	return []hookfile.Document{{Name: fileName, Data: []byte(header + list)}}, w.losses
}

// A writer writes one file.
type writer struct {
	hook    *checkrein.Hook // the one at work
	entries strings.Builder
	losses  []hookfile.Loss
}

func (w *writer) lose(what, instead, format string, args ...any) {
	w.losses = append(w.losses, hookfile.Loss{Hook: w.hook.Label(), What: what, Why: fmt.Sprintf(format, args...), Instead: instead})
}

func (w *writer) write(h *checkrein.Hook) {
	w.hook = h
	event := eventName(h.On)
	switch {
	case h.Broken != "":
		w.lose("hook", "", "the hook is not valid: %s", h.Broken)
		return
	case event == "":
		what := h.On.String()
		if h.On == checkrein.Other {
			what = "native:" + h.Event
		}
		w.lose("event", nearest(h.On), "starchild has no event like %s", what)
		return
	}
	runs, ok := w.runs()
	if !ok {
		return
	}
	w.entries.WriteString("  - event: " + event + "\n")
	w.member("name", h.Name)
	w.member("matcher", w.matcher())
	w.entries.WriteString(runs)
	w.timeout()
	w.member("on_error", w.onError())
	w.flags()
	w.settings()
}

// member writes a member unless it is empty.
func (w *writer) member(key, val string) {
	if val != "" {
		w.entries.WriteString(line(key, val))
	}
}

func line(key, val string) string { return "    " + key + ": " + scalar(val) + "\n" }

// nearest is the event that a hook of another could be moved to.
func nearest(k checkrein.Kind) string {
	switch k {
	case checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
		return "on_user_message"
	case checkrein.TurnStart:
		return "pre_llm_call"
	case checkrein.TurnEnd:
		return "on_response_end"
	case checkrein.PermissionRequest, checkrein.OnToolApprovalDecision:
		return "pre_tool_call"
	case checkrein.PostToolUseFailure:
		return "post_tool_call, which also fires for failed tools"
	case checkrein.SubagentStop:
		return "on_stop"
	}
	return ""
}

// runs returns the lines that say what the hook runs; false when starchild
// cannot run it.
func (w *writer) runs() (string, bool) {
	with := func(key string) string {
		v, _ := rawjson.Get(w.hook.With, key)
		s, _ := rawjson.Text(v)
		return s
	}
	switch w.hook.Run {
	case "http":
		lines := line("type", "http") + line("url", with("url"))
		if w.local() {
			lines += "    allow_local: true\n"
		}
		return lines, true
	case "command":
		text := with("command")
		if text == "" {
			return w.argv()
		}
		argv := []string{"/bin/sh", "-c", text}
		if why := misplaced(argv); why != "" {
			w.lose("command", "an absolute path", "%s", why)
			return "", false
		}
		if words, err := split(text); err == nil {
			if why := misplaced(firstCommand(words)); why != "" {
				w.lose("command", "an absolute path", "%s", why)
			}
		}
		return line("command", join(argv)), true
	}
	w.lose("type", instead(w.hook.Run), "starchild has no hooks of type %s, only command and http", w.hook.Run)
	return "", false
}

// local reports whether the hook may call this machine.
func (w *writer) local() bool {
	v, _ := rawjson.Get(w.hook.With, "allow_local")
	return string(v) == "true"
}

// instead is what could do the work of a hook type that starchild lacks.
func instead(typ string) string {
	switch typ {
	case "rule":
		return "a script that runs the same test"
	case "model":
		return "a script that calls the model"
	}
	return ""
}

func (w *writer) argv() (string, bool) {
	var argv []string
	list, _ := rawjson.Get(w.hook.With, "argv")
	rawjson.Elements(list, func(_ int, v []byte) bool {
		s, _ := rawjson.Text(v)
		argv = append(argv, s)
		return true
	})
	if len(argv) == 0 || argv[0] == "" {
		w.lose("command", "", "the hook has no command")
		return "", false
	}
	if why := misplaced(argv); why != "" {
		w.lose("command", "an absolute path", "%s", why)
		return "", false
	}
	return line("command", join(argv)), true
}

func (w *writer) timeout() {
	limit := w.hook.Limit()
	if limit > maxTimeout {
		w.lose("timeout", "120", "starchild waits at most 120 seconds, not %s", limit)
		limit = maxTimeout
	}
	if limit != defaultTimeout {
		w.entries.WriteString("    timeout: " + strconv.FormatFloat(limit.Seconds(), 'f', -1, 64) + "\n")
	}
}

// onError is the hook's law of faults where it is not the dialect's own.
func (w *writer) onError() string {
	row := checkrein.ContractOf(w.hook.On)
	switch policy := w.hook.OnFault; {
	case policy == checkrein.FaultIgnore:
		return policy.String()
	case policy == checkrein.FaultBlock && !row.Can(checkrein.CanDeny):
		w.lose("on_error", "warn", "nothing can block %s", eventName(row.Kind))
	case policy == checkrein.FaultBlock || policy == checkrein.FaultByRow && row.Closed:
		return checkrein.FaultBlock.String()
	}
	return ""
}

// flags reports what a hook says about itself and starchild has no word for.
func (w *writer) flags() {
	h := w.hook
	say := func(is bool, what, instead, why string) {
		if is {
			w.lose(what, instead, "%s", why)
		}
	}
	spoken := h.Dialect
	if spoken == "" {
		spoken = "native"
	}
	say(spoken != name, "dialect", "a script that reads event, tool_name and tool_input and prints a decision",
		"the hook was written for payloads and answers in the "+spoken+" format")
	say(len(h.If) > 0, "if", "the same test in the script", "starchild has no conditions, so the hook runs every time")
	say(h.Priority != hookfile.DefaultPriority, "priority", "the order of the hooks in the file", "starchild has no priorities")
	say(h.Chain != "", "chain", "", "after a denial the other hooks still run")
	say(h.Async, "async", "", "starchild waits for every hook, so this one can decide")
	say(h.Gate, "gate", "", "a rewritten call is not checked again")
	say(!h.Rewrites, "rewrites", "", "every hook may rewrite the call, so this one waits its turn")
	say(h.Preempt, "preempt_yolo", "", "starchild has no auto-approval")
	say(h.Strict, "strict_output", "", "starchild ignores the parts of an answer it does not understand")
}

// settings reports what a handler is told and starchild has no word for.
func (w *writer) settings() {
	rawjson.Each(w.hook.With, func(key string, _ []byte) bool {
		switch key {
		case "command", "argv", "url":
		case "env":
			w.lose(key, "/usr/bin/env NAME=value before the program", "hooks get the environment of the starchild server")
		case "working_dir":
			w.lose(key, "cd in the script", "hooks run in the starchild server's directory")
		case "allow_local":
			if w.local() && w.hook.Dialect != name {
				w.lose(key, "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 for all hooks", "starchild does not call local addresses; only checkrein reads this key")
			}
		default:
			w.lose(key, "", "starchild has no such setting")
		}
		return true
	})
}
