package gemini

import "github.com/checkrein/checkrein/internal/host/wire"

const seen = "0.61.0"

var quirks = []wire.Quirk{
	{ID: "own-keys", Seen: seen, Does: "permissionDecision, updatedInput, updatedToolOutput and other words of Claude Code are passed over, and the tool runs.",
		We: "Answers are written in Gemini's keys, and tests hold each against a schema of what is honoured.", Fixture: "BeforeTool.json"},
	{ID: "exit-codes-differ", Seen: seen, Does: "Exit code 2 without a word lets the tool run; any other code from 3 on with a word blocks it; JSON beats the code, and is read from stderr where stdout is empty.",
		We: "Every answer is JSON on stdout at exit 0, and stderr stays empty.", Fixture: "BeforeTool.json"},
	{ID: "missing-hook-blocks", Seen: seen, Does: "A hook program that is not there blocks every tool; one that is late lets it run.",
		We: "We answer in time; status says when the program that settings name is not there.", Fixture: "BeforeTool.json"},
	{ID: "milliseconds", Seen: seen, Does: "timeout counts milliseconds: one copied from Claude Code ends every hook at once, and the tool runs.",
		We: "install writes milliseconds.", Fixture: "BeforeTool.json"},
	{ID: "input-is-replaced", Seen: seen, Does: "tool_input replaces all arguments, whatever the manual says; a partial one fails validation.",
		We: "The complete object after all patches is sent.", Fixture: "BeforeTool.json"},
	{ID: "ask-ends-in-silence", Seen: seen, Does: "Without a terminal an ask ends the turn, with status 0 and no word; the tool does not run.",
		We: "The reason goes along as a message, which the dialog shows and which is printed where there is none.", Fixture: "BeforeTool.json"},
	{ID: "message-hides-reason", Seen: seen, Does: "Where a turn is denied or ended, a message to the person is shown in the place of the reason.",
		We: "The message then begins with the reason.", Fixture: "BeforeAgent.json"},
	{ID: "allow-skips-nothing", Seen: seen, Does: "An allow does not keep the dialog from opening.", We: "It is dropped, visibly.", Fixture: "BeforeTool.json"},
	{ID: "deny-replaces-output", Seen: seen, Does: "A denial on AfterTool puts its reason in the place of the output, as an error; there is no other way to replace it. Context beside it is lost.",
		We: "That is how output is replaced, context in the same text; a note that is only added goes as context.", Fixture: "AfterTool.json"},
	{ID: "context-in-entities", Seen: seen, Does: "< and > in context become entities.", We: "Context is sent as it is: models read entities.", Fixture: "AfterTool.json"},
	{ID: "stop-has-no-cap", Seen: seen, Does: "A denial on AfterAgent keeps the agent going for ever.", We: "Our own limit of redos, whatever stop_hook_active says.", Fixture: "AfterAgent.json"},
	{ID: "feedback-is-a-prompt", Seen: seen, Does: "What kept the agent going comes back as the prompt of another BeforeAgent.", We: "It is known again and starts no new turn.", Fixture: "BeforeAgent.json"},
	{ID: "compress-before-every-call", Seen: seen, Does: "PreCompress fires before every model call, whether anything is compressed or not.", We: "It is not wired.", Fixture: "PreCompress.json"},
	{ID: "event-per-chunk", Seen: seen, Does: "AfterModel fires for every piece of an answer; a denial there stops the turn, but the piece is printed.",
		We: "It is not wired by itself; halt is sent as continue false.", Fixture: "AfterModel.json"},
	{ID: "rewritten-chunk-loses-calls", Seen: seen, Does: "Hooks are shown the texts of a piece only, and what they send back replaces all of it, calls of tools included.",
		We: "A piece without text is never rewritten, and the person is told.", Fixture: "AfterModel.call.json"},
	{ID: "peers-undo-model-denials", Seen: seen, Does: "On BeforeModel the decision of a later hook takes the place of an earlier one's.", We: "A denial there says continue false, too.", Fixture: "BeforeModel.json"},
	{ID: "mcp-names-run-together", Seen: seen, Does: "mcp_server_tool does not say where the server's name ends.", We: "Server and tool are taken from mcp_context.", Fixture: "BeforeTool.mcp.json"},
	{ID: "trust-is-the-folder's", Seen: seen, Does: "Where nobody trusts the folder, a headless run ends with status 55 and no hook runs; where someone does, new hooks of the project run at once.",
		We: "What a project brings runs only once approved by us, whoever calls.", Fixture: "SessionStart.json"},
	{ID: "rewrite-comes-back", Seen: "0.61.0", Does: "A rewritten input runs, and later model requests of the run keep the arguments that the model wrote. The session's file has the rewritten ones, and a session that is resumed sends these to the model.",
		We: "Markers do not become secrets again here: such a write is denied, with the way that works.", Fixture: "BeforeTool.json"},
	{ID: "transcript", Seen: "0.61.0", Does: "The session's file (tmp/…/chats/session-….jsonl) has tools' output redacted, and arguments as hooks rewrote them.",
		We: "checkrein's own records have no secret. Whoever may read the agent's folder may read these: treat it as you treat the files themselves.", Fixture: "AfterTool.json"},
}
