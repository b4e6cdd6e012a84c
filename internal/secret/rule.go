package secret

import (
	"slices"
	"strings"
)

// rule is how one kind of thing is known.
type rule struct {
	id      string
	kind    Kind
	by      method
	anchors string // literals in lower case, a blank between them; a hit on any makes the rule look
	shape   string // of the token from the anchor on, or of the value behind a name
	before  string // the shape of what stands before the anchor and belongs to the token
	least   uint8  // the least entropy, in tenths of a bit a byte
	demands demand
	about   string
}

// method says how a hit is looked at. Each has a case in finder.look.
type method uint8

const (
	byRun        method = iota // has no anchor: a probe finds it
	byShape                    // the anchor starts the token, or follows what before says
	byName                     // the anchor is in a name, and the value has the shape
	byDockerAuth               // the rest have a reader of their own
	byKube
	byKeyBlock
	byPutty
	byJWT
	byXprv
	byHeader
	byCurl
	byURL
	byNetrc
	byPgpass
	byCommand
	byLogin
	byPiped
	byIdentified
	bySecureString
	byThin
	byJWK
	byCookie
	bySession
	byPair
	byParted
	byLiteral
	byCall
	byTyping
	byUserAndPassword
	byKeyed
	byGiven
	byEchoed
	byDSN
	byShown
	byDecoded
	byBasic
	byClient
	byTool
	bySet
	byDialogue
	byWritten
	bySetUser
	byUserSetting
	byNewValue
	byGeneric
	byPassword
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

// rank orders rules that see the same thing: the larger knows better.
func (r *rule) rank() int {
	switch {
	case r.kind != Secrets:
		return int(Private/r.kind) - int(Private)
	case r.by == byGeneric || r.by == byPassword:
		return 1
	case r.by == byName:
		return 3
	case r.by == byShape, r.by == byRun, r.by == byKeyBlock, r.by == byJWT, r.by == byXprv:
		return 4
	}
	return 2
}

// ruleOf returns the index of the first rule with the id.
func ruleOf(id string) int {
	return slices.IndexFunc(rules[:], func(r rule) bool { return r.id == id })
}

func sortInfos(list []Info) []Info {
	slices.SortStableFunc(list, func(a, b Info) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Info) bool { return a.ID == b.ID })
}
