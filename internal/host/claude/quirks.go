package claude

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "rejected-reply-is-open", Seen: "2.1.197", Does: "One wrong type, an unknown permissionDecision, or a hookEventName that is missing or another's: the whole answer is dropped and the tool runs.",
		We: "Answers are written key by key for the event at hand, and tests hold each against a schema of what is honoured.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-shows-command", Seen: "2.1.197", Does: "With exit code 2 the model is shown the hook's command line.", We: "Denials are JSON at exit 0.", Fixture: "PreToolUse.json"},
	{ID: "asks-in-every-mode", Seen: "2.1.197", Does: "At a terminal an ask is a dialog in every permission mode, bypassPermissions and dontAsk too; with -p it is a denial.", We: "The mode does not matter: an ask is sent where there is a terminal and no -p.", Fixture: "PreToolUse.json"},
	{ID: "input-is-replaced", Seen: "2.1.197", Does: "updatedInput replaces all arguments; a partial one fails validation.", We: "The complete object after all patches is sent.", Fixture: "PreToolUse.json"},
	{ID: "output-needs-its-shape", Seen: "2.1.197", Does: "updatedToolOutput that has not the tool's full shape is ignored in silence.", We: "A replaced text is put back into the shape that came; where there is no place for it, the person is told.", Fixture: "PostToolUse.json"},
	{ID: "stop-context-continues", Seen: "2.1.197", Does: "additionalContext on Stop keeps the turn going.", We: "Context is dropped there, visibly.", Fixture: "Stop.json"},
	{ID: "worktree-needs-a-path", Seen: "2.1.197", Does: "A WorktreeCreate hook that prints nothing makes --worktree fail.", We: "It is never wired.", Fixture: "WorktreeCreate.json"},
	{ID: "post-block-hides-nothing", Seen: "2.1.197", Does: "A block on PostToolUse leaves the output with the model.", We: "Redaction replaces the output; a denial there ends the turn.", Fixture: "PostToolUse.json"},
	{ID: "open-on-failure", Seen: "2.1.197", Does: "A missing, crashed or late hook lets the tool run.", We: "Every fault is answered by us in time; the line that install writes denies where we are missing or die, and status says so.", Fixture: "PreToolUse.json"},
	{ID: "project-hooks-untrusted", Seen: "2.1.197", Does: "With -p the hooks of a project run in a directory that nobody trusted.", We: "What a project brings runs only once approved, whoever calls us.", Fixture: "SessionStart.json"},
	{ID: "rewrite-stays-hidden", Seen: "2.1.197", Does: "A rewritten input runs, and later model requests still show the input that the model wrote.",
		We: "Markers that the model writes back to a file become the file's secrets again on the way to the tool; what the tool returns is redacted once more.", Fixture: "PreToolUse.json"},
	{ID: "edit-is-checked-first", Seen: "2.1.197", Does: "Edit looks for old_string in the file before any hook is asked, and fails by itself when it is not there.",
		We: "An edit with a marker in old_string changes nothing there; the model is told to leave marked lines out, and may write the whole file.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: "2.1.197", Does: "The session's file (projects/…/ID.jsonl) has a secret that was put back in a write, beside the tool's result. What tools returned is there redacted, and a session that is resumed sends neither to the model.",
		We: "checkrein's own records have no secret. Whoever may read the agent's folder may read these: treat it as you treat the files themselves.", Fixture: "PreToolUse.json"},
}
