// Package dockeragent is the wire of docker-agent, which was cagent.
//
// Its words are nearly checkrein's own. What it does with them depends on the
// event and, for a tool call, on the lane: only permission_decision is read on
// both lanes in every edition, so a denial before a tool is that, at exit code 0.
package dockeragent

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is docker-agent.
var Host = wire.Host{
	Name: "docker-agent", Title: "docker-agent", Version: "1.91 to 1.148", Mark: wire.Documented,
	About:  "Hooks go in an agent's file, or in hooks.d next to the user's configuration. Hooks before tools must be in a group with preempt_yolo: true. Otherwise they are not called for calls that are already approved. Not tested with a real host.",
	Asks:   wire.Asks{Reach: wire.AtTerminal, Alone: []string{"--exec"}},
	Dirs:   []string{"cwd"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	guard   = checkrein.CanDeny | checkrein.CanAsk | checkrein.CanAnnotate
)

var events = []wire.Event{
	{Native: "session_start", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Wired: true, Note: "fires for every user message, and for every sub-agent"},
	{Native: "user_prompt_submit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}}, Wired: true, Note: "a prompt cannot be rewritten; a denial ends the run"},
	{Native: "user_steering_messages_submit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.UserSteeringMessagesSubmit, Honours: deny | context}}, Wired: true,
		Note: "prompt hooks run for it too, except docker-agent's own"},
	{Native: "user_followup_submit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.UserFollowupSubmit, Honours: deny | context}}, Wired: true,
		Note: "prompt hooks run for it too, except docker-agent's own"},
	{Native: "turn_start", Rows: []wire.Row{{Kind: checkrein.TurnStart, Honours: context}}, Wired: true},
	{Native: "turn_end", Rows: []wire.Row{{Kind: checkrein.TurnEnd}}, Wired: true},
	{Native: "before_llm_call", Rows: []wire.Row{{Kind: checkrein.BeforeLLMCall, Honours: deny | checkrein.CanRewriteMessages | checkrein.CanHalt}}, Wired: true,
		Note: "the whole conversation, at every call"},
	{Native: "after_llm_call", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "pre_tool_use", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: guard}}, Wired: true,
		Note: "in a preempt_yolo group, where arguments cannot be rewritten and an allow decides nothing"},
	{Native: "tool_guard", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: guard}}, Note: "since September 2026; older versions reject a file that names it"},
	{Native: "tool_input_transform", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanRewriteInput}}, Note: "since September 2026; older versions reject a file that names it"},
	{Native: "permission_request", Rows: []wire.Row{{Kind: checkrein.PermissionRequest, Honours: deny | checkrein.CanAllow | checkrein.CanAnnotate}}, Wired: true},
	{Native: "on_tool_approval_decision", Rows: []wire.Row{{Kind: checkrein.OnToolApprovalDecision}}, Wired: true},
	{Native: "tool_response_transform", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}}, Wired: true, Note: "also fires for every piece of output that is shown while a tool runs"},
	{Native: "post_tool_use", Rows: []wire.Row{{Kind: checkrein.PostToolUse, Honours: deny}, {Kind: checkrein.PostToolUseFailure, Honours: deny}}, Wired: true, Note: "a denial stops the run; for a failed tool call, post_tool_use_failure fires too"},
	{Native: "stop", Rows: []wire.Row{{Kind: checkrein.Stop}}, Wired: true, Note: "a hook cannot keep the agent working"},
	{Native: "subagent_stop", Rows: []wire.Row{{Kind: checkrein.SubagentStop}}, Wired: true, Note: "a hook cannot keep the agent working"},
	{Native: "on_agent_switch", Rows: []wire.Row{{Kind: checkrein.OnAgentSwitch}}, Wired: true},
	{Native: "on_session_resume", Rows: []wire.Row{{Kind: checkrein.OnSessionResume}}, Wired: true},
	{Native: "on_user_input", Rows: []wire.Row{{Kind: checkrein.OnUserInput}}, Wired: true},
	{Native: "notification", Rows: []wire.Row{{Kind: checkrein.Notification}}, Wired: true},
	{Native: "on_error", Rows: []wire.Row{{Kind: checkrein.OnError}}, Wired: true},
	{Native: "on_max_iterations", Rows: []wire.Row{{Kind: checkrein.OnMaxIterations}}, Wired: true},
	{Native: "pre_compact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny | context}}, Wired: true},
	{Native: "before_compaction", Rows: []wire.Row{{Kind: checkrein.BeforeCompaction, Honours: deny | checkrein.CanSummarize}}, Wired: true},
	{Native: "after_compaction", Rows: []wire.Row{{Kind: checkrein.AfterCompaction}}, Wired: true},
	{Native: "worktree_create", Rows: []wire.Row{{Kind: checkrein.WorktreeCreate, Honours: deny | context}}, Wired: true, Note: "context is printed for the user"},
	{Native: "session_end", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Wired: true, Note: "at the end of every run"},
	{Native: "before_agent_run", Note: "chooses an agent"},
	{Native: "after_agent_complete", Note: "chooses an agent"},
	{Native: "skill_content_guard", Note: "every hook must say yes, so wiring it would deny every skill"},
	{Native: "prompt_file_guard", Note: "every hook must say yes, so wiring it would end every turn that has a prompt file"},
}

const seen = "1.91 to 1.148, source"

var quirks = []wire.Quirk{
	{ID: "gate-is-skipped", Seen: seen, Does: "Without preempt_yolo, pre_tool_use hooks are not called for calls that --yolo, a rule or the mode approves.", We: "install writes preempt_yolo: true.", Fixture: "pre_tool_use.json"},
	{ID: "lane-reads-one-key", Seen: "1.91 to 1.143, source", Does: "In a preempt_yolo group, exit code 2, decision: block and a crash count as no opinion, and the tool runs.", We: "checkrein denies with permission_decision: deny and exit code 0.", Fixture: "pre_tool_use.json"},
	{ID: "exit-2-hides-json", Seen: seen, Does: "With exit code 2, stdout is not read.", We: "checkrein never uses exit code 2.", Fixture: "user_prompt_submit.json"},
	{ID: "no-camel-case", Seen: seen, Does: "hookSpecificOutput and other camelCase keys are silently ignored.", We: "checkrein writes snake_case keys.", Fixture: "pre_tool_use.json"},
	{ID: "unknown-event-drops-the-file", Seen: seen, Does: "If a file in hooks.d names an event that this version does not have, the file is skipped with a warning.", We: "install wires only events that every version with hooks.d has.", Fixture: "tool_guard.json"},
	{ID: "other-values-are-faults", Seen: "1.143 and later, source", Does: "decision: allow, or a permission_decision other than allow, ask or deny, counts as a failed hook.", We: "checkrein writes only block and those three.", Fixture: "permission_request.json"},
	{ID: "metadata-is-text", Seen: seen, Does: "If one metadata value is not a string, the whole answer is invalid.", We: "checkrein writes strings.", Fixture: "permission_request.json"},
	{ID: "no-key-can-go", Seen: seen, Does: "updated_input is merged into the arguments, so none can be removed.", We: "checkrein sends removed arguments as null.", Fixture: "TestRemovedArguments"},
	{ID: "compaction-needs-block", Seen: seen, Does: "permission_decision: deny does not stop a compaction.", We: "checkrein stops it with decision: block.", Fixture: "pre_compact.json"},
	{ID: "background-jobs", Seen: seen, Does: "run_background_job runs a command too.", We: "Matchers see shell.", Fixture: "pre_tool_use.background.json"},
	{ID: "no-sink", Seen: seen, Does: "On some events, system_message is lost.", We: "Messages also go to stderr and to the ledger.", Fixture: "after_llm_call.json"},
}

// read names the second tool that runs commands, and makes one prompt of the messages
// that steer: they cannot be held back one by one.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	for i := range c.Events {
		ev := &c.Events[i]
		if t := ev.Tool; t != nil && t.Name == "run_background_job" {
			t.Canonical = "shell"
		}
		if ev.Kind == checkrein.UserPromptSubmit && c.Native == "user_steering_messages_submit" {
			var list []string
			rawjson.Elements(ev.Detail("steering_messages"), func(_ int, v []byte) bool {
				text, _ := rawjson.Text(v)
				list = append(list, text)
				return true
			})
			ev.Text = strings.Join(list, "\n")
		}
	}
	return c
}
