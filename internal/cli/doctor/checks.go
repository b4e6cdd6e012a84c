package doctor

import "github.com/checkrein/checkrein/internal/text/message"

// Checks returns the table of checks. Callers must not change it.
func Checks() []Check { return checks }

// Remedies returns the remedies of the check id.
func Remedies(id string) []message.Remedy { return checkByID(id).Remedies }

// checkByID returns the check with this id. For an unknown id, it returns a check of level Error
// without a text.
func checkByID(id string) *Check {
	for i := range checks {
		if checks[i].ID == id {
			return &checks[i]
		}
	}
	return &Check{ID: id, Level: Error} // unreachable: a test ensures that all ids are known
}

type remedyList = []message.Remedy

// The areas of checks.
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

// checks is the table of checks.
var checks = []Check{
	{"configuration", areaConfig, Error, "a configuration file has an error", remedyList{message.Do("correct the file"), message.Run("checkrein validate", "to see all errors at once")}},
	{"configuration-warning", areaConfig, Warn, "a configuration file contains something that is probably a mistake", remedyList{message.Do("correct the file")}},
	{"unknown-event", areaConfig, Error, "the event is unknown, probably because of a typo", remedyList{message.Do("correct the name"), message.Run("checkrein docs events", "to list the events")}},

	{"packs-off", areaConfig, Warn, "a file switches packs off", remedyList{message.Do("remove off: true or packs: [] from that file")}},
	{"shadow", areaConfig, Warn, "decisions are recorded, but not enforced, except those of managed hooks and self-protection", remedyList{message.Do("remove shadow: from your checkrein.yaml when you have seen enough")}},
	{"hook-shadow", areaConfig, Warn, "a hook, pack or rule is in shadow mode: its decisions are recorded, but not enforced", remedyList{message.Run("checkrein shadow enforce NAME", "when you have seen enough"), message.Do("if a managed file sets it, ask this machine's administrator")}},
	{"paused", areaConfig, Warn, "the user paused the guard: decisions are recorded, but not enforced, except those of managed hooks and self-protection", remedyList{message.Run("checkrein pause off", "to end the pause now; it also ends by itself")}},
	{"held-back", areaConfig, Warn, "a setting that loosens the guard appeared in your own file while an agent was running, so it is held back", remedyList{message.RunYourself("checkrein confirm", "if you wrote it")}},
	{"file-grant", areaConfig, Info, "a grant in a file allows a call that guards would stop", remedyList{message.Do("remove it from grants: when it is no longer needed")}},
	{"grant-idle", areaConfig, Warn, "a grant in a file has no effect", remedyList{message.Do("remove it from grants:, or change its until:")}},
	{"channel", areaConfig, Error, "a channel cannot be used, so messages to it stay in the outbox", remedyList{message.Do("correct the channel's URL under channels: in your checkrein.yaml")}},
	{"pack-ignored", areaConfig, Warn, "a project's file tries to loosen packs, grant calls or name channels, but this has no effect", remedyList{message.Do("if you want this, set it in your own checkrein.yaml")}},

	{"master-off", areaHooks, Error, "all hooks are switched off, except managed ones and self-protection", remedyList{message.Run("checkrein hooks on", "")}},
	{"disabled", areaHooks, Warn, "this hook is disabled; the others are not", remedyList{message.Run("checkrein hooks enable NAME", "")}},
	{"switched-off", areaHooks, Error, "a file switches its own hooks off", remedyList{message.Run("checkrein hooks on", ""), message.Do("or set shell_hooks.enabled: true in that agent.yaml")}},
	{"not-approved", areaHooks, Error, "the hook is not approved, so it does not run", remedyList{message.Run("checkrein hooks approve", "after you have reviewed it")}},
	{"changed", areaHooks, Error, "the hook, or a file that it names, was changed after it was approved, so it does not run", remedyList{message.Run("checkrein hooks approve", "after you have reviewed what changed")}},
	{"vanished", areaHooks, Error, "an approved hook no longer exists", remedyList{message.Do("restore it"), message.Run("checkrein hooks revoke", "or, to revoke its approval")}},
	{"missing", areaHooks, Error, "the hook's program or script is missing", remedyList{message.Do("create the file, or correct the command")}},
	{"not-executable", areaHooks, Error, "the hook's program cannot be executed", remedyList{message.Do("run chmod +x on the file; a script must begin with #!")}},
	{"relative-path", areaHooks, Error, "a relative path points to a different file than intended", remedyList{message.Do("write the absolute path")}},
	{"timed-out", areaHooks, Error, "the hook did not answer in time", remedyList{message.Do("make it faster, or raise its timeout")}},
	{"bad-json", areaHooks, Error, "the hook's answer cannot be read", remedyList{message.Do("print one JSON object on stdout and nothing else; send logs to stderr")}},
	{"not-json", areaHooks, Warn, "the hook prints plain text where it has no effect", remedyList{message.Do("print a JSON object, or nothing; send logs to stderr")}},
	{"exit-code", areaHooks, Error, "the hook failed: an exit code other than 0 and 2, or a signal", remedyList{message.Do("exit with 0 to continue, with 2 to block; handle errors in the script")}},
	{"failed", areaHooks, Error, "the hook could not answer", remedyList{message.Do("run it by hand with the payload that checkrein eval would send it")}},
	{"ignored", areaHooks, Warn, "the answer contains something that has no effect on this event", remedyList{message.Run("checkrein docs answers", "to see what has an effect on which event")}},
	{"event-cannot", areaHooks, Error, "the answer asks for something that this event cannot do", remedyList{message.Do("move the hook to an event that can"), message.Run("checkrein docs events", "to list the events")}},
	{"host-cannot", areaHooks, Warn, "an installed agent does not do what the hook asks for on this event", remedyList{message.Do("move it to an event that this agent honours"), message.Run("checkrein docs hosts", "to list them")}},
	{"never-fires", areaHooks, Warn, "an installed agent never fires the event, so the hook never runs there", remedyList{message.Do("move it to an event that the agent fires"), message.Run("checkrein docs hosts", "to list them")}},
	{"block-is-no-replacement", areaHooks, Warn, "a block after a tool call ends the run; it does not replace the output", remedyList{message.Do("replace output on tool_response_transform with updated_tool_response, or rewrite the call on pre_tool_use")}},
	{"denies-harmless", areaHooks, Warn, "the gate refuses even a harmless event, so it probably refuses everything", remedyList{message.Do("check its reason, and narrow what it refuses")}},
	{"overflow-veto", areaHooks, Warn, "the hook refuses compaction even when the context is full, so the session cannot continue", remedyList{message.Do("allow compactions whose reason is overflow")}},
	{"async-gate", areaHooks, Warn, "an asynchronous hook cannot block a call, because no one waits for its answer", remedyList{message.Do("to let it decide, set async: false")}},
	{"slow", areaHooks, Warn, "the hook is slow, and the agent waits for it at every event of this kind", remedyList{message.Do("make it faster, set async: true if it decides nothing, or use a builtin or a rule")}},
	{"matches-nothing", areaHooks, Warn, "the matcher matches no known tool", remedyList{message.Do("check the spelling; names are case-sensitive")}},
	{"never-found", areaHooks, Warn, "the expression can never match in the payload", remedyList{message.Do("remove the anchor, such as ^ or $")}},
	{"json-by-text", areaHooks, Warn, "a script searches the JSON payload for text that is written differently there, so it finds nothing", remedyList{message.Do("read the payload with a JSON parser: jq -r .tool_input.command")}},
	{"broken-json", areaHooks, Warn, "the hook passes its payload on as broken JSON, so it decides nothing", remedyList{message.Do("pass it on unchanged: let jq read stdin itself, or use printf '%s\\n' \"$INPUT\" | jq …, read -r; set -e")}},
	{"two-guards", areaHooks, Warn, "two hooks on one event do the same job, perhaps with different rules", remedyList{message.Do("keep one of them")}},
	{"same-hook", areaHooks, Info, "the same hook is declared twice; it runs once", remedyList{message.Do("remove one of them")}},
	{"private-messages", areaHooks, Warn, "a hook meant for files that leave the machine also changes the agent's messages to you", remedyList{message.Do("use it only where files leave the machine: in checkrein scan, or in a pre_push or scrub hook")}},
	{"payload-without-event", areaHooks, Error, "the payload does not name its event, so a script that checks the event does nothing", remedyList{message.Do("add event (or hook_event_name) to the payload")}},
	{"not-run", areaHooks, Info, "the hook was not run", nil},

	{"host-broken", areaHosts, Error, "checkrein's entries in an agent do not work", nil},
	{"wiring-gone", areaHosts, Error, "checkrein's entries are gone from an agent's files, so the agent no longer calls checkrein", nil},
	{"host-disabled", areaHosts, Error, "the agent has its hooks switched off", nil},
	{"host-untrusted", areaHosts, Error, "the agent does not trust checkrein's hooks, so it does not run them", nil},
	{"gate-not-wired", areaHosts, Error, "the agent does not call checkrein on an event where calls can be refused", nil},
	{"host-drift", areaHosts, Warn, "checkrein's entries in an agent differ from what this build would write", nil},
	{"host-elsewhere", areaHosts, Warn, "an agent calls checkrein with different directories from those that this terminal uses", nil},
	{"host-unseen", areaHosts, Warn, "no event from the agent has ever arrived", remedyList{message.Do("use the agent once"), message.Run("checkrein status", message.Then)}},
	{"host-silent", areaHosts, Error, "the agent's transcripts have calls that it did not ask checkrein about, although checkrein is installed", nil},
	{"host-ended", areaHosts, Warn, "sessions of an agent asked about calls after they said that they ended", nil},
	{"host-unstarted", areaHosts, Warn, "sessions of an agent asked about calls and never said that they began", nil},
	{"transcripts-unread", areaHosts, Warn, "a transcript of an agent cannot be read, or not all of it, so calls in it may be unseen", remedyList{message.Run("checkrein misses --since 7d", "")}},
	{"calls-unseen", areaHosts, Warn, "an agent's transcripts have calls of the last day that checkrein was not asked about", remedyList{message.Run("checkrein misses --since 1d", "")}},
	{"calls-denied-ran", areaHosts, Error, "a call ran although checkrein denied it, or wanted a person to be asked about it", remedyList{message.Run("checkrein misses --since 1d", "")}},
	{"calls-not-compared", areaHosts, Info, "calls of the last day were not compared with the ledger", remedyList{message.Run("checkrein misses --since 1d", "")}},
	{"host-not-installed", areaHosts, Info, "an agent on this machine does not call checkrein", nil},
	{"foreign-hooks", areaHosts, Warn, "a project file contains hooks that the agent runs without checkrein", remedyList{message.Do("review them: they run with your permissions as soon as you trust the folder")}},
	{"not-honoured", areaHosts, Error, "the installed build of an agent did not do what a verdict required", remedyList{message.Do("do not rely on that there: rewrite the call or deny it, use another layer such as git hooks, or install a build that passes checkrein prove")}},
	{"proof-stale", areaHosts, Warn, "an agent was updated after it was proven, so the rows that come with checkrein count", nil},
	{"proof-broken", areaHosts, Warn, "what was proven of an agent is not as checkrein wrote it on this machine, so the rows that come with checkrein count", nil},
	{"proof-lost", areaHosts, Warn, "a proof of an agent that this machine signed is gone: its file was removed, or replaced with an older one", nil},
	{"program-swapped", areaHosts, Error, "an agent's program is not the one that was proven, although its size and time are the same", nil},
	{"program-replaceable", areaHosts, Warn, "another user may replace an agent's program", nil},
	{"host-note", areaHosts, Info, "a note about an agent", nil},

	{"plugin-async", areaPlugins, Warn, "a plugin's handler is asynchronous, but its agent drops promises there, so the handler's result is lost", remedyList{message.Do("make the handler synchronous and load what it needs when the plugin is registered, or rewrite the call before the tool runs")}},
	{"plugin-shape", areaPlugins, Warn, "a plugin adds an incomplete bootstrap file, which crashes its agent", remedyList{message.Do("give each file all four fields: name, path, content and missing")}},

	{"ledger-damaged", areaLedger, Error, "the newest records were changed or damaged", remedyList{message.Run("checkrein audit verify", "for details"), message.Run("checkrein audit --help", "to see what you can do")}},
	{"ledger-not-writable", areaLedger, Error, "nothing can be recorded", remedyList{message.Do("make the directory (chmod 700) and its files (chmod 600) writable only for you, or free some disk space")}},
	{"ledger-missed", areaLedger, Warn, "calls could not be recorded", remedyList{message.Do("end the process that holds the ledger's lock, or free some disk space"), message.Run("checkrein audit query --kind gap", "to list the gaps")}},
	{"ledger-torn", areaLedger, Info, "a process died while writing a record; the next one cleans up", nil},
	{"ledger-empty", areaLedger, Info, "nothing is recorded yet", remedyList{message.Do("the ledger begins with the first event that an agent sends")}},

	{"state-unsafe", areaState, Error, "other users can change the state directory, so it is not used", nil},
	{"state-open", areaState, Warn, "other users can read the state directory", nil},
	{"state-locked", areaState, Error, "a lock has been held for too long", remedyList{message.Do("end the process that holds it; to find it, use fuser or lsof")}},
	{"state-leftover", areaState, Warn, "a killed process left files behind", remedyList{message.Do("remove them")}},
	{"state-odd", areaState, Error, "something in the state directory has the wrong file type, such as a link or a pipe, so it is not used", remedyList{message.Do("remove it")}},
	{"state-tampered", areaState, Error, "a file with your approvals, grants, pauses or switches is not as checkrein left it, so nothing in it counts", remedyList{message.Do("find out what changed it"), message.RunYourself("checkrein doctor --reseal", "to see what is in it and to seal it again")}},
	{"state-new", areaState, Error, "the state directory is not the one with which checkrein was installed: it was removed, and approvals, grants and records with it", remedyList{message.Do("find out what removed it"), message.RunYourself("checkrein install --all", message.Then), message.Do("approve your hooks again")}},
	{"state-unsealed", areaState, Warn, "an older version of checkrein left a file without a seal", remedyList{message.Run("checkrein status", "in your own terminal while no agent runs it; that seals the file")}},
	{"store-changed", areaState, Error, "a cache differs from what checkrein would build now: it is damaged, or another program changed it", remedyList{message.Do("find out what changed it; the cache is not used, and the next maintenance run rebuilds it"), message.Run("checkrein audit verify", "to check everything")}},
	{"key-open", areaState, Warn, "other users can read the ledger's key, so nothing is cached", remedyList{message.Do("run chmod 600 on the file, and find out who may have read it")}},
	{"state-large", areaState, Warn, "the state directory is larger than it should be", nil},

	{"companion-missing", areaVersions, Error, "one of the two programs is missing", remedyList{message.Do("install checkrein and checkreind side by side")}},
	{"other-build", areaVersions, Error, "the two programs are from different builds, so they do not trust each other", remedyList{message.Do("install both from one release")}},
	{"other-in-path", areaVersions, Warn, "the first checkrein in PATH is another one", remedyList{message.Do("remove one of them, or change the order in PATH")}},
	{"programs-writable", areaVersions, Info, "an agent that runs as you can write to the location of checkrein's programs, so only checkrein itself keeps it from replacing them", nil},

	{"models-missing", areaVersions, Error, "an agent or hook uses a model, but checkrein-models, the program that calls models, is missing", remedyList{message.Do("install checkrein-models of the same version, or build all programs from one checkout (make models)")}},
	{"models-other-build", areaVersions, Error, "checkrein-models and checkreind are from different builds, so no model is called", remedyList{message.Do("install all three programs from one build: make build models")}},
	{"models-variables", areaVersions, Info, "an environment variable that sets how models are reached is set, but hooks that ask a model ignore it", remedyList{message.Do("write base_url, proxy or ca_file under providers in your models.yaml")}},

	{"hookspath-missing", areaGit, Error, "core.hooksPath names a directory that does not exist, so git runs no hooks", remedyList{message.Run("git config core.hooksPath DIR", ""), message.Run("git config --unset core.hooksPath", "or, to use no directory")}},
	{"git-hook-not-executable", areaGit, Error, "git skips a hook that is not executable", nil},
	{"git-hook-led", areaGit, Error, "a repository setting can disable checkrein's git hook", remedyList{message.Run("checkrein git install", "to rewrite it"), message.Do("commit it")}},
	{"git-hook-program", areaGit, Error, "a git hook needs a program that is missing", remedyList{message.Do("install it, or correct the first line of the hook")}},
	{"git-hooks-inactive", areaGit, Warn, "the repository contains git hooks that are not in use here", nil},
	{"git-not-scanned", areaGit, Info, "git's own hooks do not run checkrein, so your commits and pushes are not scanned for secrets", remedyList{message.Run("checkrein git install", "")}},
	{"git-hooks-untracked", areaGit, Info, "this clone's git hooks are not committed, so other clones do not have them", remedyList{message.Do("commit them in a directory of the repository and set core.hooksPath to it")}},
}
