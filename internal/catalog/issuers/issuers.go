// Package issuers lists the issuers of tokens that can be recognized by their form, with the domains
// to which the tokens may be sent.
package issuers

//go:generate go run ../../shell/argv/gen

import "strings"

// An Issuer issues tokens, which may be sent to its domains in any part of a request, and to no other
// host.
type Issuer struct {
	Name    string
	rules   string // prefixes of the IDs of the rules that find its tokens, separated by spaces
	domains string // its domains, separated by spaces
}

// Domains returns the domains of the issuer.
func (i *Issuer) Domains() []string { return strings.Fields(i.domains) }

// ForRule returns the issuer of the secrets that the rule with this ID finds, or nil if it is unknown.
// The rules are those of package secret.
func ForRule(rule string) *Issuer {
	for i := range table {
		for prefix := range strings.FieldsSeq(table[i].rules) {
			if strings.HasPrefix(rule, prefix) {
				return &table[i]
			}
		}
	}
	return nil
}

// Names returns the names of the issuers, in the order of the table.
func Names() []string {
	out := make([]string, len(table))
	for i := range table {
		out[i] = table[i].Name
	}
	return out
}
