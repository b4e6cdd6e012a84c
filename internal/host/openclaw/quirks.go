package openclaw

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "no-command-hooks", Seen: "2026.9.6", Does: "Only functions of a plugin can gate tools.", We: "A plugin asks one long-lived checkrein, with a deadline for every call.", Fixture: "before_tool_call.json"},
	{ID: "exec-calls-no-hooks", Seen: "2026.9.6", Does: "`openclaw agent exec` loads plugins and calls none of their hooks.", We: "status and doctor say so.", Fixture: "before_tool_call.json"},
	{ID: "conversation-access", Seen: "2026.9.6", Does: "Without allowConversationAccess prompts, replies and the end of a run fire nothing, without a word.", We: "install asks for it, and status says when it is off.", Fixture: "before_prompt_build.json"},
	{ID: "foreign-shapes-are-open", Seen: "2026.9.6", Does: "{decision: deny} and the like are ignored, and the tool runs.", We: "The plugin returns {block, blockReason}, also when it has no answer, or one that it does not understand.", Fixture: "before_tool_call.json"},
	{ID: "late-hides-reason", Seen: "2026.9.6", Does: "A throw, or no answer in 15 s, blocks the tool and hides the reason.", We: "The plugin answers before that.", Fixture: "before_tool_call.json"},
	{ID: "approval-hides-reason", Seen: "2026.9.6", Does: "Where nobody can approve, an approval is a denial that does not say why.", We: "The person is told why by us.", Fixture: "before_tool_call.json"},
	{ID: "params-are-merged", Seen: "2026.9.6", Does: "Changed arguments are laid over the old ones: none can be taken away.", We: "A rewrite that takes one away is a denial.", Fixture: "before_tool_call.write.json"},
	{ID: "last-params-win", Seen: "2026.9.6", Does: "Every plugin sees the arguments as the model gave them, and the last one that changes them wins.", We: "Ours comes last; what another plugin changed was not judged.", Fixture: "before_tool_call.json"},
	{ID: "promises-are-dropped", Seen: "2026.9.6", Does: "tool_result_persist and before_message_write do not wait for promises.", We: "The plugin waits there for a process of its own.", Fixture: "tool_result_persist.json"},
	{ID: "replaced-too-late", Seen: "2026.9.6", Does: "A result is replaced in the transcript only: the model of the running turn sees it as it was.", We: "It is replaced there, and the person is told.", Fixture: "tool_result_persist.json"},
	{ID: "revise-has-limits", Seen: "2026.9.6", Does: "Another pass is refused after a tool call with side effects, and after three.", We: "We ask for it; OpenClaw logs that it refused.", Fixture: "before_agent_finalize.json"},
	{ID: "registered-several-times", Seen: "2026.9.6", Does: "register runs up to three times in a process.", We: "It only registers; the process is started with the first event.", Fixture: "before_tool_call.json"},
	{ID: "no-directory", Seen: "2026.9.6", Does: "Tool hooks are told neither the directory nor, on the transcript's, the session.", We: "The plugin remembers both from prompts; without these it takes the configured workspace.", Fixture: "tool_result_persist.json"},
	{ID: "result-has-no-arguments", Seen: "2026.9.6", Does: "tool_result_persist does not say what the tool was called with.", We: "The plugin remembers it by the call's id.", Fixture: "tool_result_persist.json"},
	{ID: "payloads-with-keys", Seen: "2026.9.6", Does: "Events of gateway and scheduler carry the configuration with its keys.", We: "They are not wired, and the plugin sends chosen members only.", Fixture: "gateway_start.json"},
}
