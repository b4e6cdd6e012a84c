// Package hermes is the wire of Hermes Agent's shell hooks.
//
// An answer is one action: block, modify, approve (which asks a person), or
// continue where the agent wants to stop. On most events it reads no answer.
package hermes

import (
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// Host is Hermes Agent.
var Host = wire.Host{
	Name: "hermes", Title: "Hermes Agent", Version: "2026", Mark: wire.Documented,
	About:  "Shell hooks go in the profile's config.yaml. A new hook asks for consent once. Without a terminal, it is silently skipped until the user has consented. Not tested with a real host.",
	Asks:   wire.Asks{Reach: wire.AtTerminal},
	Dirs:   []string{"workdir"},
	Waits:  60 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
}

const context = checkrein.CanAddContext

var events = []wire.Event{
	{Native: "on_session_start", Rows: []wire.Row{{Kind: checkrein.SessionStart}}, Wired: true},
	{Native: "pre_llm_call", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: context}, {Kind: checkrein.TurnStart, Honours: context}, {Kind: checkrein.BeforeLLMCall, Honours: context}}, Wired: true,
		Note: "a prompt cannot be denied, so the model gets the reason"},
	{Native: "pre_tool_call", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: checkrein.CanDeny | checkrein.CanAsk | checkrein.CanRewriteInput}}, Wired: true,
		Note: "the host cannot ask about a rewritten call, so such an ask is a denial"},
	{Native: "post_tool_call", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "post_llm_call", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "pre_verify", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: checkrein.CanDeny | checkrein.CanRedo}}, Wired: true},
	{Native: "subagent_start", Rows: []wire.Row{{Kind: checkrein.SubagentStart}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "subagent_stop", Rows: []wire.Row{{Kind: checkrein.SubagentStop}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "pre_approval_request", Rows: []wire.Row{{Kind: checkrein.PermissionRequest}}, Wired: true, Note: "the host ignores the answer"},
	{Native: "post_approval_response", Rows: []wire.Row{{Kind: checkrein.OnToolApprovalDecision}}, Wired: true},
	{Native: "on_session_end", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Wired: true},
	{Native: "transform_tool_result", Note: "a shell hook cannot change anything here; post_tool_call reports the same call"},
	{Native: "transform_terminal_output", Note: "a shell hook cannot change anything here"},
	{Native: "transform_llm_output", Note: "a shell hook cannot change anything here"},
}

const seen = "2026, documented"

var quirks = []wire.Quirk{
	{ID: "approve-asks", Seen: seen, Does: "action: approve asks the user. decision: approve is ignored, and the tool runs.", We: "checkrein asks with action: approve.", Fixture: "pre_tool_call.json"},
	{ID: "approval-is-remembered", Seen: seen, Does: "An approval may be remembered under a rule_key.", We: "checkrein uses a key for this exact call, so the approval covers nothing else.", Fixture: "TestRuleKey"},
	{ID: "one-action", Seen: seen, Does: "An answer cannot both change a call and ask about it.", We: "checkrein blocks such a call and says why.", Fixture: "pre_tool_call.json"},
	{ID: "arguments-are-merged", Seen: seen, Does: "The arguments of modify are merged into the call's arguments.", We: "checkrein sends all arguments, and removed ones as null.", Fixture: "TestRemovedArguments"},
	{ID: "exit-2-only-before-tools", Seen: seen, Does: "Exit code 2 blocks pre_tool_call. Elsewhere, it is an ordinary failure.", We: "checkrein uses exit code 2 only there, together with JSON.", Fixture: "pre_tool_call.json"},
	{ID: "empty-may-be-a-failure", Seen: seen, Does: "With fail_closed, an answer that is not a JSON object blocks the call.", We: "checkrein prints {} when there is nothing to say.", Fixture: "pre_tool_call.json"},
	{ID: "continue-needs-a-message", Seen: seen, Does: "pre_verify without a message lets the agent stop.", We: "checkrein always sends a reason.", Fixture: "pre_verify.json"},
	{ID: "consent-by-text", Seen: seen, Does: "Consent is for one event and one exact command line. Without a terminal, a hook without consent is silently skipped.", We: "install says how to consent, and status reports whether you did. checkrein never writes consent itself.", Fixture: "on_session_start.json"},
	{ID: "no-notices", Seen: seen, Does: "A hook cannot send the user a message.", We: "checkrein sends notices to stderr, which is logged.", Fixture: "post_tool_call.json"},
	{ID: "fields-in-extra", Seen: seen, Does: "Everything an event reports besides the tool is in extra.", We: "checkrein reads it from there.", Fixture: "pre_llm_call.json"},
}
