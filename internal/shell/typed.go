package shell

// A Typed is a secret that is written in a command.
type Typed struct {
	Value   string
	Rule    string   // that knows it
	Issuers []string // domains of the one who gave it out; nil = nobody is known to have
}

// RuleTyped is the rule of effects that are about such a secret.
const RuleTyped = "typed-secret"
