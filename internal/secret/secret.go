// Package secret finds secrets, personal data and private places in text, and
// takes them out. It is what the guards look with: a text goes in, spans or a
// redacted text come out, and nothing that leaves this package holds what was
// found.
//
// One automaton reads the text once for all anchors, the literals without
// which no rule can match. A hit is looked at on the spot, in a window of
// bounded size, by the reader in the rule's row. Few things have no anchor, like
// seed phrases and card numbers; they have probes that jump over most of the
// text.
//
// All tables are static data and nothing is compiled or built at start, since
// the program that links this package lives for a millisecond.
//
// Where to look, from the bottom up; each imports those before it:
//
//	lex, decode       matchers; texts that are spelt otherwise
//	value, named      values without a shape, and how they are named
//	rules             what can be found, as rows, and the automaton over their anchors
//	search            the state of one search
//	reader, pii       who looks at the hits: places of secrets; people and places
//	readers.go        which rule is read by which reader
//	finder.go         one pass over a text: hits, probes, and which of two findings counts
//	encoded_runs.go, seed_phrase.go, margins.go, repeated_passwords.go
//	                  the probes, for what has no anchor
//	decoded_text.go, json_escapes.go
//	                  a search of what is spelt otherwise
//	cleaner.go, redact.go, json.go, stream.go
//	                  taking out what was found
//	strict.go, random_runs.go
//	                  the strict level, for what is written down: rather too much than too little
//	memory.go         what was searched before, in the course of one event
package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// Kind is a set of the kinds of things that can be found.
type Kind = rules.Kind

const (
	Secrets  = rules.Secrets  // tokens, keys, passwords
	Personal = rules.Personal // e-mail addresses, phone, card and account numbers
	Private  = rules.Private  // private addresses, internal host names, machine paths

	All = rules.All
)

// SeedPhrase is the rule of seed phrases.
const SeedPhrase = rules.SeedPhrase

// Guesses reports whether a rule goes by a name alone, so that what it finds is
// likely and not certain to be a secret.
func Guesses(rule string) bool { return rules.Guesses(rule) }

// A Finding is where something was found. It never holds what was found.
type Finding struct {
	Rule       string
	Kind       rules.Kind
	Start, End int // the span of the secret itself, in bytes
}

// Info describes a rule, for documents.
type Info struct {
	ID    string
	Kind  rules.Kind
	About string
}

// Rules lists the rules in the order of their ids.
func Rules() []Info {
	list := make([]Info, 0, len(rules.Table))
	for i := range rules.Table {
		list = append(list, Info{rules.Table[i].ID, rules.Table[i].Kind, rules.Table[i].About})
	}
	return sortInfos(list)
}

// Find appends what it finds of the wanted kinds in text to dst, in order.
// Findings never overlap: of several rules that see the same thing, the most
// specific one is named.
func Find(dst []Finding, text string, want rules.Kind) []Finding {
	f := search.New(text, want)
	findAll(&f)
	return appendFindings(&f, dst)
}

func sortInfos(list []Info) []Info {
	slices.SortStableFunc(list, func(a, b Info) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Info) bool { return a.ID == b.ID })
}
