package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// rule is how one kind of thing is known.
type rule struct {
	id      string
	kind    Kind
	by      reader
	anchors string // literals in lower case, a blank between them; a hit on any makes the rule look
	shape   string // of the token from the anchor on, or of the value behind a name
	before  string // the shape of what stands before the anchor and belongs to the token
	least   uint8  // the least entropy, in tenths of a bit a byte
	demands demand
	about   string
}

// A reader is who looks at a hit, by what it goes by: byURL looks for logins in URLs.
// What is not looked for at anchors has one too, for its rank.
type reader uint8

const (
	_ reader = iota
	byShape
	byAWSID
	byName
	byGeneric
	byPassword
	byCall
	byLiteral
	byTyping
	byClient
	bySet
	byCommand
	byLogin
	byTool
	byGiven
	bySecureString
	byPiped
	byEchoed
	byDecoded
	byWritten
	byURL
	byDSN
	byThin
	byCookie
	bySession
	byCurl
	byUserAndPassword
	byDockerAuth
	byHeader
	byBasic
	byJWK
	byJWT
	byKube
	byShown
	byNetrc
	byPgpass
	bySetUser
	byUserSetting
	byRun
	byKeyed
	byKeyBlock
	byPutty
	byDialogue
	byNewValue
	byIdentified
	byPair
	byParted
	byXprv
	byDigits
	byEmail
	byPhone
	byIPv4
	byIPv6
	byHost
	byPath
)

// demand is what a rule asks of a token beyond its shape.
type demand uint16

const (
	loose    demand = 1 << iota // may stand in the middle of a word; reaches to the end of the word
	digit                       // has a digit
	mixed                       // has letters of both cases
	odd                         // does not read like words
	inside                      // the anchor itself is no part of the secret
	long                        // may be longer than a window
	runs                        // long runs of one letter are part of the format
	worded                      // may be words
	exact                       // the name is the anchor
	checksum                    // may have the checksum of GitHub, and then needs nothing else
)

// ruleOf returns the index of the first rule with the id, or -1.
func ruleOf(id string) int {
	for i := range rules { // a function of each rule would copy it
		if rules[i].id == id {
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
	rule uint16
	len  uint8
}

// Guesses reports whether a rule goes by a name alone, so that what it finds is
// likely and not certain to be a secret.
func Guesses(rule string) bool {
	return rule == "generic-api-key" || rule == "generic-password" || rule == "table-password"
}

// accepts reports whether a token that has the rule's shape is good enough.
func (r *rule) accepts(token string) bool {
	if r.demands&checksum != 0 && hasGitHubChecksum(token) {
		return true
	}
	if r.demands&(digit|mixed|odd) != 0 {
		n := value.CountsOf(token)
		if r.demands&digit != 0 && n.Digits == 0 || r.demands&mixed != 0 && (n.Uppers == 0 || n.Lowers == 0) {
			return false
		}
		if r.demands&odd != 0 && value.ReadsLikeWords(token) {
			return false
		}
	}
	if len(token) > lex.MaxValue {
		token = token[:lex.MaxValue]
	}
	if r.least > 0 && value.Entropy(token)*10 < float64(r.least) {
		return false
	}
	return r.demands&runs != 0 || !value.IsFiller(token)
}

// SeedPhrase is the rule of seed phrases.
const SeedPhrase = "bip39-seed-phrase"
