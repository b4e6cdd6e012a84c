// Package issuers lists who issues the tokens that are known by their shape, and on
// which network hosts they belong.
package issuers

//go:generate go run ../../shell/argv/gen

import "strings"

// An Issuer is someone who gives out tokens. They may go to its domains, in any place
// of a request, and nowhere else.
type Issuer struct {
	Name    string
	rules   string // what the ids of its rules begin with, a blank between them
	domains string // a blank between them
}

// Domains are the issuer's own.
func (i *Issuer) Domains() []string { return strings.Fields(i.domains) }

// Of returns who gave out what a rule of package secret finds, nil when that is not
// known.
func Of(rule string) *Issuer {
	for i := range table {
		for prefix := range strings.FieldsSeq(table[i].rules) {
			if strings.HasPrefix(rule, prefix) {
				return &table[i]
			}
		}
	}
	return nil
}

// Names lists the issuers, in the order of the table.
func Names() []string {
	out := make([]string, len(table))
	for i := range table {
		out[i] = table[i].Name
	}
	return out
}
