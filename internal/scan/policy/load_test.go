package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

var today = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func parse(t *testing.T, src string) *Policy {
	t.Helper()
	p, err := Parse("p.yaml", []byte(src), today)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPolicyMistakes checks that every mistake is reported with its file, its line and a remedy.
func TestPolicyMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"unknown key", "name: x\npaterns: []\n", `p.yaml:2: unknown key "paterns", did you mean "patterns"?`},
		{"unknown rule", "rules:\n  github-pta: warn\n", `p.yaml:2: rules: unknown rule or rule set "github-pta", did you mean "github-pat"?`},
		{"unknown severity", "rules: {secrets: blok}\n", `unknown severity "blok", did you mean "block"?`},
		{"no severity", "rules: {secrets: {exclude: [a]}}\n", `a severity is missing`},
		{"unknown base", "extends: public-rep\n", `unknown bundled policy "public-rep", did you mean "public-repo"?`},
		{"bad regex", "patterns:\n- {name: a, regex: '(?=x)'}\n", `:2: pattern "a": pattern "(?=x)": look-around "(?=" is not supported: rewrite the pattern without it`},
		{"no regex", "patterns:\n- {name: a}\n", `p.yaml:2: regex is missing`},
		{"taken name", "patterns: [{name: github-pat, regex: x}]\n", `"github-pat" is already the name of a rule`},
		{"second name", "patterns: [{name: a, regex: x}, {name: a, regex: y}]\n", `the name "a" is used twice`},
		{"odd name", "patterns: [{name: 'a b', regex: x}]\n", `is not a valid name: use letters, digits`},
		{"no reason", "allow:\n- {text: x}\n", `p.yaml:2: reason is missing`},
		{"bare allow", "allow: [x]\n", `each entry needs a reason`},
		{"allows everything", "allow: [{reason: because}]\n", `would allow everything`},
		{"bad date", "allow: [{text: x, reason: because, expires: soon}]\n", `expires must be a date such as`},
		{"bad digest", "allow: [{digest: 'sha256:12', reason: because}]\n", `64 hex digits`},
		{"bad glob", "exclude: ['a[']\n", `"[" is never closed`},
		{"negated glob", "exclude: ['!a']\n", `cannot begin with !`},
		{"host without letters", "internal_hosts: ['*.?']\n", `two letters in a row`},
		{"host with port", "internal_hosts: ['db.acme.example:80']\n", `must be a name`},
		{"word of signs", "words: ['--']\n", `needs a letter or a digit`},
		{"a list", "[a]\n", `a policy must be a mapping, not a list`},
		{"not a list", "words: {a: b}\n", `words must be a list, not a mapping`},
		{"no flag", "inline_ignore: maybe\n", `inline_ignore must be true or false`},
		{"YAML", "a: [\n", `p.yaml:1: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("p.yaml", []byte(test.src), today)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	_, err := Parse("p.yaml", []byte("x: 1\ny: 2\n"), today)
	if !strings.Contains(err.Error(), "p.yaml:1:") || !strings.Contains(err.Error(), "p.yaml:2:") {
		t.Errorf("not all mistakes are named: %v", err)
	}
}

func TestJSONPolicy(t *testing.T) {
	t.Parallel()
	p := parse(t, `{"extends": "none", "patterns": [{"name": "badge", "regex": "EMP-[0-9]{6}"}]}`)
	if got := formatFindings(p, "", "EMP-123456 jane@acme.io 10.1.2.3"); got != "1:1 badge block" {
		t.Errorf("found %q", got)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	if err := errors.Join(os.MkdirAll(sub, 0o700), os.Mkdir(filepath.Join(dir, ".git"), 0o700)); err != nil {
		t.Fatal(err)
	}
	name := func() string {
		p, err := Discover(sub, "", Default, today)
		if err != nil {
			t.Fatal(err)
		}
		return p.Name
	}
	if got := name(); got != "public-repo" {
		t.Errorf("without a file: %s", got)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("checkrein-policy.json", `{"name": "top"}`)
	if got := name(); got != "top" {
		t.Errorf("at the top: %s", got)
	}
	write("a/checkrein-policy.yaml", "name: nearer\n")
	if got := name(); got != "nearer" {
		t.Errorf("nearer: %s", got)
	}
	write("a/checkrein-policy.yaml", "nam: nearer\n")
	if _, err := Discover(sub, "", Default, today); err == nil {
		t.Error("a broken policy is none")
	}
}

func TestLoadNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range BundledNames() {
		p, err := LoadNamed(dir, name, today)
		if err != nil || p.Name != name || p.File != "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "public-repo"), []byte("name: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A file of that name may come with the repository that is scanned.
	if p, err := LoadNamed(dir, "public-repo", today); err != nil || p.Name != "public-repo" {
		t.Errorf("a file of that name: %+v, %v", p, err)
	}
	if p, err := LoadNamed(dir, "./public-repo", today); err != nil || p.Name != "mine" {
		t.Errorf("the path of a file: %+v, %v", p, err)
	}
	if _, err := LoadNamed(dir, "nowhere.yaml", today); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
