package qwen

import "github.com/checkrein/checkrein/internal/host/wire"

const seen = "0.15.10"

var quirks = []wire.Quirk{
	{ID: "peers-undo-denials", Seen: seen, Does: "Of several hooks the later one's permissionDecision counts, and before any decision: a peer's allow undoes a denial.",
		We: "A denial is said in both forms and with continue false, which nothing undoes.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-needs-stderr", Seen: seen, Does: "With exit code 2 only stderr is read; where it is empty the tool runs, whatever stdout says.", We: "Denials are JSON at exit 0.", Fixture: "PreToolUse.json"},
	{ID: "stderr-is-read", Seen: seen, Does: "Where stdout is empty, stderr is the answer; a text that is no JSON is an allow.", We: "Whoever has nothing to say writes nothing on either.", Fixture: "PreToolUse.json"},
	{ID: "ask-is-a-refusal", Seen: seen, Does: "ask opens no dialog: the call is refused with the reason, and a peer's allow undoes it.", We: "An ask is a denial that says so; PermissionRequest can still allow.", Fixture: "PreToolUse.json"},
	{ID: "no-rewrite", Seen: seen, Does: "updatedInput and context on PreToolUse do nothing.", We: "They are dropped, visibly: a hook that must rewrite a call cannot guard here.", Fixture: "PreToolUse.json"},
	{ID: "stop-replaces-output", Seen: seen, Does: "continue false on PostToolUse puts stopReason in the place of the output, and the agent goes on; a block there does nothing.",
		We: "That is how output is replaced; a run cannot be stopped from there, and a denial is told in the place of the output.", Fixture: "PostToolUse.json"},
	{ID: "empty-prompt", Seen: seen, Does: "UserPromptSubmit fires after every tool result, with an empty prompt.", We: "That is no prompt: no hook hears of it, and no turn begins.", Fixture: "TestEmptyPromptIsNoPrompt"},
	{ID: "stop-hook-active-lies", Seen: seen, Does: "stop_hook_active is true on the very first Stop.", We: "Our own counter decides.", Fixture: "Stop.json"},
	{ID: "stop-goes-on-100-times", Seen: seen, Does: "A Stop that is always blocked ends after 100 rounds.", We: "Our own limit of redos.", Fixture: "Stop.json"},
	{ID: "stop-turns-continue-round", Seen: seen, Does: "continue false on Stop and SubagentStop keeps the agent going.", We: "It is never written there.", Fixture: "Stop.json"},
	{ID: "feedback-is-a-prompt", Seen: seen, Does: "What kept the agent going comes back as the prompt of another UserPromptSubmit.", We: "It is known again and starts no new turn.", Fixture: "UserPromptSubmit.json"},
	{ID: "no-decision-is-a-denial", Seen: seen, Does: "Two answers to PermissionRequest without a decision come to a denial.", We: "Without a decision nothing at all is said there.", Fixture: "PermissionRequest.json"},
	{ID: "context-in-entities", Seen: seen, Does: "< and > in context become entities.", We: "Context is sent as it is: models read entities.", Fixture: "PostToolUse.json"},
	{ID: "notices-go-unseen", Seen: seen, Does: "systemMessage is shown on Stop, with a terminal; on other events it goes to a log.", We: "It is sent all the same, and the ledger has it.", Fixture: "Stop.json"},
	{ID: "blocked-prompt-is-silent", Seen: seen, Does: "Without a terminal a blocked prompt ends the run with status 0 and no output.", We: "The ledger says why.", Fixture: "UserPromptSubmit.json"},
	{ID: "milliseconds", Seen: seen, Does: "timeout counts milliseconds: one copied from Claude Code ends every hook at once, and the tool runs.", We: "install writes milliseconds.", Fixture: "PreToolUse.json"},
	{ID: "own-tool-names", Seen: seen, Does: "Matchers are held against run_shell_command and its like; Bash never matches.", We: "install writes no matcher, and hooks match on our own names.", Fixture: "PreToolUse.json"},
	{ID: "async-cannot-deny", Seen: seen, Does: "The answer of an async hook is not waited for.", We: "install never writes async.", Fixture: "PreToolUse.json"},
	{ID: "no-session-without-terminal", Seen: seen, Does: "SessionStart and SessionEnd do not fire in headless runs, and the answer to SessionStart is never read.", We: "Context for a session is dropped, visibly; turn_start gets it to the model.", Fixture: "SessionStart.json"},
	{ID: "open-on-failure", Seen: seen, Does: "A missing, crashed or late hook lets the tool run.", We: "Every fault is answered by us in time; the line that install writes denies where we are missing or die, and status says so.", Fixture: "PreToolUse.json"},
	{ID: "project-hooks-untrusted", Seen: seen, Does: "The hooks of a project run in a headless run without anyone's trust.", We: "What a project brings runs only once approved, whoever calls us.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: "0.15.10", Does: "No secret of a file that the model read or changed was found in its files.",
		We: "Nothing.", Fixture: "PreToolUse.json"},
}
