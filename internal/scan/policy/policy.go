// Package policy defines what must not leave a repository or machine: which findings of
// package secret matter, how severe they are in which files, and which are allowed for a
// reason.
//
// A policy is read from a file or is one of the bundled ones. Its findings have a position
// and a rule, but never the found text. The functions work on one text at a time; package
// scan provides the texts.
package policy

import (
	"github.com/checkrein/checkrein/internal/secret"
)

// A Severity is how severe a finding is.
type Severity uint8

// The severities. Only a Block makes a scan fail.
const (
	Off   Severity = iota // not searched for
	Info                  // shown
	Warn                  // shown, and removed by scrub
	Block                 // makes a scan fail
)

// String returns the severity as it is written in files.
func (s Severity) String() string { return severities[s] }

var severities = [...]string{"off", "info", "warn", "block"}

// A Finding is something in a text that a policy forbids. It never contains the found text.
type Finding struct {
	Rule       string // a rule of package secret, the name of a pattern, WordRule, IgnoreRule or ObjectRule
	Kind       string // secret, personal, private or custom; policy for an invalid ignore comment; integrity for ObjectRule
	Severity   Severity
	Start, End int // byte offsets in the text
	Line       int // from 1
	Column     int // in bytes, from 1
	// Allowed is why the finding does not count: it is ignored, allowed or in the baseline, with
	// the reason. "" means that it counts.
	Allowed string
}

// Counts reports whether the finding is not allowed.
func (f *Finding) Counts() bool { return f.Allowed == "" }

// Blocks reports whether the finding makes a scan fail: it has the severity Block and is not allowed.
func (f *Finding) Blocks() bool { return f.Severity == Block && f.Allowed == "" }

// Names of rules that are not in package secret.
const (
	WordRule   = "word"
	IgnoreRule = "ignore-without-reason"
	ObjectRule = "object-content" // a git object does not match its id
)

// A Policy is a validated set of rules. It is safe for concurrent use; only [Policy.SetBaseline]
// changes it.
type Policy struct {
	Name string // the name of the bundled policy, or the name in the file
	Base string // the bundled policy that it is or extends; "" means none
	File string // the file it was read from; "" for a bundled policy
	// Notes are remarks for the user, such as expired allow entries.
	Notes []string

	rows     []row // later rows take precedence
	patterns []*pattern
	words    []word
	hosts    []hostGlob
	paths    pathFilter
	allow    []allowance
	inline   bool // checkrein:ignore comments allow findings
	guard    bool // the file is a content-guard policy, so its own comments allow findings too
	baseline *Baseline

	// floor is the policy that stays in force together with a project's policy, which can only
	// tighten it. It is nil for other policies.
	floor  *Policy
	trusts []string // policy files of projects that may replace this policy
}

// AllowsInlineIgnore reports whether a comment on the line of a finding can allow it.
func (p *Policy) AllowsInlineIgnore() bool { return p.inline }

// layers returns p and its floor, or nil in place of those that do not apply to path.
func (p *Policy) layers(path string) (list [2]*Policy) {
	if p.paths.includes(path) {
		list[0] = p
	}
	if p.floor != nil && p.floor.paths.includes(path) {
		list[1] = p.floor
	}
	return list
}

// A row sets the severity of a rule or of a rule set.
type row struct {
	name     string
	severity Severity
	paths    pathFilter
	kind     secret.Kind // the kind that package secret must search for; 0 in bundled rows, where the set determines it
}

// Names of rule sets.
const (
	setSecrets   = "secrets"
	setPII       = "pii"
	setAddresses = "private_addresses"
	setHosts     = "internal_hosts"
	setPaths     = "machine_paths"
	setPatterns  = "patterns"
	setWords     = "words"
)

var setNames = []string{setSecrets, setPII, setAddresses, setHosts, setPaths, setPatterns, setWords}

// ruleSetOfRule returns the name of the rule set that rule, a rule of package secret with the given
// kind, belongs to.
func ruleSetOfRule(rule string, kind secret.Kind) string {
	switch {
	case kind == secret.Secrets:
		return setSecrets
	case kind == secret.Personal:
		return setPII
	case rule == "internal-hostname":
		return setHosts
	case rule == "machine-path":
		return setPaths
	}
	return setAddresses
}

// setKind returns the kind that package secret must search for to find the rule set name, or 0.
func setKind(name string) secret.Kind {
	switch name {
	case setSecrets:
		return secret.Secrets
	case setPII:
		return secret.Personal
	case setAddresses, setHosts, setPaths:
		return secret.Private
	}
	return 0
}
