package policy

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// testToken returns a token. It is assembled at run time, so that no scanner finds it in this file.
func testToken() string { return "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ" }

// formatFindings returns the findings of p in text that are not allowed, each as line:column rule
// severity.
func formatFindings(p *Policy, path, text string) string {
	var list []string
	for _, f := range p.Find(nil, path, []byte(text)) {
		if f.Counts() {
			list = append(list, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Rule, f.Severity))
		}
	}
	return strings.Join(list, "; ")
}

func TestFind(t *testing.T) {
	t.Parallel()
	const all = "jane.roe@acme.io at 10.1.2.3, db-1.corp.internal, /home/jroe/x"
	for _, test := range []struct{ name, policy, path, text, want string }{
		{"default", "", "", all, "1:1 email-address warn; 1:21 private-ipv4 block; 1:31 internal-hostname block; 1:51 machine-path warn"},
		{"a secret", "", "", "a\n b " + testToken(), "2:4 github-pat block"},
		{"a set off", "rules: {pii: off, email-address: off, machine_paths: off}", "", all, "1:21 private-ipv4 block; 1:31 internal-hostname block"},
		{"a set off but for a rule", "rules: {pii: off, machine_paths: off, internal_hosts: false, private_addresses: off}", "", all, "1:1 email-address warn"},
		{"one rule only", "{extends: none, rules: {email-address: info}}", "", all, "1:1 email-address info"},
		{"nothing", "extends: none", "", all + testToken(), ""},
		{"severities", "rules: {pii: warn, email-address: block, machine_paths: info}", "", all, "1:1 email-address block; 1:21 private-ipv4 block; 1:31 internal-hostname block; 1:51 machine-path info"},
		{"a rule's paths", "rules: {email-address: {severity: block, include: ['docs/**']}}", "docs/a.md", "jane.roe@acme.io", "1:1 email-address block"},
		{"not a rule's paths", "rules: {email-address: {severity: block, include: ['docs/**']}}", "src/a.md", "jane.roe@acme.io", ""},
		{"excluded for a rule", "rules: {email-address: {severity: block, exclude: [testdata]}}", "a/testdata/b.txt", "jane.roe@acme.io", ""},
		{"excluded", "exclude: [vendor/]", "vendor/a.go", testToken(), ""},
		{"excluded below", "exclude: [vendor/]", "x/vendor/a.go", testToken(), ""},
		{"excluded at the top", "exclude: [/vendor]", "x/vendor/a.go", testToken(), "1:1 github-pat block"},
		{"not included", "include: [src]", "docs/a", testToken(), ""},
		{"included", "include: [src]", "src/a/b", testToken(), "1:1 github-pat block"},
		{"no path", "{include: [src], exclude: ['**']}", "", testToken(), "1:1 github-pat block"},

		{"a pattern", "patterns: [{name: badge, regex: 'EMP-[0-9]{6}'}]", "", "an EMP-123456", "1:4 badge block"},
		{"a pattern's severity", "patterns: [{name: badge, regex: 'EMP-[0-9]{6}', severity: info}]", "", "an EMP-123456", "1:4 badge info"},
		{"a pattern's row", "{patterns: [{name: badge, regex: 'EMP-[0-9]{6}', severity: info}], rules: {badge: warn}}", "", "an EMP-123456", "1:4 badge warn"},
		{"patterns' row", "{patterns: [{name: badge, regex: 'EMP-[0-9]{6}'}], rules: {patterns: warn}}", "", "an EMP-123456", "1:4 badge warn"},
		{"a pattern's paths", "patterns: [{name: badge, regex: 'EMP', exclude: ['*.md']}]", "x/a.md", "EMP", ""},
		{"lines", "patterns: [{name: todo, regex: '^FIX$'}]", "", "a\nFIX\nFIX it\n", "2:1 todo block"},
		{"nothing matches nothing", "patterns: [{name: a, regex: 'q*'}]", "", "aaqq", "1:3 a block"},
		{"overlap", "patterns: [{name: tok, regex: 'gh._[a-zA-Z0-9]+'}]", "", testToken(), "1:1 github-pat block; 1:1 tok block"},

		{"words", "words: [Bluebird, 'red fox']", "", "bluebird BLUEBIRDS xbluebird (Red Fox) blue bird", "1:1 word block; 1:31 word block"},
		{"a word of others", "words: [пароль]", "", "это пароль.", "1:8 word block"},
		{"words' row", "{words: [bluebird], rules: {words: info}}", "", "Bluebird", "1:1 word info"},

		{"hosts", "internal_hosts: ['*.acme.example']", "", "see BUILD.ci.acme.example:8080 and acme.example", "1:5 internal-hostname block"},
		{"a host and below", "internal_hosts: [acme.test]", "", "acme.test, a.acme.test, notacme.test, acme.test.org", "1:1 internal-hostname block; 1:12 internal-hostname block"},
		{"a host's number", "internal_hosts: ['build-??.acme.test']", "", "build-07.acme.test build-7.acme.test", "1:1 internal-hostname block"},
		{"a host twice", "internal_hosts: ['*.corp.internal']", "", "db-1.corp.internal", "1:1 internal-hostname block"},
		{"hosts off", "{internal_hosts: ['*.acme.example'], rules: {internal_hosts: off}}", "", "a.acme.example", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := formatFindings(parse(t, test.policy), test.path, test.text); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestBundled(t *testing.T) {
	t.Parallel()
	text := []byte(testToken() + " jane.roe@acme.io 10.1.2.3 db-1.corp.internal /home/jroe/x")
	for name, want := range map[string]string{
		"public-repo":      "block warn block block warn",
		"public-content":   "block block block block block",
		"pr-draft":         "block warn block block block",
		"outbound-message": "block info warn warn info",
	} {
		p, err := LoadBundled(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range p.Find(nil, "", text) {
			got = append(got, f.Severity.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}

// TestFindDense checks that personal data and hosts that only look internal are not searched for in
// generated code, unlike hosts that the policy names and everything else.
func TestFindDense(t *testing.T) {
	t.Parallel()
	p := parse(t, "internal_hosts: ['*.acme.example']")
	text := testToken() + " jane.roe@acme.io 10.1.2.3 db-1.corp.internal a.acme.example"
	var got []string
	for _, f := range p.FindDense(nil, "", []byte(text)) {
		got = append(got, f.Rule)
	}
	if strings.Join(got, " ") != "github-pat private-ipv4 internal-hostname" {
		t.Errorf("found %v", got)
	}
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	tok := testToken()
	for _, test := range []struct{ name, text, want string }{
		{"with a reason", tok + " # checkrein:ignore an example of the docs", ""},
		{"of the rule in brackets", tok + " // checkrein:ignore [github-pat] an example", ""},
		{"of the rule", tok + " // checkrein:ignore github-pat an example", ""},
		{"of the rule and a colon", tok + " // checkrein:ignore github-pat: an example", ""},
		{"of the set", tok + " // checkrein:ignore [secrets] an example", ""},
		{"of several", tok + " 10.1.2.3 // checkrein:ignore [github-pat, private-ipv4] an example", ""},
		{"of another rule", tok + " // checkrein:ignore [private-ipv4] an example", "1:1 github-pat block"},
		{"of one of two", tok + " 10.1.2.3 // checkrein:ignore private-ipv4 an example", "1:1 github-pat block"},
		{"without a reason", tok + " # checkrein:ignore", "1:1 github-pat block; 1:44 ignore-without-reason warn"},
		{"with a rule for a reason", tok + " /* checkrein:ignore github-pat */", "1:1 github-pat block; 1:45 ignore-without-reason warn"},
		{"closed", "<!-- checkrein:ignore --> " + tok, "1:6 ignore-without-reason warn; 1:27 github-pat block"},
		{"on the line before", "# checkrein:ignore an example\n" + tok, ""},
		{"before, behind code", "x = 1 # checkrein:ignore an example\n" + tok, "2:1 github-pat block"},
		{"two lines before", "# checkrein:ignore an example\n\n" + tok, "3:1 github-pat block"},
		{"on the next line", tok + "\n# checkrein:ignore an example", "1:1 github-pat block"},
		{"another word", tok + " # checkrein:ignored by everyone", "1:1 github-pat block; 1:44 ignore-without-reason warn"},
		{"for nothing", "# checkrein:ignore\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := formatFindings(parse(t, ""), "", test.text); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := formatFindings(parse(t, "inline_ignore: false"), "", test.text); !strings.Contains(got, "github-pat") && strings.Contains(test.text, tok) {
				t.Errorf("where ignores do not count: %q", got)
			}
		})
	}
}

// TestIgnoreHidesSecrets checks that the reason of an ignore comment, which is shown, contains no
// secret.
func TestIgnoreHidesSecrets(t *testing.T) {
	t.Parallel()
	p := parse(t, "")
	for _, f := range p.Find(nil, "", []byte(testToken()+" # checkrein:ignore because "+testToken()+" is mine")) {
		if strings.Contains(f.Allowed, testToken()[8:20]) || f.Allowed == "" {
			t.Errorf("allowed: %q", f.Allowed)
		}
	}
}

// TestIgnoreHidesFoundText checks that the reason of an ignore comment does not contain text that only
// this policy forbids.
func TestIgnoreHidesFoundText(t *testing.T) {
	t.Parallel()
	p := parse(t, "words: [Bluebird]\n")
	for _, text := range []string{"# checkrein:ignore the name Bluebird is known", "x\n# checkrein:ignore they call it Bluebird"} {
		for _, f := range p.Find(nil, "", []byte(text)) {
			if strings.Contains(f.Allowed, "Bluebird") || !strings.HasPrefix(f.Allowed, "ignored: the") {
				t.Errorf("allowed: %q", f.Allowed)
			}
		}
	}
}

func TestAllow(t *testing.T) {
	t.Parallel()
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("10.1.2.3")))
	for _, test := range []struct{ name, entry, path, want string }{
		{"text", "text: 10.1.2.3", "a", "1:10 private-ipv4 block"},
		{"part of the text", "text: 10.1", "a", "1:1 private-ipv4 block; 1:10 private-ipv4 block"},
		{"regex", `regex: '10\.1\..*'`, "a", ""},
		{"part by a regex", `regex: '10\.1'`, "a", "1:1 private-ipv4 block; 1:10 private-ipv4 block"},
		{"digest", "digest: '" + digest + "'", "a", "1:10 private-ipv4 block"},
		{"rule", "rule: private-ipv4", "a", ""},
		{"set", "rule: private_addresses", "a", ""},
		{"another rule", "rule: pii", "a", "1:1 private-ipv4 block; 1:10 private-ipv4 block"},
		{"path", "path: 'docs/**'", "docs/a/b", ""},
		{"another path", "path: 'docs/**'", "src/a", "1:1 private-ipv4 block; 1:10 private-ipv4 block"},
		{"all must fit", "path: 'docs/**', text: 10.1.2.4", "docs/a", "1:1 private-ipv4 block"},
		{"until later", "text: 10.1.2.3, expires: 2026-12-01", "a", "1:10 private-ipv4 block"},
		{"until today", "text: 10.1.2.3, expires: 2026-11-15", "a", "1:10 private-ipv4 block"},
		{"over", "text: 10.1.2.3, expires: 2026-11-14", "a", "1:1 private-ipv4 block; 1:10 private-ipv4 block"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := parse(t, "allow:\n- {"+test.entry+", reason: the gateway of the docs}\n")
			if got := formatFindings(p, test.path, "10.1.2.3 10.1.2.4"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if over := test.name == "over"; over != (len(p.Notes) == 1) {
				t.Errorf("notes %v", p.Notes)
			}
		})
	}
	lines := "BEGIN\nmiddle\nEND"
	for expr, want := range map[string]string{"middle": "1:1 far block", "BEGIN": "1:1 far block", "(?s)BEGIN.*": "", "BEGIN\\n[a-z]+\\nEND": ""} {
		p := parse(t, "extends: none\npatterns: [{name: far, regex: '(?s)BEGIN.*END'}]\nallow: [{regex: '"+expr+"', reason: one of the lines}]\n")
		if got := formatFindings(p, "a", lines); got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
	p := parse(t, "allow: [{text: 10.1.2.3, reason: the gateway, expires: 2027-01-31}]")
	if list := p.Find(nil, "", []byte("10.1.2.3")); len(list) != 1 || list[0].Allowed != "allowed until 2027-01-31: the gateway" || list[0].Blocks() {
		t.Errorf("found %+v", list)
	}
	p = parse(t, "allow:\n- {text: 10.1.2.3, reason: the gateway, expires: 2020-01-31}\n")
	if want := "p.yaml:2: an allow entry expired on 2020-01-31 and no longer applies (the gateway)"; len(p.Notes) != 1 || p.Notes[0] != want {
		t.Errorf("notes %q", p.Notes)
	}
}
