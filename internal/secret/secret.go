// Package secret finds secrets, personal data and private places in text, and redacts
// them. Its functions take text, and return spans or redacted text; findings never hold
// the values.
//
// One automaton scans the text once for the anchors of all rules. An anchor is a literal
// without which the rule cannot match. The reader of the rule then checks the text around
// the hit, in a window of bounded size. A few things, such as seed phrases and card
// numbers, have no anchor. Probes, which skip most of the text, find them.
//
// All tables are static data and nothing is compiled or built at start, because the
// program that links this package runs for a millisecond.
//
// The packages and files, each of which uses only those above it:
//
//	lex, decode       matchers; decoding
//	value, named      values without a recognisable form, and their names
//	rules             the rules, and the automaton over their anchors
//	search            the state of one search
//	reader, pii       the readers: for secrets; for personal data and private places
//	readers.go        the reader of each rule
//	finder.go         one pass over a text: hits, probes, and merging of findings
//	encoded_runs.go, seed_phrase.go, margins.go, repeated_passwords.go
//	                  the probes, for secrets without an anchor
//	decoded_text.go, json_escapes.go
//	                  searches of decoded text
//	cleaner.go, redact.go, json.go, stream.go
//	                  redaction
//	strict.go, random_runs.go
//	                  the strict level, for records, which prefers redacting too much
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

// An Info describes a rule for documentation.
type Info struct {
	ID    string
	Kind  rules.Kind
	About string
}

// Rules returns descriptions of all rules, sorted by id and without duplicate ids.
func Rules() []Info {
	list := make([]Info, 0, len(rules.Table))
	for i := range rules.Table {
		list = append(list, Info{rules.Table[i].ID, rules.Table[i].Kind, rules.Table[i].About})
	}
	return sortInfos(list)
}

// Find appends the findings of the kinds want in text to dst, in order. Findings never overlap: if
// several rules find the same thing, the finding names the most specific one.
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
