package doctor

// Checks returns the table of everything that is looked for. Callers must not
// change it.
func Checks() []Check { return checks }

func named(id string) *Check {
	for i := range checks {
		if checks[i].ID == id {
			return &checks[i]
		}
	}
	return &Check{ID: id, Level: Error} // a test holds that there is none
}

// The areas.
const (
	areaHooks    = "hooks"
	areaConfig   = "configuration"
	areaHosts    = "hosts"
	areaLedger   = "ledger"
	areaState    = "state"
	areaVersions = "versions"
	areaGit      = "git"
	areaPlugins  = "plugins"
)

var checks = []Check{
	{"configuration", areaConfig, Error, "a configuration file has a mistake", "correct the file: checkrein validate shows all mistakes at once"},
	{"configuration-warning", areaConfig, Warn, "a configuration file says something that is probably not meant", "correct the file"},
	{"unknown-event", areaConfig, Error, "an event that nobody fires: mostly a typing mistake", "correct the name: docs/reference/events.md lists them"},

	{"packs-off", areaConfig, Warn, "packs of guards are switched off by a file", "remove off: true, or packs: [], from it"},
	{"shadow", areaConfig, Warn, "verdicts are recorded and not enforced, those of managed hooks and self-protection excepted", "remove shadow: from your checkrein.yaml when you have seen enough"},
	{"paused", areaConfig, Warn, "a person paused the guard: verdicts are recorded and not enforced, those of managed hooks and self-protection excepted", "checkrein pause off ends it; it ends by itself too"},
	{"held-back", areaConfig, Warn, "your own file loosens something since an agent is running, so it does not count", "if you wrote it: checkrein confirm"},
	{"file-grant", areaConfig, Info, "a file lets a call pass that guards would stop", "remove it from grants: when it is not needed any more"},
	{"grant-idle", areaConfig, Warn, "a grant of a file does not count", "remove it from grants:, or give it another end"},
	{"channel", areaConfig, Error, "a channel cannot be used, so messages to it stay in the outbox", "correct its URL under channels: in your checkrein.yaml"},
	{"pack-ignored", areaConfig, Warn, "a project's file would loosen packs, grant calls or name channels, which has no effect", "set it in your own checkrein.yaml if you mean it"},

	{"master-off", areaHooks, Error, "all hooks are switched off, managed ones excepted", "checkrein hooks on"},
	{"switched-off", areaHooks, Error, "a file switches its own hooks off", "checkrein hooks on, or set shell_hooks.enabled to true in agent.yaml beside the file"},
	{"not-approved", areaHooks, Error, "nobody approved the hook, so it does not run", "look at it, then approve it: checkrein hooks approve"},
	{"tampered", areaHooks, Error, "the hook, or a file that it names, was changed after it was approved, so it does not run", "look at what changed, then approve it again: checkrein hooks approve"},
	{"vanished", areaHooks, Error, "an approved hook is there no more", "put it back, or forget it: checkrein hooks revoke"},
	{"missing", areaHooks, Error, "the hook's program or script is not there", "put the file there, or correct the command"},
	{"not-executable", areaHooks, Error, "the hook's program cannot be executed", "chmod +x the file, and begin a script with #!"},
	{"relative-path", areaHooks, Error, "a relative path leads elsewhere than the author meant", "write the absolute path"},
	{"timed-out", areaHooks, Error, "the hook did not answer in time", "make it quicker, or raise its timeout"},
	{"bad-json", areaHooks, Error, "the hook's answer cannot be read", "print one JSON object on stdout and nothing else; send logs to stderr"},
	{"not-json", areaHooks, Warn, "the hook prints plain text where that means nothing", "print a JSON object, or nothing; send logs to stderr"},
	{"exit-code", areaHooks, Error, "the hook failed: an exit code other than 0 and 2, or a signal", "exit with 0 to go on, with 2 to block; catch errors in the script"},
	{"failed", areaHooks, Error, "the hook could not answer", "run it by hand with the payload that checkrein eval would give it"},
	{"ignored", areaHooks, Warn, "the answer has something in it that means nothing on this event", "docs/reference/answers.md lists what counts where"},
	{"event-cannot", areaHooks, Error, "the answer asks for what this event cannot do", "wire the hook to an event that can: docs/reference/events.md"},
	{"host-cannot", areaHooks, Warn, "an installed host does not do what the hook asks for on this event", "wire it to an event on which that host does: docs/hosts"},
	{"never-fires", areaHooks, Warn, "an installed host never fires the event, so the hook never runs there", "wire it to an event that the host fires: docs/hosts"},
	{"block-is-no-replacement", areaHooks, Warn, "a block after a tool ends the run; it replaces no output", "replace output on tool_response_transform with updated_tool_response, or rewrite the call on pre_tool_use"},
	{"denies-harmless", areaHooks, Warn, "the gate refuses even a harmless event, so it probably refuses all", "look at its reason; narrow what it refuses"},
	{"overflow-veto", areaHooks, Warn, "the hook refuses a compaction that is needed because the context is full: the session cannot go on then", "let compactions pass whose reason is overflow"},
	{"async-gate", areaHooks, Warn, "an asynchronous hook stands on a gate, where it can refuse nothing", "set async: false if it is to decide"},
	{"slow", areaHooks, Warn, "the agent waits for the hook at every such event", "make it quicker, set async: true if it decides nothing, or use a builtin or a rule"},
	{"matches-nothing", areaHooks, Warn, "the matcher matches no tool that is known", "check the spelling; names are case-sensitive"},
	{"never-found", areaHooks, Warn, "the expression can never be found in what it searches", "remove the anchor: the JSON payload is searched, which begins with a brace"},
	{"json-by-text", areaHooks, Warn, "a script looks for text in the JSON payload that is written otherwise there, so it finds nothing", "read the payload with a JSON parser: jq -r .tool_input.command"},
	{"broken-json", areaHooks, Warn, "the hook hands its payload on so that it is broken JSON for whoever reads it, and decides by nothing", "hand it on as it came: jq reads stdin by itself, or printf '%s\\n' \"$INPUT\" | jq …, read -r; set -e"},
	{"two-guards", areaHooks, Warn, "two hooks of one event do the same job, perhaps by different rules", "keep one of them"},
	{"same-hook", areaHooks, Info, "the same hook is declared twice; it runs once", "remove one of them"},
	{"private-messages", areaHooks, Warn, "what is meant for files that leave the machine also changes the messages that the agent writes to you", "move it to the boundary: checkrein scan and a pre_push or scrub hook"},
	{"payload-without-event", areaHooks, Error, "the payload does not name its event, so a script that looks at it does nothing", "add event (or hook_event_name) to the payload"},
	{"not-run", areaHooks, Info, "the hook was not run", ""},

	{"host-broken", areaHosts, Error, "what is installed in a host does not work", ""},
	{"wiring-gone", areaHosts, Error, "what was installed in a host is gone from its files, so it does not ask any more", ""},
	{"host-disabled", areaHosts, Error, "the host has its hooks switched off", ""},
	{"host-untrusted", areaHosts, Error, "the host does not trust our hooks, so it does not run them", ""},
	{"gate-not-wired", areaHosts, Error, "the host does not ask about something that can be refused", ""},
	{"host-drift", areaHosts, Warn, "what is installed in a host is not as this build would write it", ""},
	{"host-elsewhere", areaHosts, Warn, "a host calls checkrein with other directories than this terminal uses", ""},
	{"host-unseen", areaHosts, Warn, "no event of the host was ever seen", "use the host once, then run checkrein status"},
	{"host-not-installed", areaHosts, Info, "a host is on this machine and does not ask checkrein", ""},
	{"foreign-hooks", areaHosts, Warn, "a file of the project brings hooks that the host runs without asking checkrein", "look at them: they run with your rights as soon as you trust the folder"},
	{"host-note", areaHosts, Info, "something to know of a host", ""},

	{"plugin-async", areaPlugins, Warn, "a plugin's handler is asynchronous where its host drops promises: what it returns is lost", "make the handler synchronous: load what it needs when the plugin is registered; or rewrite the call before the tool runs"},
	{"plugin-shape", areaPlugins, Warn, "a plugin adds a bootstrap file without all of its members, which crashes its host", "give each file name, path, content and missing"},

	{"ledger-damaged", areaLedger, Error, "the newest records are not as they were written", "checkrein audit verify tells all; checkrein audit --help what can be done"},
	{"ledger-not-writable", areaLedger, Error, "nothing can be recorded", "make the directory (chmod 700) and its files (chmod 600) writable for you alone, and make room on the disk"},
	{"ledger-missed", areaLedger, Warn, "calls could not be recorded", "end what holds the ledger's lock, make room on the disk; checkrein audit query --kind gap lists them"},
	{"ledger-torn", areaLedger, Info, "a writer died in the middle of a record; the next one cleans up", ""},
	{"ledger-empty", areaLedger, Info, "nothing is recorded yet", "it begins with the first event that a host sends"},

	{"state-unsafe", areaState, Error, "others may change the state, so it is refused", ""},
	{"state-open", areaState, Warn, "others may read the state", ""},
	{"state-locked", areaState, Error, "a lock is held for longer than anyone waits for it", "end the process that holds it: fuser or lsof names it"},
	{"state-leftover", areaState, Warn, "files that a killed process left", "remove them"},
	{"state-odd", areaState, Error, "something in the state directory is not the kind of file that it should be, such as a link or a pipe: it is not used", "remove it"},
	{"store-changed", areaState, Error, "a store that saves time is not what it would be made now: somebody changed it, or it is damaged", "it is not used, and the next upkeep makes it anew; find out who wrote it: checkrein audit verify looks at everything"},
	{"key-open", areaState, Warn, "others may read the ledger's key, so nothing is remembered to save time", "chmod 600 the file, and look who has read it"},
	{"state-large", areaState, Warn, "the state is larger than it should ever be", ""},

	{"companion-missing", areaVersions, Error, "one of the two programs is missing", "install checkrein and checkreind side by side"},
	{"other-build", areaVersions, Error, "the two programs are of different builds, so they do not trust each other", "install both from one release"},
	{"other-in-path", areaVersions, Warn, "PATH leads to another checkrein", "remove one of them, or change the order in PATH"},

	{"hookspath-missing", areaGit, Error, "core.hooksPath names a directory that is not there, so git runs no hook", "git config core.hooksPath DIR, or git config --unset core.hooksPath"},
	{"git-hook-not-executable", areaGit, Error, "git skips a hook that is not executable", ""},
	{"git-hook-led", areaGit, Error, "a setting of the repository can silence a git hook of checkrein", "renew it with checkrein git install, and commit it"},
	{"git-hook-program", areaGit, Error, "a git hook needs a program that is not there", "install it, or correct the first line of the hook"},
	{"git-hooks-inactive", areaGit, Warn, "the repository brings git hooks that are not in use here", ""},
	{"git-hooks-untracked", areaGit, Info, "git hooks of this clone are in no commit: other clones do not have them", "put them into a tracked directory and set core.hooksPath"},
}
