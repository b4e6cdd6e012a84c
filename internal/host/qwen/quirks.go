package qwen

import "github.com/checkrein/checkrein/internal/host/wire"

const seen = "0.15.10"

var quirks = []wire.Quirk{
	{ID: "peers-undo-denials", Seen: seen, Does: "With several hooks, the last permissionDecision counts and overrides every decision, so another hook's allow undoes a denial.",
		We: "checkrein denies in both forms and adds continue: false, which nothing undoes.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-needs-stderr", Seen: seen, Does: "With exit code 2, only stderr is read. If stderr is empty, the tool runs, whatever stdout says.", We: "checkrein denies with JSON and exit code 0.", Fixture: "PreToolUse.json"},
	{ID: "stderr-is-read", Seen: seen, Does: "If stdout is empty, stderr is the answer. Output that is not JSON counts as an allow.", We: "When there is nothing to say, checkrein leaves both empty.", Fixture: "PreToolUse.json"},
	{ID: "ask-is-a-refusal", Seen: seen, Does: "ask opens no dialog. The call is denied with the reason, and another hook's allow undoes that.", We: "checkrein sends an ask as a denial that says so. PermissionRequest can still allow the call.", Fixture: "PreToolUse.json"},
	{ID: "no-rewrite", Seen: seen, Does: "updatedInput and context on PreToolUse have no effect.", We: "checkrein drops them and reports that. A hook that must rewrite a call cannot guard Qwen Code.", Fixture: "PreToolUse.json"},
	{ID: "stop-replaces-output", Seen: seen, Does: "continue: false on PostToolUse replaces the output with stopReason, and the agent goes on. A block there has no effect.",
		We: "checkrein uses this to replace output. A hook cannot stop the run there, so a denial replaces the output.", Fixture: "PostToolUse.json"},
	{ID: "empty-prompt", Seen: seen, Does: "UserPromptSubmit fires after every tool result, with an empty prompt.", We: "checkrein does not count that as a prompt: no hook runs, and no turn starts.", Fixture: "TestEmptyPromptIsNoPrompt"},
	{ID: "stop-hook-active-lies", Seen: seen, Does: "stop_hook_active is true on the very first Stop. 0.24.4 says false there.", We: "checkrein uses its own counter.", Fixture: "Stop.older.json"},
	{ID: "stop-goes-on-100-times", Seen: seen, Does: "If Stop is blocked every time, the run ends after 100 rounds.", We: "checkrein has its own redo limit.", Fixture: "Stop.json"},
	{ID: "stop-turns-continue-round", Seen: seen, Does: "continue: false on Stop and SubagentStop keeps the agent working.", We: "checkrein never sends it there.", Fixture: "Stop.json"},
	{ID: "feedback-is-a-prompt", Seen: seen, Does: "The text that kept the agent working comes back as the prompt of another UserPromptSubmit.", We: "checkrein recognizes it and does not start a new turn.", Fixture: "UserPromptSubmit.json"},
	{ID: "no-decision-is-a-denial", Seen: seen, Does: "Two PermissionRequest answers without a decision add up to a denial.", We: "There, checkrein prints nothing when it has no decision.", Fixture: "PermissionRequest.json"},
	{ID: "context-in-entities", Seen: seen, Does: "< and > in context become HTML entities.", We: "checkrein sends context unchanged, because models understand entities.", Fixture: "PostToolUse.json"},
	{ID: "notices-go-unseen", Seen: seen, Does: "systemMessage is shown on Stop, with a terminal. On other events, it goes to a log.", We: "checkrein sends it anyway, and records it in the ledger.", Fixture: "Stop.json"},
	{ID: "blocked-prompt-is-silent", Seen: seen, Does: "Without a terminal, a blocked prompt ends the run with exit code 0 and no output.", We: "The ledger records why.", Fixture: "UserPromptSubmit.json"},
	{ID: "milliseconds", Seen: seen, Does: "timeout is in milliseconds. With a value copied from Claude Code, every hook times out at once, and the tool runs.", We: "install writes milliseconds.", Fixture: "PreToolUse.json"},
	{ID: "own-tool-names", Seen: seen, Does: "Matchers are compared with native names such as run_shell_command; Bash never matches.", We: "install writes no matcher. checkrein's hooks match its own tool names.", Fixture: "PreToolUse.json"},
	{ID: "async-cannot-deny", Seen: seen, Does: "The host does not wait for an async hook's answer.", We: "install never writes async.", Fixture: "PreToolUse.json"},
	{ID: "no-session-without-terminal", Seen: "0.24.4", Does: "SessionEnd does not fire in headless runs. In 0.15.10, neither does SessionStart, and the answer to it is ignored.", We: "checkrein sends a session's context. With 0.15.10, use turn_start to give the model context.", Fixture: "SessionStart.json"},
	{ID: "open-on-failure", Seen: seen, Does: "If a hook is missing, crashes or is late, the tool runs.", We: "checkrein answers in time even after an internal error. If checkrein is missing or dies, the command line that install writes denies, and status reports it.", Fixture: "PreToolUse.json"},
	{ID: "project-hooks-untrusted", Seen: seen, Does: "In a headless run, a project's hooks run without anyone having trusted them.", We: "On every host, a project's hooks run only after you approve them.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: seen, Does: "checkrein's tests found no secret from a file that the model read or changed in Qwen Code's own files.",
		We: "Nothing.", Fixture: "PreToolUse.json"},
}
