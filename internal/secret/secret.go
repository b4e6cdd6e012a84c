// Package secret finds secrets, personal data and private places in text, and
// removes them. A text goes in, spans or a redacted text come out; findings never
// hold the values.
//
// One automaton scans the text once for all anchors, the literals without which no
// rule can match. The reader in the rule's row checks a hit at once, in a window of
// bounded size. Few things have no anchor, such as seed phrases and card numbers;
// probes find them, which skip most of the text.
//
// All tables are static data and nothing is compiled or built at start, because the
// program that links this package runs for a millisecond.
//
// Where to look, from the bottom up; each imports those before it:
//
//	lex, decode       matchers; encoded texts
//	value, named      values without a form of their own, and their names
//	rules             the rules, and the automaton over their anchors
//	search            the state of one search
//	reader, pii       the readers of hits: for secrets; for personal data and places
//	readers.go        the reader of each rule
//	finder.go         one pass over a text: hits, probes, and which of two findings counts
//	encoded_runs.go, seed_phrase.go, margins.go, repeated_passwords.go
//	                  the probes, for secrets without an anchor
//	decoded_text.go, json_escapes.go
//	                  searches of decoded text
//	cleaner.go, redact.go, json.go, stream.go
//	                  removing findings
//	strict.go, random_runs.go
//	                  the strict level, for records: prefer removing too much
//	memory.go         the cache of searches for one event
package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Kind is a set of kinds of findings.
type Kind = rules.Kind

const (
	Secrets  = rules.Secrets  // tokens, keys, passwords
	Personal = rules.Personal // e-mail addresses, phone, card and account numbers
	Private  = rules.Private  // private addresses, internal host names, machine paths

	All = rules.All
)

// SeedPhrase is the id of the rule for seed phrases of wallets.
const SeedPhrase = rules.SeedPhrase

// ReliesOnName reports whether rule recognises a value only by its name, so that its findings are
// likely but not certain to be secrets.
func ReliesOnName(rule string) bool { return rules.ReliesOnName(rule) }

// A Finding is the span of a secret or other finding. It never holds the value.
type Finding struct {
	Rule       string
	Kind       rules.Kind
	Start, End int // the span of the secret itself, in bytes
}

// An Info describes a rule, for documentation.
type Info struct {
	ID    string
	Kind  rules.Kind
	About string
}

// Rules returns the rules, sorted by id.
func Rules() []Info {
	list := make([]Info, 0, len(rules.Table))
	for i := range rules.Table {
		list = append(list, Info{rules.Table[i].ID, rules.Table[i].Kind, rules.Table[i].About})
	}
	return sortInfos(list)
}

// Find appends the findings of the wanted kinds in text to dst, in order. Findings never overlap: if
// several rules find the same thing, the most specific one is named.
func Find(dst []Finding, text string, want rules.Kind) []Finding {
	f := search.New(text, want)
	findAll(&f)
	return appendFindings(&f, dst)
}

// sortInfos sorts list by id and removes duplicates.
func sortInfos(list []Info) []Info {
	slices.SortStableFunc(list, func(a, b Info) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Info) bool { return a.ID == b.ID })
}
