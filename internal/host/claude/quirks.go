package claude

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "rejected-reply-is-open", Seen: "2.1.197", Does: "If any field has the wrong type, permissionDecision is unknown, or hookEventName is missing or wrong, the whole answer is dropped and the tool runs.",
		We: "checkrein writes each answer with the keys of its event, and tests check it against a schema of what Claude Code honors.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-shows-command", Seen: "2.1.197", Does: "With exit code 2, the model sees the hook's command line.", We: "checkrein denies with JSON and exit code 0.", Fixture: "PreToolUse.json"},
	{ID: "asks-in-every-mode", Seen: "2.1.197", Does: "In a terminal, an ask opens a dialog in every permission mode, including bypassPermissions and dontAsk. With -p, an ask is a denial, unless an editor drives it (--permission-prompt-tool stdio): then the editor asks, and shows the reason.", We: "checkrein asks in every mode, if there is a terminal and -p is not set, or an editor drives the host. If another agent may have started it, checkrein denies: that agent could answer.", Fixture: "PreToolUse.json"},
	{ID: "input-is-replaced", Seen: "2.1.197", Does: "updatedInput replaces all arguments; a partial object fails validation.", We: "checkrein sends the complete object, with all patches applied.", Fixture: "PreToolUse.json"},
	{ID: "output-needs-its-shape", Seen: "2.1.197", Does: "updatedToolOutput is silently ignored unless it has the tool's full format.", We: "checkrein puts the replaced text into the format that it received. If there is no place for it, checkrein tells the user.", Fixture: "PostToolUse.json"},
	{ID: "stop-context-continues", Seen: "2.1.197", Does: "additionalContext on Stop keeps the turn going.", We: "checkrein drops the context and reports that.", Fixture: "Stop.json"},
	{ID: "worktree-needs-a-path", Seen: "2.1.197", Does: "A WorktreeCreate hook that prints nothing makes --worktree fail.", We: "checkrein never wires it.", Fixture: "WorktreeCreate.json"},
	{ID: "post-block-hides-nothing", Seen: "2.1.197", Does: "After a block on PostToolUse, the model still has the output.", We: "Redaction replaces the output. A denial there ends the turn.", Fixture: "PostToolUse.json"},
	{ID: "open-on-failure", Seen: "2.1.197", Does: "If a hook is missing, crashes or is late, the tool runs.", We: "checkrein answers in time even after an internal error. If checkrein is missing or dies, the command line that install writes denies, and status reports it.", Fixture: "PreToolUse.json"},
	{ID: "project-hooks-untrusted", Seen: "2.1.197", Does: "With -p, a project's hooks run even in a directory that the user has not trusted.", We: "On every host, a project's hooks run only after you approve them.", Fixture: "SessionStart.json"},
	{ID: "rewrite-stays-hidden", Seen: "2.1.197", Does: "A rewritten input runs, but later model requests still show the input that the model wrote.",
		We: "When the model writes a redaction marker back to a file, checkrein turns it into the file's secret again before the tool runs. What the tool returns is redacted again.", Fixture: "PreToolUse.json"},
	{ID: "file-dialog-hides-the-reason", Seen: "2026, reported by a user", Does: "If a hook asks about Write or Edit, the dialog does not show its reason. The dialog of Bash does.",
		We: "checkrein sends the reason in both cases. In another terminal, checkrein explain shows it.", Fixture: "PreToolUse.Write.json"},
	{ID: "edit-is-checked-first", Seen: "2.1.197", Does: "Edit looks for old_string in the file before it calls any hook, and fails if it is not there.",
		We: "An edit with a marker in old_string changes nothing. checkrein tells the model to leave marked lines out, or to write the whole file.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: "2.1.197", Does: "If a secret was restored in a write, the session file (projects/…/ID.jsonl) contains it, next to the tool's result. Tool results are stored redacted. A resumed session sends neither to the model.",
		We: "checkrein's own records contain no secrets. The agent's folder does: anyone who can read it can read them, so protect it like the files themselves.", Fixture: "PreToolUse.json"},
	{ID: "tools-are-searched", Seen: "2.1.325", Does: "The model is not offered the tools of MCP servers from the start: it searches for them first. 2.1.197 offers them at once.",
		We: "In proofs the search is off (ENABLE_TOOL_SEARCH=false), because the scripted model only calls what it is offered. Calls after a search are not part of a proof.", Fixture: "PreToolUse.json"},
	{ID: "reason-gets-a-prefix", Seen: "2.1.325", Does: "The model is told a denial with \"PreToolUse:Bash hook error: \" before the reason. 2.1.197 tells the reason alone.",
		We: "The reason is whole in both.", Fixture: "PreToolUse.json"},
	{ID: "sub-agents-run-beside", Seen: "2.1.325", Does: "A sub-agent runs beside its parent: the Agent tool ends at once, and the parent can stop before the sub-agent does. 2.1.197 waits for it.",
		We: "Calls of a sub-agent are judged as they come, whatever its parent does.", Fixture: "PreToolUse.in-subagent.json"},
	{ID: "changes-unread-files", Seen: "2.1.325", Does: "Write and Edit change a file that the model has not read. 2.1.197 refuses that before it calls any hook.",
		We: "Nothing. The hooks hear of each such call.", Fixture: "PreToolUse.Write.json"},
}
