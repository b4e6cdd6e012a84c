package secretguard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/issuers"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// An ownIssuer is a server of the user that issues tokens of a known form.
type ownIssuer struct{ name, domain string }

// newOwnIssuer returns the issuer name at domain, or an error if no known issuer has that name.
func newOwnIssuer(name, domain string) (ownIssuer, error) {
	if !slices.Contains(issuers.Names(), name) {
		return ownIssuer{}, fmt.Errorf("unknown issuer %q%s", name, suggest.Hint(name, issuers.Names()))
	}
	return ownIssuer{name, strings.ToLower(domain)}, nil
}

// issuerDomains returns the domains that may receive secrets found by rule, or nil if their issuer is
// unknown.
func (k *defaultGuard) issuerDomains(rule string) []string {
	by := issuers.ForRule(rule)
	if by == nil {
		return nil
	}
	out := by.Domains()
	for _, own := range k.issuers {
		if own.name == by.Name {
			out = append(out, own.domain)
		}
	}
	return out
}

// inDomains reports whether a host is one of domains or below one.
func inDomains(host string, domains []string) bool {
	for _, d := range domains {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}
