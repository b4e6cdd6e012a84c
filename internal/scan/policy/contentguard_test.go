package policy

import (
	"strings"
	"testing"
)

// publicRepo is the policy policies/public-repo.json, in content-guard's format, that the pre-push
// hook of the three-layer guide uses.
const publicRepo = `{
  "_comment": ["Public repo policy."],
  "name": "public-repo",
  "backends": {"opf": {"enabled": false, "action": "warn", "device": "cpu"}},
  "defaults": {
    "infrastructure": "block", "secret": "block", "pii": "block", "personal": "block",
    "business": "block", "attribution": "block", "tooling": "warn"
  },
  "rules": {
    "loopback-ipv4": "warn", "localhost-port": "warn", "localhost-bare": "warn", "port-reference": "warn", "opf-pii": "warn"
  },
  "custom_rules": []
}`

// rulesFound returns the rule and the severity of each finding of p in text that is not allowed.
func rulesFound(p *Policy, text string) string {
	var out []string
	for _, f := range p.Find(nil, "x.md", []byte(text)) {
		if f.Counts() {
			out = append(out, f.Rule+" "+f.Severity.String())
		}
	}
	return strings.Join(out, ", ")
}

func TestContentGuardPublicRepo(t *testing.T) {
	t.Parallel()
	p := parse(t, publicRepo)
	if len(p.Notes) != 0 || p.Name != "public-repo" {
		t.Errorf("%q: %q", p.Name, p.Notes)
	}
	key := "gh" + "p_6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ"
	for _, tt := range []struct{ text, want string }{
		{"ssh me@192.168." + "7.23\n", "private-ipv4 block"},
		{"token " + key + "\n", "github-pat block"},
		{"https://vault" + ".internal/x\n", "internal-hostname block"},
		{"write to jane.doe" + "@" + "acme-corp.io\n", "email-address block"},
		{"call +49 30 " + "12345678 now\n", "phone-number block"},
		{"bind 127.0." + "0.1\n", "loopback-ipv4 info"},
		{"open localhost:8080 now\n", "localhost-port info"},
		{"on localhost, say\n", "localhost-bare info"},
		{"listen on port 8080\n", "port-reference info"},
		{"fix\n\nCo-authored-by: A <a@b.example>\n", "coauthored-by-trailer block"},
		{"all is well\n", ""},
	} {
		if got := rulesFound(p, tt.text); !strings.Contains(", "+got+",", ", "+tt.want+",") || tt.want == "" && got != "" {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestContentGuardKeys checks that every key of the format has the effect that it has in
// content-guard.
func TestContentGuardKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, text, want string }{
		{"a category", `{"defaults": {"infrastructure": "warn"}}`, "10.1." + "2.3", "private-ipv4 info"},
		{"a category that is allowed", `{"defaults": {"infrastructure": "allow"}}`, "10.1." + "2.3", ""},
		{"a category that is not named", `{"defaults": {"pii": "block"}}`, "10.1." + "2.3", "private-ipv4 block"},
		{"redact", `{"defaults": {"infrastructure": "redact"}}`, "10.1." + "2.3", "private-ipv4 warn"},
		{"a rule beats its category", `{"defaults": {"pii": "block"}, "rules": {"email": "warn"}}`, "jane.doe" + "@" + "acme-corp.io", "email-address info"},
		{"a known host", `{"known_hosts": ["atlas", "203.0.113.9"]}`, "on atlas and 203.0.113.9 and atlases", "known-host block, known-host block"},
		{"a known host that warns", `{"known_hosts": ["atlas"], "rules": {"known-host": "warn"}}`, "on atlas", "known-host info"},
		{"a custom rule", `{"custom_rules": [{"id": "codename", "category": "business", "pattern": "\\bproject (alpha|beta)\\b", "flags": ["ignorecase"]}], "defaults": {"business": "block"}}`, "about Project Alpha", "codename block"},
		{"a custom rule of its own action", `{"custom_rules": [{"id": "codename", "category": "business", "pattern": "zephyr"}], "rules": {"codename": "block"}}`, "zephyr", "codename block"},
		{"a custom rule of an unknown category", `{"custom_rules": [{"id": "codename", "category": "odd", "pattern": "zephyr"}]}`, "zephyr", "codename info"},
		{"a custom rule with a name of ours", `{"custom_rules": [{"id": "internal-hostname", "category": "infrastructure", "pattern": "\\bhost-one\\b"}]}`, "host-one", "custom-internal-hostname block"},
		{"an allowed value", `{"allow_values": ["jane.doe` + "@" + `acme-corp.io"], "defaults": {"pii": "block"}}`, "jane.doe" + "@" + "acme-corp.io and john.doe" + "@" + "acme-corp.io", "email-address block"},
		{"a comment on the line", publicRepo, "10.1." + "2.3 <!-- content-guard: allow private-ipv4 -->", ""},
		{"a comment on the line before", publicRepo, "<!-- content-guard: allow private-ipv4 -->\n10.1." + "2.3\n10.1." + "2.4", "private-ipv4 block"},
		{"a comment for the file", publicRepo, "10.1." + "2.3\n\n\n# content-guard: allow private-ipv4 file\n", ""},
		{"a comment for another rule", publicRepo, "10.1." + "2.3 <!-- content-guard: allow email -->", "private-ipv4 block"},
		{"a comment for all", publicRepo, "10.1." + "2.3 # content-guard: allow all", ""},
		{"a comment in a policy of ours", "name: x\n", "10.1." + "2.3 # content-guard: allow all", "private-ipv4 block"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := rulesFound(parse(t, tt.src), tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestContentGuardNotes checks that a note lists each part of a file that has no effect here.
func TestContentGuardNotes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"an unknown key", `{"defaults": {}, "severity_map": {}}`, `unknown key "severity_map" has no effect`},
		{"a near key", `{"defaults": {}, "known_host": []}`, `did you mean "known_hosts"?`},
		{"a model", `{"backends": {"opf": {"enabled": true}}}`, "backends.opf, which uses a model to find personal data, is not supported here"},
		{"another backend", `{"backends": {"presidio": {}}}`, "unknown backends.presidio is not run"},
		{"an unknown rule", `{"defaults": {}, "rules": {"emial": "warn"}}`, `unknown rule "emial" has no effect`},
		{"a rule within a set", `{"defaults": {}, "rules": {"api-key-assignment": "warn"}}`, "the rule set secrets covers it, and stays at block"},
		{"a key of a custom rule", `{"custom_rules": [{"id": "a", "category": "b", "pattern": "zz", "severity": "block"}]}`, `custom_rules: unknown key "severity"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(parse(t, tt.src).Notes, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, tt := range []struct{ name, src, want string }{
		{"an unknown action", `{"defaults": {"pii": "blok"}}`, `defaults.pii: unknown action "blok", did you mean "block"? (use allow, warn, redact or block)`},
		{"look-around", `{"custom_rules": [{"id": "a", "category": "b", "pattern": "x(?!y)"}]}`, `custom rule "a": pattern "x(?!y)": look-around "(?!" is not supported: rewrite the pattern without it`},
		{"an unknown flag", `{"custom_rules": [{"id": "a", "category": "b", "pattern": "x", "flags": ["verbose"]}]}`, `unknown flag "verbose"`},
		{"no pattern", `{"custom_rules": [{"id": "a", "category": "b"}]}`, "pattern is missing"},
		{"both kinds of file", `{"defaults": {}, "patterns": []}`, `unknown key "defaults"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse("p.json", []byte(tt.src), today); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
