package guard

import "github.com/checkrein/checkrein"

// A NamedRule is a rule that is not part of a pack but of a builtin. It decides by a path or a text,
// not by the effects of a command.
type NamedRule struct {
	Name     string // PACK/RULE, as in verdicts
	Decision checkrein.Decision
	Reason   string
	Final    bool // no grant lifts it
}

// NamedRules returns all named rules.
func NamedRules() []NamedRule { return namedRules[:] }

var namedRules = [...]NamedRule{
	{"self/config", checkrein.Deny, "changes or deletes checkrein's settings", true},
	{"self/state", checkrein.Deny, "changes or deletes checkrein's state: approvals, grants, the ledger", true},
	{"self/programs", checkrein.Deny, "changes, replaces, copies or links checkrein's programs", true},
	{"self/wiring", checkrein.Deny, "removes checkrein from an agent's files, or changes them unpredictably", true},
	{"self/command", checkrein.Deny, "runs a checkrein command that agents may not run", true},
	{"self/found", checkrein.Deny, "searches for checkrein's programs or files and changes what it finds", true},
	{"self/typed", checkrein.Deny, "types a checkrein command that only the user may run into another terminal", true},
	{"self/transcript", checkrein.Deny, "changes, moves or deletes a transcript of an agent's calls, or hides it", true},
	{"self/before-commands", checkrein.Deny, "changes a file that an agent runs before each command, such as its snapshot of your shell", true},
	{"self/key", checkrein.Deny, "reads a secret key of checkrein, which can be used to forge grants or proofs", true},
	{"protect/unnamed", checkrein.Ask, "puts files of unknown names into a folder with checkrein's programs, settings or wiring", false},
	{"protect/around", checkrein.Ask, "starts an agent without hooks, stops or changes an agent's guards, or skips checkrein's Git hooks", false},
	{"protect/startup-files", checkrein.Ask, "changes a file that every new shell or program start runs", false},
	{"protect/git-hooks", checkrein.Ask, "changes Git's hooks or configuration", false},
	{"protect/run-later", checkrein.Ask, "puts a program into a directory of PATH, or writes a setting whose command programs run by themselves", false},
	{"protect/login", checkrein.Ask, "changes who may log in and as which user", false},
	{"protect/agent-commands", checkrein.Ask, "changes settings with commands that agents run, in a way that cannot be predicted", false},
	{"protect/cron", checkrein.Ask, "changes jobs that the system runs automatically", false},
	{"protect/ssh-config", checkrein.Ask, "changes an ssh setting that can run programs", false},
	{"protect/credentials", checkrein.Ask, "changes an existing file with keys or credentials", false},
	{"protect/system", checkrein.Ask, "changes the system's configuration", false},
	{"protect/settings", checkrein.Ask, "changes a file that an environment variable makes programs use", false},
	{"protect/git-config", checkrein.Ask, "changes a Git setting that makes Git run programs or use another directory", false},
	{"protect/glob", checkrein.Deny, "changes a path that the user's configuration protects", false},
	{"protect/typing", checkrein.Deny, "starts a program that the model can type into unseen by hooks", false},
	{"protect/keys", checkrein.Ask, "types unreadable text into another terminal", false},
	{"protect/too-much", checkrein.Deny, "is too long to follow and may change protected files", false},
	{"secrets/file", checkrein.Ask, "writes a secret to a file that git tracks or would track", false},
	{"secrets/shown", checkrein.Deny, "reads a file with secrets in it, on an agent that is known to give the model what checkrein replaced", false},
	{"secrets/publish", checkrein.Deny, "publishes a secret as text that others can read", false},
	{"secrets/payload", checkrein.Deny, "gives a secret to a host that it does not belong to; for a possible secret, checkrein only asks", false},
	{"secrets/message", checkrein.Deny, "sends a secret with a messaging tool", false},
	{"secrets/tool", checkrein.Ask, "gives a secret to a tool with unknown effects", false},
	{"secrets/marker", checkrein.Deny, "would write a marker where the secret itself belongs", false},
	{"secrets/prompt", checkrein.Deny, "pastes a secret into a prompt (with the pack security_guard)", false},
	{"secrets/seed-phrase", checkrein.Deny, "sends a seed phrase in a message (with the pack security_guard)", false},
}
