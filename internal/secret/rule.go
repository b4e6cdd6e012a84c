package secret

import (
	"slices"
	"strings"
)

// rule is how one kind of thing is known.
type rule struct {
	id      string
	kind    Kind
	by      *reader
	anchors string // literals in lower case, a blank between them; a hit on any makes the rule look
	shape   string // of the token from the anchor on, or of the value behind a name
	before  string // the shape of what stands before the anchor and belongs to the token
	least   uint8  // the least entropy, in tenths of a bit a byte
	demands demand
	about   string
}

// A reader is how a hit is looked at. The readers are beside their functions, each
// as a variable that is named for what it goes by: rows hold byURL, and byURL
// holds lookURL. Functions of readers must not name the table, in which they
// are themselves: they have it as finder.rules.
type reader struct {
	// look looks at the anchor of the rule from start to end. What has no anchor
	// has no look: a probe finds it.
	look    func(f *finder, rule, start, end int)
	rank    rank
	repeats bool // what it finds are passwords, which are looked for near by once more
}

// rank orders rules that see the same thing: the larger knows better.
type rank int8

const (
	ofPlace   rank = iota // a private place
	ofPerson              // personal data
	ofName                // the value has a name that says something, and no shape
	ofContext             // the place says that it is a secret
	ofVendor              // the name is a vendor's, and the value has its shape
	ofShape               // the secret is known by itself
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

// ruleOf returns the index of the first rule with the id.
func (f *finder) ruleOf(id string) int { return indexOf(f.rules, id) }

func indexOf(rules []rule, id string) int {
	for i := range rules { // a function of each rule would copy it
		if rules[i].id == id {
			return i
		}
	}
	return -1
}

func sortInfos(list []Info) []Info {
	slices.SortStableFunc(list, func(a, b Info) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Info) bool { return a.ID == b.ID })
}
