package rules

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// A Rule describes how one kind of finding is recognised.
type Rule struct {
	ID      string
	Kind    Kind
	By      reader
	Anchors string // lower-case literals, separated by spaces; a hit on one of them calls the rule's reader
	Shape   string // the shape of the token from the anchor, or of the value after a name; see package lex
	Before  string // the shape of the part of the token before the anchor
	Least   uint8  // the minimum entropy in tenths of a bit per byte
	Demands demand
	About   string
}

// A demand is a set of requirements for a token beyond its shape.
type demand uint16

const (
	Loose    demand = 1 << iota // may start in the middle of a word, and extends to its end
	digit                       // must have a digit
	mixed                       // must have letters of both cases
	odd                         // must not read like words
	Inside                      // does not include the anchor
	Long                        // may be longer than lex.Window
	runs                        // may have long runs of one letter
	Worded                      // may consist of words
	Exact                       // must have a name that equals the anchor
	Checksum                    // needs nothing else if it has GitHub's checksum
)

// IndexOf returns the index in Table of the first rule with the given id, or -1 if there is none.
func IndexOf(id string) int {
	for i := range Table { // slices.IndexFunc would copy each rule
		if Table[i].ID == id {
			return i
		}
	}
	return -1
}

// A Kind is a set of kinds of findings.
type Kind uint8

const (
	Secrets  Kind = 1 << iota // tokens, keys, passwords
	Personal                  // e-mail addresses, phone, card and account numbers
	Private                   // private addresses, internal host names, machine paths

	All = Secrets | Personal | Private
)

// String returns "secret", "personal" or "private", the first that k contains.
func (k Kind) String() string {
	switch {
	case k&Secrets != 0:
		return "secret"
	case k&Personal != 0:
		return "personal"
	}
	return "private"
}

// A hit is a rule whose anchor ends at a state of the automaton, with the length of the anchor.
type hit struct {
	Rule uint16
	Len  uint8
}

// ReliesOnName reports whether rule recognises a value only by its name, so that its findings are
// likely but not certain to be secrets.
func ReliesOnName(rule string) bool {
	return rule == "generic-api-key" || rule == "generic-password" || rule == "table-password"
}

// Accepts reports whether token, which has the rule's shape, meets its other requirements.
func (r *Rule) Accepts(token string) bool {
	if r.Demands&Checksum != 0 && hasGitHubChecksum(token) {
		return true
	}
	if r.Demands&(digit|mixed|odd) != 0 {
		n := value.CountBytes(token)
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

// SeedPhrase is the id of the rule for seed phrases of wallets.
const SeedPhrase = "bip39-seed-phrase"
