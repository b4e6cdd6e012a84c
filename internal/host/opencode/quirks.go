package opencode

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "no-command-hooks", Seen: "1.18.33", Does: "A hook is a function in OpenCode's own process, and has no timeout.", We: "checkrein's plugin talks to one long-lived checkrein process, with a deadline for every call.", Fixture: "tool.execute.before@1.json"},
	{ID: "only-a-throw-denies", Seen: "1.18.33", Does: "A hook's return value is ignored. Only a thrown error stops a tool.", We: "The plugin throws an error, even if it gets no answer or one that it does not understand.", Fixture: "tool.execute.before@1.json"},
	{ID: "change-in-place", Seen: "1.18.33", Does: "Replacing one of the host's lists or objects with a new one has no effect.", We: "The plugin changes the host's own object, field by field.", Fixture: "experimental.chat.system.transform@1.json"},
	{ID: "prompt-denial-hides-reason", Seen: "1.18.33", Does: "An error thrown in chat.message ends the turn with a general error. The reason is only in the log.", We: "The plugin tells the user the reason first.", Fixture: "chat.message@1.json"},
	{ID: "failure-fires-no-hook", Seen: "1.18.33", Does: "A failed tool call does not fire tool.execute.after.", We: "The plugin takes failed calls from the event bus, except denied ones.", Fixture: "message.part.updated.error@read.json"},
	{ID: "permission-hook-is-dead", Seen: "1.18.33", Does: "permission.ask is never called, so an ask does not reach the user.", We: "checkrein sends an ask as a denial.", Fixture: "tool.execute.before@1.json"},
	{ID: "no-stop", Seen: "1.18.33", Does: "session.idle reports the end of a turn only after it has ended.", We: "stop hooks run, but can only send the user a message.", Fixture: "session.idle@1.json"},
	{ID: "no-session-start", Seen: "1.18.33", Does: "Nothing can be added when a session starts.", We: "A session's first message counts as session_start too.", Fixture: "chat.message@first.json"},
	{ID: "sub-agents-are-sessions", Seen: "1.18.33", Does: "A sub-agent has its own session, and no hook names its parent.", We: "The plugin remembers the parent from session.created.", Fixture: "chat.message@sub-agent.json"},
	{ID: "no-directory", Seen: "1.18.33", Does: "Hooks do not receive the working directory.", We: "The plugin receives it once and adds it.", Fixture: "tool.execute.before@1.json"},
	{ID: "floods", Seen: "1.18.33", Does: "One turn has about 70 bus events and 24 tool.definition calls.", We: "The plugin does not pass them on to checkrein.", Fixture: "message.part.delta@1.json"},
	{ID: "payloads-with-keys", Seen: "1.18.33", Does: "config, chat.params and chat.headers contain the provider's API key.", We: "install does not wire them, and for other hooks the plugin sends only selected fields.", Fixture: "chat.params@1.json"},
	{ID: "gpt-models-patch", Seen: "2026, source", Does: "GPT models other than gpt-4 and gpt-oss get the tool apply_patch in place of edit and write.",
		We: "checkrein calls it patch and reads the files in it. The matcher write|edit misses it: use write|edit|patch, or a condition on paths.", Fixture: "tool.execute.before@1.json"},
	{ID: "plugins-in-order", Seen: "1.18.33", Does: "Plugins run one after another on the same arguments, so a later plugin can change what checkrein has already checked.", We: "status reports which plugins come after checkrein's.", Fixture: "tool.execute.before@1.json"},
	{ID: "metadata-keeps-output", Seen: "1.18.33", Does: "metadata contains the output a second time, for the screen.", We: "The plugin replaces an exact copy there too. The model does not see it.", Fixture: "tool.execute.after@1.json"},
	{ID: "transcript", Seen: "1.18.33", Does: "The database (opencode.db) contains tool output from before it was redacted. A resumed session does not send it to the model.",
		We: "checkrein's own records contain no secrets. The agent's folder does: anyone who can read it can read them, so protect it like the files themselves.", Fixture: "tool.execute.before@1.json"},
}
