package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A testProject is a project with a policy, and a user who may have one.
type testProject struct {
	t               *testing.T
	project, person string
}

func newTestProject(t *testing.T) testProject {
	t.Helper()
	dir := t.TempDir()
	p := testProject{t, filepath.Join(dir, "project"), filepath.Join(dir, "person")}
	p.write(p.project, ".git/HEAD", "")
	p.write(p.person, "keep", "")
	return p
}

func (p testProject) write(dir, name, text string) {
	p.t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p testProject) policy() *Policy {
	p.t.Helper()
	found, err := Discover(p.project, p.person, Default, today)
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// blocks reports whether p blocks text at path.
func blocks(p *Policy, path, text string) bool {
	return slices.ContainsFunc(p.Find(nil, path, []byte(text)), func(f Finding) bool { return f.Blocks() })
}

const gateway = "see 10.1.2.3 there\n"

// TestProjectOnlyTightens checks that a project's file cannot unblock what the default blocks, and
// that the ignored parts are noted with their line and the remedy.
func TestProjectOnlyTightens(t *testing.T) {
	t.Parallel()
	for src, note := range map[string]string{
		"extends: none\n":                                                   "extends: none (line 1)",
		"name: x\nextends: outbound-message\n":                              "extends: outbound-message (line 2)",
		"rules: {private_addresses: off}\n":                                 "rules.private_addresses (line 1)",
		"rules:\n  private_addresses: warn\n":                               "rules.private_addresses (line 2)",
		"rules: {private-ipv4: info}\n":                                     "rules.private-ipv4 (line 1)",
		"rules: {private-ipv4: {severity: block, exclude: ['**']}}\n":       "rules.private-ipv4 (line 1)",
		"rules: {private_addresses: {severity: block, include: [other]}}\n": "rules.private_addresses (line 1)",
		"exclude: ['**']\n":                                                 "exclude (line 1)",
		"include: [other]\n":                                                "include (line 1)",
		"allow: [{rule: private-ipv4, reason: because}]\n":                  "an allow entry without text or digest (line 1)",
		"allow: [{path: '**', reason: because}]\n":                          "an allow entry without text or digest (line 1)",
		"allow: [{regex: '.*', reason: because}]\n":                         "an allow entry without text or digest (line 1)",
		"extends: none\nexclude: ['**']\n":                                  "extends: none (line 1), exclude (line 2)",
	} {
		p := newTestProject(t)
		p.write(p.project, "checkrein-policy.yaml", src)
		got := p.policy()
		if !blocks(got, "a/b.txt", gateway) || !got.AppliesTo("a/b.txt") {
			t.Errorf("%s: loosens", src)
		}
		if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], note+". To use the whole file, pass --policy FILE, or add trusts: [") {
			t.Errorf("%s: told %q, want %q", src, got.Notes, note)
		}
		// A file that the user names is used as it is.
		if named, err := Load(filepath.Join(p.project, "checkrein-policy.yaml"), today); err != nil || blocks(named, "a/b.txt", gateway) {
			t.Errorf("%s: named, it still blocks (%v)", src, err)
		}
		p.write(p.person, "checkrein-policy.yaml", "trusts: ["+filepath.Join(p.project, "checkrein-policy.yaml")+"]\n")
		if got := p.policy(); blocks(got, "a/b.txt", gateway) || len(got.Notes) > 0 {
			t.Errorf("%s: trusted, it still blocks: %q", src, got.Notes)
		}
	}
}

// TestProjectTightens checks that a project's file can tighten the policy without a note.
func TestProjectTightens(t *testing.T) {
	t.Parallel()
	for src, text := range map[string]string{
		"rules: {email-address: block}\n":                  "jane.roe@acme.io\n",
		"extends: public-content\n":                        "jane.roe@acme.io\n",
		"words: [Bluebird]\n":                              "the bluebird flies\n",
		"patterns: [{name: badge, regex: 'EMP-\\d{6}'}]\n": "EMP-123456\n",
		"internal_hosts: ['*.acme.example']\n":             "see ci.acme.example\n",
		"inline_ignore: false\n":                           "10.1.2.3 # checkrein:ignore the address in the manual\n",
	} {
		p := newTestProject(t)
		if blocks(p.policy(), "a.txt", text) {
			t.Errorf("%q blocks without a file", text)
		}
		p.write(p.project, "checkrein-policy.yaml", src)
		if got := p.policy(); !blocks(got, "a.txt", text) || !blocks(got, "a.txt", gateway) || len(got.Notes) > 0 {
			t.Errorf("%s: does not tighten (%q)", src, got.Notes)
		}
	}
}

// TestProjectAllowsSingleFindings checks that a project can allow single findings with a reason: by a
// comment, a text or a digest.
func TestProjectAllowsSingleFindings(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	p.write(p.project, "checkrein-policy.yaml", "allow: [{text: 10.1.2.3, reason: the address in the manual}]\n")
	got := p.policy()
	if blocks(got, "a.txt", gateway) || !blocks(got, "a.txt", "10.1.2.4\n") || len(got.Notes) > 0 {
		t.Errorf("an exact text: %q", got.Notes)
	}
	if blocks(got, "a.txt", "10.1.2.4 # checkrein:ignore the address in the manual\n") {
		t.Error("an ignore at the place")
	}
}

// TestUserPolicyStays checks that a project cannot loosen the user's own policy.
func TestUserPolicyStays(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	p.write(p.person, "checkrein-policy.yaml", "name: mine\nwords: [Bluebird]\ninline_ignore: false\nrules: {private_addresses: off, email-address: block}\nallow: [{rule: email-address, path: AUTHORS, reason: they want to}]\n")
	const bird, mail = "a bluebird\n", "jane.roe@acme.io\n"
	check := func(when string, got *Policy) {
		t.Helper()
		if !blocks(got, "a", bird) || !blocks(got, "a", mail) || blocks(got, "AUTHORS", mail) || blocks(got, "a", gateway) {
			t.Errorf("%s: not as the person has it", when)
		}
		if !blocks(got, "a", "bluebird checkrein:ignore the name of the bird\n") {
			t.Errorf("%s: an ignore counts", when)
		}
	}
	check("alone", p.policy())
	p.write(p.project, "checkrein-policy.yaml", "extends: none\nrules: {words: off}\ninline_ignore: true\n")
	check("with a project's", p.policy())
	p.write(p.person, "checkrein-policy.yaml", "words: {}\n")
	if _, err := Discover(p.project, p.person, Default, today); err == nil {
		t.Error("a broken policy of the person's is none")
	}
}

func TestTrustsOnlyInUserPolicy(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	p.write(p.project, "checkrein-policy.yaml", "trusts: ["+filepath.Join(p.project, "checkrein-policy.yaml")+"]\nextends: none\n")
	if _, err := Discover(p.project, p.person, Default, today); err == nil || !strings.Contains(err.Error(), "only in your own policy") {
		t.Errorf("got %v", err)
	}
	p.write(p.person, "checkrein-policy.yaml", "trusts: [project/checkrein-policy.yaml]\n")
	if _, err := Discover(p.project, p.person, Default, today); err == nil || !strings.Contains(err.Error(), "is not absolute") {
		t.Errorf("got %v", err)
	}
}
