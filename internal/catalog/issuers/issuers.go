// Package issuers lists the issuers of tokens that are recognized by their form, and the network hosts
// that they belong to.
package issuers

//go:generate go run ../../shell/argv/gen

import "strings"

// An Issuer issues tokens. They may be sent to its domains, anywhere in a request, and to no other
// host.
type Issuer struct {
	Name    string
	rules   string // prefixes of the ids of its rules, separated by spaces
	domains string // its domains, separated by spaces
}

// Domains returns the domains of the issuer.
func (i *Issuer) Domains() []string { return strings.Fields(i.domains) }

// ForRule returns the issuer of the secrets that a rule of package secret finds, or nil if it is
// unknown.
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
