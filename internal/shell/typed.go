package shell

// A TypedSecret is a secret in the text of a command.
type TypedSecret struct {
	Value   string
	Rule    string   // the rule that detected it
	Issuers []string // domains of its issuer; nil = unknown
}

// RuleTyped is the rule of effects that send a [TypedSecret].
const RuleTyped = "typed-secret"
