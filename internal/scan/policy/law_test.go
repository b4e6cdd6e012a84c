package policy

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// textPieces returns the pieces of generated texts: things that are found, things next to them,
// markers and ignore comments.
func textPieces() []string {
	return []string{
		testToken(), testToken()[:20], "AK" + "IA" + "QYLPMN5HHHFPZAM2", "jane.roe@acme.io", "+49 30 901820", "10.1.2.3", "10.1.2.3.4", "fd12:3456:789a::1", "db-1.corp.internal",
		"/home/jroe/x", "a.acme.example", "Bluebird", "EMP-123456", "EMP-", "123456", "4111 1111 1111 1111", "password", " = ", ": ", "\"", "hunter2hunter2x9",
		"[REDACTED]", "[REDACTED:word]", "[", "]", " ", "\n", "\t", ",", "checkrein:ignore ", "because it is so", "[github-pat]", "# ", "é", "\xff", "\x00", "x", "redacted", "-----BEGIN RSA " + "PRIVATE KEY-----\n", "MIIEpAIBAAKCAQEA1x", "\n-----END RSA " + "PRIVATE KEY-----",
	}
}

// drawText draws a text of up to 24 pieces.
func drawText(t *rapid.T) []byte {
	parts := rapid.SliceOfN(rapid.SampledFrom(textPieces()), 0, 24).Draw(t, "text")
	return []byte(strings.Join(parts, ""))
}

// lawPolicies returns policies, some of which find something in markers too.
func lawPolicies(t *testing.T) []*Policy {
	return []*Policy{
		parse(t, ""), parse(t, "extends: public-content"), parse(t, "extends: outbound-message"),
		parse(t, "{words: [bluebird, redacted, word, github], internal_hosts: ['*.acme.example'], patterns: [{name: badge, regex: 'EMP-[0-9]+', replace: 'EMP-0'}, {name: six, regex: '[0-9]{6}', severity: warn}]}"),
		parse(t, `{extends: none, patterns: [{name: all, regex: '[\[\]A-Z:…]+'}]}`),
		parse(t, `{extends: none, patterns: [{name: any, regex: '.+'}]}`),
		parse(t, "{allow: [{text: 10.1.2.3, reason: because}, {rule: pii, reason: because}], rules: {machine_paths: info}}"),
	}
}

// TestMaskLaw checks that after Mask nothing is found, and that masking again changes nothing.
func TestMaskLaw(t *testing.T) {
	list := lawPolicies(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		p := list[rapid.IntRange(0, len(list)-1).Draw(t, "policy")]
		least := rapid.SampledFrom([]Severity{Info, Warn, Block}).Draw(t, "least")
		before := bytes.Clone(text)
		out, n := p.Mask("a/b.txt", text, least)
		if !bytes.Equal(text, before) {
			t.Fatalf("the text was changed in place: %q", text)
		}
		if n == 0 && !bytes.Equal(out, text) {
			t.Fatalf("%q became %q without a finding", text, out)
		}
		for _, f := range p.Find(nil, "a/b.txt", out) {
			if f.Counts() && f.Severity >= least && f.Rule != IgnoreRule {
				t.Fatalf("%q became %q, in which %+v is left", text, out, f)
			}
		}
		if again, n := p.Mask("a/b.txt", out, least); n != 0 || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q, and that %q", text, out, again)
		}
	})
}

// TestFindLaw checks that findings are in order, within the text and on their lines, that they do not
// contain the found text, and that text without a path has no fewer of them.
func TestFindLaw(t *testing.T) {
	list := lawPolicies(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		p := list[rapid.IntRange(0, len(list)-1).Draw(t, "policy")]
		at := 0
		for _, f := range p.Find(nil, "", text) {
			if f.Start < at || f.End <= f.Start || f.End > len(text) || f.Severity == Off || f.Rule == "" || f.Kind == "" {
				t.Fatalf("%q: %+v", text, f)
			}
			at = f.Start
			line := 1 + bytes.Count(text[:f.Start], []byte("\n"))
			col := f.Start - bytes.LastIndexByte(text[:f.Start], '\n')
			if f.Line != line || f.Column != col {
				t.Fatalf("%q: %+v, want %d:%d", text, f, line, col)
			}
		}
	})
}

func TestMask(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, policy, text, want string }{
		{"markers", "", "a " + testToken() + " b 10.1.2.3", "a [REDACTED:github-pat] b [REDACTED:private-ipv4]"},
		{"replace", "patterns: [{name: badge, regex: 'EMP-([0-9]{2})[0-9]+', replace: 'EMP-${1}xx'}]", "EMP-123456", "EMP-12xx"},
		{"replace with itself", "patterns: [{name: badge, regex: 'EMP-[0-9]+', replace: 'EMP-0'}]", "EMP-123456", "[REDACTED:badge]"},
		{"a word of the marker", "words: [github]", testToken(), "[REDACTED]"},
		{"ignored", "", testToken() + " # checkrein:ignore an example", testToken() + " # checkrein:ignore an example"},
	} {
		if got, _ := parse(t, test.policy).Mask("", []byte(test.text), Block); string(got) != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	p := parse(t, "")
	text := []byte("a 10.1.2.3 " + testToken() + "\n10.1.2.4 # checkrein:ignore an example\n")
	b := NewBaseline(today, "x")
	b.Add("a.txt", text, p.Find(nil, "a.txt", text))
	b.Add("a.txt", text, p.Find(nil, "a.txt", text))
	file := filepath.Join(t.TempDir(), "baseline.json")
	if err := os.WriteFile(file, b.JSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	if src := string(b.JSON()); strings.Contains(src, testToken()[4:12]) || strings.Contains(src, "10.1") || b.Len() != 2 {
		t.Errorf("%d findings in %s", b.Len(), src)
	}
	again, err := ReadBaseline(file)
	if err != nil || !bytes.Equal(again.JSON(), b.JSON()) {
		t.Fatalf("%v: %s", err, again.JSON())
	}
	p.SetBaseline(again)
	if got := formatFindings(p, "a.txt", "moved\n\n"+string(text)); got != "" {
		t.Errorf("known findings count: %s", got)
	}
	if got := formatFindings(p, "b.txt", "10.1.2.3"); got != "1:1 private-ipv4 block" {
		t.Errorf("in another file: %s", got)
	}
	if got := formatFindings(p, "a.txt", "10.1.2.5"); got != "1:1 private-ipv4 block" {
		t.Errorf("another address: %s", got)
	}
	if other := NewBaseline(today.Add(1), "x"); bytes.Equal(other.salt, b.salt) {
		t.Error("two baselines have one salt")
	}
	for _, src := range []string{"", "[]", "{}", `{"version":2,"salt":"00","findings":[]}`, `{"version":1,"findings":[]}`, `{"version":1,"salt":"00","findings":[{"rule":"a"}]}`} {
		if _, err := parseBaseline("b.json", []byte(src)); err == nil || !strings.Contains(err.Error(), "b.json") {
			t.Errorf("%s: error %v", src, err)
		}
	}
}
