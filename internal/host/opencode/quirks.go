package opencode

import "github.com/checkrein/checkrein/internal/host/wire"

var quirks = []wire.Quirk{
	{ID: "no-command-hooks", Seen: "1.18.33", Does: "A hook is a function in the program's own process; nothing times it out.", We: "A plugin asks one long-lived checkrein, with a deadline for every call.", Fixture: "tool.execute.before@1.json"},
	{ID: "only-a-throw-denies", Seen: "1.18.33", Does: "What a hook returns is ignored; only a thrown error keeps a tool from running.", We: "The plugin throws, also when it has no answer, or one that it does not understand.", Fixture: "tool.execute.before@1.json"},
	{ID: "change-in-place", Seen: "1.18.33", Does: "A list or an object that is put in the place of the host's own has no effect.", We: "The plugin changes the host's own, member by member.", Fixture: "experimental.chat.system.transform@1.json"},
	{ID: "prompt-denial-hides-reason", Seen: "1.18.33", Does: "A throw on chat.message ends the turn with a general error; the reason is only in the log.", We: "The plugin tells the person the reason first.", Fixture: "chat.message@1.json"},
	{ID: "failure-fires-no-hook", Seen: "1.18.33", Does: "A tool that fails fires no tool.execute.after.", We: "The plugin picks such calls out of the bus, those that were denied excepted.", Fixture: "message.part.updated.error@read.json"},
	{ID: "permission-hook-is-dead", Seen: "1.18.33", Does: "permission.ask is never called, so an ask reaches no person.", We: "An ask is a denial.", Fixture: "tool.execute.before@1.json"},
	{ID: "no-stop", Seen: "1.18.33", Does: "A turn that is over is told by session.idle, after the fact.", We: "stop hooks run and can only tell the person.", Fixture: "session.idle@1.json"},
	{ID: "no-session-start", Seen: "1.18.33", Does: "Nothing can be added when a session starts.", We: "The first message of a session is session_start too.", Fixture: "chat.message@first.json"},
	{ID: "sub-agents-are-sessions", Seen: "1.18.33", Does: "A sub-agent is another session, and no hook says whose.", We: "The plugin remembers it from session.created.", Fixture: "chat.message@sub-agent.json"},
	{ID: "no-directory", Seen: "1.18.33", Does: "Hooks are not told the working directory.", We: "The plugin is, once, and adds it.", Fixture: "tool.execute.before@1.json"},
	{ID: "floods", Seen: "1.18.33", Does: "One turn has about 70 events of the bus and 24 calls of tool.definition.", We: "The plugin sends none of those.", Fixture: "message.part.delta@1.json"},
	{ID: "payloads-with-keys", Seen: "1.18.33", Does: "config, chat.params and chat.headers carry the provider's key.", We: "They are not wired, and the plugin sends chosen members of other hooks only.", Fixture: "chat.params@1.json"},
	{ID: "plugins-in-order", Seen: "1.18.33", Does: "Plugins run one after another on the same arguments: a later one changes what was judged.", We: "status says which plugins come after ours.", Fixture: "tool.execute.before@1.json"},
	{ID: "metadata-keeps-output", Seen: "1.18.33", Does: "metadata holds the output once more, for the screen.", We: "The plugin replaces an exact copy there too; the model does not see it.", Fixture: "tool.execute.after@1.json"},
	{ID: "transcript", Seen: "1.18.33", Does: "The database (opencode.db) has what tools returned before it was redacted; a session that is resumed does not send that to the model.",
		We: "checkrein's own records have no secret. Whoever may read the agent's folder may read these: treat it as you treat the files themselves.", Fixture: "tool.execute.before@1.json"},
}
