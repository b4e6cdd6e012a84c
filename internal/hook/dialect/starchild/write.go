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

// writeFile returns a file with all hooks that starchild can run, in the order in which they run, and
// what it could not express. Reading the file yields everything that is not listed as a loss.
func writeFile(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	hooks = slices.Clone(hooks)
	slices.SortStableFunc(hooks, func(a, b checkrein.Hook) int { return cmp.Compare(b.Priority, a.Priority) })
	var w writer
	for i := range hooks {
		w.writeHook(&hooks[i])
	}
	list := "hooks:\n" + w.entries.String()
	if w.entries.Len() == 0 {
		list = "hooks: []\n"
	}
	return []hookfile.Document{{Name: fileName, Data: []byte(header + list)}}, w.losses
}

// A writer writes one file.
type writer struct {
	hook    *checkrein.Hook // the current one
	entries strings.Builder
	losses  []hookfile.Loss
}

func (w *writer) addLoss(what, instead, format string, args ...any) {
	w.losses = append(w.losses, hookfile.Loss{Hook: w.hook.Label(), What: what, Why: fmt.Sprintf(format, args...), Instead: instead})
}

// writeHook writes an entry for h and records what starchild cannot express. It writes nothing if
// starchild cannot run h.
func (w *writer) writeHook(h *checkrein.Hook) {
	w.hook = h
	event := ownEventName(h.On)
	switch {
	case h.Broken != "":
		w.addLoss("hook", "", "the hook is not valid: %s", h.Broken)
		return
	case event == "":
		what := h.On.String()
		if h.On == checkrein.Other {
			what = "native:" + h.Event
		}
		w.addLoss("event", nearestEvent(h.On), "starchild has no event like %s", what)
		return
	}
	runs, ok := w.handlerLines()
	if !ok {
		return
	}
	w.entries.WriteString("  - event: " + event + "\n")
	w.putMember("name", h.Name)
	w.putMember("matcher", w.convertMatcher())
	w.entries.WriteString(runs)
	w.putTimeout()
	w.putMember("on_error", w.faultPolicy())
	w.addPropertyLosses()
	w.addSettingLosses()
}

// putMember writes key and val unless val is empty.
func (w *writer) putMember(key, val string) {
	if val != "" {
		w.entries.WriteString(formatMember(key, val))
	}
}

func formatMember(key, val string) string { return "    " + key + ": " + formatScalar(val) + "\n" }

// nearestEvent returns starchild's event that is closest to k, which starchild lacks, or "".
func nearestEvent(k checkrein.Kind) string {
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

// handlerLines returns the lines for the hook's handler. It returns false if starchild cannot run it.
func (w *writer) handlerLines() (string, bool) {
	with := func(key string) string {
		v, _ := rawjson.Get(w.hook.With, key)
		s, _ := rawjson.Text(v)
		return s
	}
	switch w.hook.Run {
	case "http":
		lines := formatMember("type", "http") + formatMember("url", with("url"))
		if w.allowsLocal() {
			lines += "    allow_local: true\n"
		}
		return lines, true
	case "command":
		text := with("command")
		if text == "" {
			return w.argvLine()
		}
		argv := []string{"/bin/sh", "-c", text}
		if why := missingFileReason(argv); why != "" {
			w.addLoss("command", "an absolute path", "%s", why)
			return "", false
		}
		if words, err := splitCommand(text); err == nil {
			if why := missingFileReason(firstCommand(words)); why != "" {
				w.addLoss("command", "an absolute path", "%s", why)
			}
		}
		return formatMember("command", joinCommand(argv)), true
	}
	w.addLoss("type", typeAlternative(w.hook.Run), "starchild has no hooks of type %s, only command and http", w.hook.Run)
	return "", false
}

// allowsLocal reports whether the hook may call addresses of this machine.
func (w *writer) allowsLocal() bool {
	v, _ := rawjson.Get(w.hook.With, "allow_local")
	return string(v) == "true"
}

// typeAlternative returns what can replace a hook of type typ, which starchild lacks, or "".
func typeAlternative(typ string) string {
	switch typ {
	case "rule":
		return "a script that runs the same test"
	case "model":
		return "a script that calls the model"
	}
	return ""
}

// argvLine returns the command line of a hook with argv. It returns false if the hook has no command.
func (w *writer) argvLine() (string, bool) {
	var argv []string
	list, _ := rawjson.Get(w.hook.With, "argv")
	rawjson.Elements(list, func(_ int, v []byte) bool {
		s, _ := rawjson.Text(v)
		argv = append(argv, s)
		return true
	})
	if len(argv) == 0 || argv[0] == "" {
		w.addLoss("command", "", "the hook has no command")
		return "", false
	}
	if why := missingFileReason(argv); why != "" {
		w.addLoss("command", "an absolute path", "%s", why)
		return "", false
	}
	return formatMember("command", joinCommand(argv)), true
}

func (w *writer) putTimeout() {
	limit := w.hook.Limit()
	if limit > maxTimeout {
		w.addLoss("timeout", "120", "starchild waits at most 120 seconds, not %s", limit)
		limit = maxTimeout
	}
	if limit != defaultTimeout {
		w.entries.WriteString("    timeout: " + strconv.FormatFloat(limit.Seconds(), 'f', -1, 64) + "\n")
	}
}

// faultPolicy returns the value of on_error, or "" if the hook has starchild's own behaviour.
func (w *writer) faultPolicy() string {
	row := checkrein.ContractOf(w.hook.On)
	switch policy := w.hook.OnFault; {
	case policy == checkrein.FaultIgnore:
		return policy.String()
	case policy == checkrein.FaultBlock && !row.Can(checkrein.CanDeny):
		w.addLoss("on_error", "warn", "nothing can block %s", ownEventName(row.Kind))
	case policy == checkrein.FaultBlock || policy == checkrein.FaultByRow && row.Closed:
		return checkrein.FaultBlock.String()
	}
	return ""
}

// addPropertyLosses records a loss for each property of the hook that starchild cannot express.
func (w *writer) addPropertyLosses() {
	h := w.hook
	say := func(is bool, what, instead, why string) {
		if is {
			w.addLoss(what, instead, "%s", why)
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

// addSettingLosses records a loss for each setting of the hook's handler that starchild cannot
// express.
func (w *writer) addSettingLosses() {
	rawjson.Each(w.hook.With, func(key string, _ []byte) bool {
		switch key {
		case "command", "argv", "url":
		case "env":
			w.addLoss(key, "/usr/bin/env NAME=value before the program", "hooks get the environment of the starchild server")
		case "working_dir":
			w.addLoss(key, "cd in the script", "hooks run in the starchild server's directory")
		case "allow_local":
			if w.allowsLocal() && w.hook.Dialect != name {
				w.addLoss(key, "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 for all hooks", "starchild does not call local addresses; only checkrein reads this key")
			}
		default:
			w.addLoss(key, "", "starchild has no such setting")
		}
		return true
	})
}
