package openclaw

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "no-command-hooks", Seen: "2026.9.6", Does: "Only a plugin's functions can block tools.", We: "checkrein's plugin talks to one long-lived checkrein process, with a deadline for every call.", Fixture: "before_tool_call.json"},
	{ID: "exec-calls-no-hooks", Seen: "2026.9.6", Does: "`openclaw agent exec` loads plugins but calls none of their hooks.", We: "status and doctor report that.", Fixture: "before_tool_call.json"},
	{ID: "conversation-access", Seen: "2026.9.6", Does: "Without allowConversationAccess, the hooks for prompts, replies and the end of a run silently do not fire.", We: "install asks for it, and status reports when it is off.", Fixture: "before_prompt_build.json"},
	{ID: "foreign-shapes-are-open", Seen: "2026.9.6", Does: "{decision: deny} and the like are ignored, and the tool runs.", We: "The plugin returns {block, blockReason}, even if it gets no answer or one that it does not understand.", Fixture: "before_tool_call.json"},
	{ID: "late-hides-reason", Seen: "2026.9.6", Does: "An exception, or no answer within 15 s, blocks the tool and hides the reason.", We: "The plugin answers before that.", Fixture: "before_tool_call.json"},
	{ID: "approval-hides-reason", Seen: "2026.9.6", Does: "If no one can approve, an approval request becomes a denial that does not say why.", We: "checkrein tells the user why.", Fixture: "before_tool_call.json"},
	{ID: "params-are-merged", Seen: "2026.9.6", Does: "Changed arguments are merged into the old ones, so none can be removed.", We: "checkrein denies a rewrite that removes an argument.", Fixture: "before_tool_call.write.json"},
	{ID: "last-params-win", Seen: "2026.9.6", Does: "Every plugin sees the arguments that the model wrote, and the last plugin that changes them wins.", We: "checkrein's plugin comes last. It does not check what another plugin changed.", Fixture: "before_tool_call.json"},
	{ID: "promises-are-dropped", Seen: "2026.9.6", Does: "tool_result_persist and before_message_write do not wait for promises.", We: "There, the plugin starts a separate process and waits for it.", Fixture: "tool_result_persist.json"},
	{ID: "replaced-too-late", Seen: "2026.9.6", Does: "A result is replaced only in the transcript. In the current turn, the model sees the original.", We: "checkrein replaces it there and tells the user.", Fixture: "tool_result_persist.json"},
	{ID: "revise-has-limits", Seen: "2026.9.6", Does: "Another pass is not possible after a tool call with side effects, or after three passes.", We: "checkrein asks for another pass. If OpenClaw refuses, it logs that.", Fixture: "before_agent_finalize.json"},
	{ID: "registered-several-times", Seen: "2026.9.6", Does: "register runs up to three times per process.", We: "The plugin only registers its hooks. The process starts with the first event.", Fixture: "before_tool_call.json"},
	{ID: "no-directory", Seen: "2026.9.6", Does: "Tool hooks do not receive the directory. The transcript hook does not receive the session either.", We: "The plugin remembers both from prompts. Before the first prompt, it uses the configured workspace.", Fixture: "tool_result_persist.json"},
	{ID: "result-has-no-arguments", Seen: "2026.9.6", Does: "tool_result_persist does not include the tool's arguments.", We: "The plugin remembers the arguments by call ID.", Fixture: "tool_result_persist.json"},
	{ID: "payloads-with-keys", Seen: "2026.9.6", Does: "Gateway and scheduler events contain the configuration, including API keys.", We: "install does not wire them, and the plugin sends only selected fields.", Fixture: "gateway_start.json"},
}
