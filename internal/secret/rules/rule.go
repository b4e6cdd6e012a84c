package rules

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// Rule is how one kind of thing is known.
type Rule struct {
	ID      string
	Kind    Kind
	By      reader
	Anchors string // literals in lower case, a blank between them; a hit on any makes the rule look
	Shape   string // of the token from the anchor on, or of the value behind a name
	Before  string // the shape of what stands before the anchor and belongs to the token
	Least   uint8  // the least entropy, in tenths of a bit a byte
	Demands demand
	About   string
}

// demand is what a rule asks of a token beyond its shape.
type demand uint16

const (
	Loose    demand = 1 << iota // may stand in the middle of a word; reaches to the end of the word
	digit                       // has a digit
	mixed                       // has letters of both cases
	odd                         // does not read like words
	Inside                      // the anchor itself is no part of the secret
	Long                        // may be longer than a window
	runs                        // long runs of one letter are part of the format
	Worded                      // may be words
	Exact                       // the name is the anchor
	Checksum                    // may have the checksum of GitHub, and then needs nothing else
)

// Index returns the index of the first rule with the id, or -1.
func Index(id string) int {
	for i := range Table { // a function of each rule would copy it
		if Table[i].ID == id {
			return i
		}
	}
	return -1
}

// Kind is a set of the kinds of things that can be found.
type Kind uint8

const (
	Secrets  Kind = 1 << iota // tokens, keys, passwords
	Personal                  // e-mail addresses, phone, card and account numbers
	Private                   // private addresses, internal host names, machine paths

	All = Secrets | Personal | Private
)

// String returns secret, personal or private.
func (k Kind) String() string {
	switch {
	case k&Secrets != 0:
		return "secret"
	case k&Personal != 0:
		return "personal"
	}
	return "private"
}

// hit is a rule to ask at a state of the automaton, and how long the anchor is
// that just ended.
type hit struct {
	Rule uint16
	Len  uint8
}

// Guesses reports whether a rule goes by a name alone, so that what it finds is
// likely and not certain to be a secret.
func Guesses(rule string) bool {
	return rule == "generic-api-key" || rule == "generic-password" || rule == "table-password"
}

// Accepts reports whether a token that has the rule's shape is good enough.
func (r *Rule) Accepts(token string) bool {
	if r.Demands&Checksum != 0 && hasGitHubChecksum(token) {
		return true
	}
	if r.Demands&(digit|mixed|odd) != 0 {
		n := value.CountsOf(token)
		if r.Demands&digit != 0 && n.Digits == 0 || r.Demands&mixed != 0 && (n.Uppers == 0 || n.Lowers == 0) {
			return false
		}
		if r.Demands&odd != 0 && value.ReadsLikeWords(token) {
			return false
		}
	}
	if len(token) > lex.MaxValue {
		token = token[:lex.MaxValue]
	}
	if r.Least > 0 && value.Entropy(token)*10 < float64(r.Least) {
		return false
	}
	return r.Demands&runs != 0 || !value.IsFiller(token)
}

// SeedPhrase is the rule of seed phrases.
const SeedPhrase = "bip39-seed-phrase"
