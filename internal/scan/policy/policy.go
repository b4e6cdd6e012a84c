// Package policy says what may not leave: which of the things that package
// secret finds count, how much, where, and what somebody allowed with a reason.
//
// A policy is read from a file or is one of the bundled ones. What it finds has
// a place and a rule and never the text. Everything here works on one text at a
// time; package boundary brings the texts.
package policy

import (
	"github.com/checkrein/checkrein/internal/secret"
)

// Severity is how much a finding counts.
type Severity uint8

// The severities. Only a Block makes a scan fail.
const (
	Off   Severity = iota // is not looked for
	Info                  // is shown
	Warn                  // is shown, and taken out by scrub
	Block                 // may not leave
)

// String returns the severity as files write it.
func (s Severity) String() string { return severities[s] }

var severities = [...]string{"off", "info", "warn", "block"}

// A Finding is something that a policy objects to in a text. It never holds
// what was found.
type Finding struct {
	Rule       string // of package secret, or the name of a pattern; words are WordRule
	Kind       string // secret, personal, private, custom; policy = about an ignore that is none; integrity = of ObjectRule
	Severity   Severity
	Start, End int // bytes of the text
	Line       int // from 1
	Column     int // in bytes, from 1
	// Allowed is why the finding does not count: ignored, allowed or in the
	// baseline, with the reason. "" = it counts.
	Allowed string
}

// Counts reports whether nobody allowed the finding.
func (f *Finding) Counts() bool { return f.Allowed == "" }

// Blocks reports whether the finding may not leave.
func (f *Finding) Blocks() bool { return f.Severity == Block && f.Allowed == "" }

// Names of rules that are not package secret's.
const (
	WordRule   = "word"
	IgnoreRule = "ignore-without-reason"
	ObjectRule = "object-content" // of no text: git's object is not what its name says
)

// A Policy is a set of rules that was read and checked. It is safe for
// concurrent use; nothing changes it after it was made but [Policy.Use].
type Policy struct {
	Name string // of a bundled policy, or what the file calls itself
	Base string // the bundled policy that it is or extends; "" = none
	File string // where it was read; "" = bundled
	// Notes are what a person should know: allow entries that are over.
	Notes []string

	rows     []row // later ones win
	patterns []*pattern
	words    []word
	hosts    []hostGlob
	paths    paths
	allow    []allowance
	inline   bool // checkrein:ignore counts
	guard    bool // the file is content-guard's, so its own comments count too
	baseline *Baseline

	// floor is what stays in force beside a project's policy, which can only
	// tighten it; nil = this policy counts as it is.
	floor  *Policy
	trusts []string // policies of projects that count as they are
}

// InlineIgnores reports whether a comment on the line can excuse a finding.
func (p *Policy) InlineIgnores() bool { return p.inline }

// layers are the policies that say something about a path.
func (p *Policy) layers(path string) (list [2]*Policy) {
	if p.paths.fit(path) {
		list[0] = p
	}
	if p.floor != nil && p.floor.paths.fit(path) {
		list[1] = p.floor
	}
	return list
}

// A row sets the severity of a rule or of a set of rules.
type row struct {
	name     string
	severity Severity
	paths    paths
	kind     secret.Kind // what the engine must look for; 0 of a bundled row: its set has it
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

// setOf returns the set that a rule of package secret is in.
func setOf(rule string, kind secret.Kind) string {
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

// setKind is what the engine must look for to find a set.
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
