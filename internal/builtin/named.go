package builtin

import "github.com/checkrein/checkrein"

// A NamedRule is a rule by which a builtin that is on by default, or is a pack,
// decides beside the packs' own: by what lies at a path or in a text, not by a
// command.
type NamedRule struct {
	Name     string // PACK/RULE, as blocks name it
	Decision checkrein.Decision
	Reason   string
	Final    bool // no grant lifts it
}

// NamedRules lists them.
func NamedRules() []NamedRule { return namedRules[:] }

var namedRules = [...]NamedRule{
	{"self/config", checkrein.Deny, "changes or deletes checkrein's settings", true},
	{"self/state", checkrein.Deny, "changes or deletes what checkrein keeps: approvals, grants, the ledger", true},
	{"self/programs", checkrein.Deny, "changes, replaces, copies or links checkrein's programs", true},
	{"self/wiring", checkrein.Deny, "takes checkrein out of a host's files, or writes where that cannot be told", true},
	{"self/command", checkrein.Deny, "gives a command of checkrein that is not on its list for agents", true},
	{"self/found", checkrein.Deny, "changes what it finds by looking for checkrein's programs or files", true},
	{"self/typed", checkrein.Deny, "types a command of checkrein that is a person's to give into another terminal", true},
	{"self/key", checkrein.Deny, "reads the key of checkrein's ledger, with which grants can be forged", true},
	{"protect/around", checkrein.Ask, "starts an agent around its hooks, ends, limits or bends what guards one, or leaves out checkrein's hooks of git", false},
	{"protect/startup-files", checkrein.Ask, "changes a file that every new shell or program start runs", false},
	{"protect/git-hooks", checkrein.Ask, "changes what git runs by itself", false},
	{"protect/login", checkrein.Ask, "changes who may log in, and as whom", false},
	{"protect/cron", checkrein.Ask, "changes what the system runs by itself", false},
	{"protect/ssh-config", checkrein.Ask, "changes a setting by which ssh can run programs", false},
	{"protect/credentials", checkrein.Ask, "changes a file with keys or credentials that is there", false},
	{"protect/system", checkrein.Ask, "changes the system's configuration", false},
	{"protect/settings", checkrein.Ask, "changes a file that programs go by because a variable says so", false},
	{"protect/git-config", checkrein.Ask, "changes a setting by which git runs programs or goes elsewhere", false},
	{"protect/glob", checkrein.Deny, "changes a path that a person's configuration protects", false},
	{"protect/typing", checkrein.Deny, "starts a program into which the model may type without a hook being asked", false},
	{"protect/keys", checkrein.Ask, "types what cannot be read here into another terminal", false},
	{"protect/too-much", checkrein.Deny, "is too long to follow, and may change what is protected", false},
	{"secrets/file", checkrein.Ask, "writes a secret to a file that git tracks or would track", false},
	{"secrets/publish", checkrein.Deny, "publishes a secret as text that others can read", false},
	{"secrets/payload", checkrein.Deny, "gives a secret to a host that it does not belong to; one that is only guessed is asked for", false},
	{"secrets/message", checkrein.Deny, "sends a secret away with a tool for messages", false},
	{"secrets/tool", checkrein.Ask, "gives a secret to a tool of which it is not known what it does with it", false},
	{"secrets/marker", checkrein.Deny, "would have a marker where the secret belongs that it stands for", false},
	{"secrets/prompt", checkrein.Deny, "pastes a secret into a prompt (with the pack security_guard)", false},
	{"secrets/seed-phrase", checkrein.Deny, "sends a seed phrase in a message (with the pack security_guard)", false},
}
