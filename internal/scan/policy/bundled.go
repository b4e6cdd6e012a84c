package policy

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A bundle is a policy that comes with the program.
type bundle struct {
	name, about string
	rows        []row
	inline      bool
}

// Default is the name of the policy for projects that have none.
const Default = "public-repo"

// Private is the name of the policy for repositories that are not public.
const Private = "private-repo"

// bundles lists the policies that come with the program. The history of every repository contains
// e-mail addresses and phone numbers, so they only warn there. A message may name a host that its
// recipient knows.
var bundles = [...]bundle{
	{"public-repo", "content that must not be in a public repository", []row{
		{name: setSecrets, severity: Block}, {name: setPII, severity: Block}, {name: setAddresses, severity: Block}, {name: setHosts, severity: Block},
		{name: setPaths, severity: Warn}, {name: "email-address", severity: Warn}, {name: "phone-number", severity: Warn},
		{name: setPatterns, severity: Block}, {name: setWords, severity: Block},
	}, true},
	{Private, "secrets, which must not be in any repository", []row{
		{name: setSecrets, severity: Block}, {name: setPatterns, severity: Block}, {name: setWords, severity: Block},
	}, true},
	{"public-content", "pages, posts and artifacts that anyone may read", []row{
		{name: setSecrets, severity: Block}, {name: setPII, severity: Block}, {name: setAddresses, severity: Block}, {name: setHosts, severity: Block},
		{name: setPaths, severity: Block}, {name: setPatterns, severity: Block}, {name: setWords, severity: Block},
	}, false},
	{"pr-draft", "titles and bodies of pull requests and issues", []row{
		{name: setSecrets, severity: Block}, {name: setPII, severity: Block}, {name: setAddresses, severity: Block}, {name: setHosts, severity: Block},
		{name: setPaths, severity: Block}, {name: "email-address", severity: Warn}, {name: setPatterns, severity: Block}, {name: setWords, severity: Block},
	}, false},
	{"outbound-message", "messages sent to others", []row{
		{name: setSecrets, severity: Block}, {name: setPII, severity: Block}, {name: setAddresses, severity: Warn}, {name: setHosts, severity: Warn},
		{name: setPaths, severity: Info}, {name: "email-address", severity: Info}, {name: "phone-number", severity: Info},
		{name: setPatterns, severity: Block}, {name: setWords, severity: Block},
	}, false},
}

// BundledNames returns the names of the policies that come with the program.
func BundledNames() []string {
	names := make([]string, len(bundles))
	for i := range bundles {
		names[i] = bundles[i].name
	}
	return names
}

// LoadBundled returns a copy of the bundled policy name. The caller may set a baseline.
func LoadBundled(name string) (*Policy, error) {
	for i := range bundles {
		if b := &bundles[i]; b.name == name {
			return &Policy{Name: name, Base: name, rows: b.rows[:len(b.rows):len(b.rows)], inline: b.inline}, nil
		}
	}
	return nil, fmt.Errorf("unknown bundled policy %q%s", name, suggest.HintOr(name, BundledNames(), "use public-repo, private-repo, public-content, pr-draft or outbound-message"))
}
