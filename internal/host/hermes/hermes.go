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
	About:  "Shell hooks in the profile's config.yaml. A new hook asks for consent once; without a terminal it is not registered, without a word, until someone has given it. Not run here.",
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
		Note: "a prompt cannot be refused: the reason reaches the model"},
	{Native: "pre_tool_call", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: checkrein.CanDeny | checkrein.CanAsk | checkrein.CanRewriteInput}}, Wired: true,
		Note: "a call that is rewritten cannot be asked about, so that is a denial"},
	{Native: "post_tool_call", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform}, {Kind: checkrein.PostToolUse}}, Wired: true, Note: "no answer is read"},
	{Native: "post_llm_call", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}, {Kind: checkrein.TurnEnd}}, Wired: true, Note: "no answer is read"},
	{Native: "pre_verify", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: checkrein.CanDeny | checkrein.CanRedo}}, Wired: true},
	{Native: "subagent_start", Rows: []wire.Row{{Kind: checkrein.SubagentStart}}, Wired: true, Note: "no answer is read"},
	{Native: "subagent_stop", Rows: []wire.Row{{Kind: checkrein.SubagentStop}}, Wired: true, Note: "no answer is read"},
	{Native: "pre_approval_request", Rows: []wire.Row{{Kind: checkrein.PermissionRequest}}, Wired: true, Note: "no answer is read"},
	{Native: "post_approval_response", Rows: []wire.Row{{Kind: checkrein.OnToolApprovalDecision}}, Wired: true},
	{Native: "on_session_end", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Wired: true},
	{Native: "transform_tool_result", Note: "a shell hook can change nothing here; post_tool_call has it too"},
	{Native: "transform_terminal_output", Note: "a shell hook can change nothing here"},
	{Native: "transform_llm_output", Note: "a shell hook can change nothing here"},
}

const seen = "2026, documented"

var quirks = []wire.Quirk{
	{ID: "approve-asks", Seen: seen, Does: "action: approve asks a person; decision: approve is ignored, and the tool runs.", We: "An ask is action: approve.", Fixture: "pre_tool_call.json"},
	{ID: "approval-is-remembered", Seen: seen, Does: "An approval may be kept under a rule_key.", We: "The key is of this very call, so an approval is for nothing else.", Fixture: "TestRuleKey"},
	{ID: "one-action", Seen: seen, Does: "An answer cannot both modify a call and ask about it.", We: "Such a call is blocked, and the reason says so.", Fixture: "pre_tool_call.json"},
	{ID: "arguments-are-merged", Seen: seen, Does: "The arguments of modify are merged into the call's.", We: "All are sent, and those that were taken away as null.", Fixture: "TestRemovedArguments"},
	{ID: "exit-2-only-before-tools", Seen: seen, Does: "Exit code 2 blocks pre_tool_call, and is an ordinary failure elsewhere.", We: "It goes with the JSON there, and nowhere else.", Fixture: "pre_tool_call.json"},
	{ID: "empty-may-be-a-failure", Seen: seen, Does: "With fail_closed an answer that is no JSON object blocks.", We: "With nothing to say we say {}.", Fixture: "pre_tool_call.json"},
	{ID: "continue-needs-a-message", Seen: seen, Does: "pre_verify without a message lets the agent stop.", We: "There is always a reason.", Fixture: "pre_verify.json"},
	{ID: "consent-by-text", Seen: seen, Does: "Consent is for an event and a command line, letter by letter; without it a hook is skipped in silence where there is no terminal.", We: "install says how to give it and status whether it is there; we never write it.", Fixture: "on_session_start.json"},
	{ID: "no-notices", Seen: seen, Does: "A hook can tell the person nothing.", We: "Notices go to stderr, which is logged.", Fixture: "post_tool_call.json"},
	{ID: "fields-in-extra", Seen: seen, Does: "What an event says beside the tool lies in extra.", We: "It is read from there.", Fixture: "pre_llm_call.json"},
}
