package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"pgregory.net/rapid"
)

// TestSetMember checks changes of expectations in all forms in which they can be written.
func TestSetMember(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, keys, value, after string }{
		{"flow", `expect: {answer: asked, rule: x} # c`, "expect answer", "denied", `expect: {answer: denied, rule: x} # c`},
		{"last of flow", `expect: {answer: asked, rule: "a, {b}"}`, "expect rule", "y", `expect: {answer: asked, rule: y}`},
		{"new in flow", `expect: {answer: asked}`, "expect rule", "x", `expect: {answer: asked, rule: x}`},
		{"new in empty flow", `expect: {}`, "expect rule", "x", `expect: {rule: x}`},
		{"nested flow", `expect: {input: {answer: 1}, answer: asked}`, "expect answer", "pass", `expect: {input: {answer: 1}, answer: pass}`},
		{"flow over lines", "expect: {answer: asked,\n      rule: x}", "expect rule", "y", "expect: {answer: asked,\n      rule: y}"},
		{"block", "expect:\n      answer: asked # c\n      rule: x", "expect answer", "denied", "expect:\n      answer: denied # c\n      rule: x"},
		{"comment before", "expect:\n      # why\n      answer: asked", "expect answer", "denied", "expect:\n      # why\n      answer: denied"},
		{"list", "expect:\n      rule:\n        - a\n        - b\n      answer: asked", "expect rule", "[c]", "expect:\n      rule: [c]\n      answer: asked"},
		{"list without indentation", "expect:\n      rule:\n      - a\n      answer: asked", "expect rule", "[c]", "expect:\n      rule: [c]\n      answer: asked"},
		{"text block", "expect:\n      reason: |\n        one\n        answer: two\n      answer: asked", "expect reason", "x", "expect:\n      reason: x\n      answer: asked"},
		{"new in block", "expect:\n      answer: asked", "expect rule", "x", "expect:\n      answer: asked\n      rule: x"},
		{"quote in plain text", "expect: {reason: don't, answer: asked}", "expect answer", "pass", "expect: {reason: don't, answer: pass}"},
		{"new case", "files:\n      a: b", "expect", "{answer: pass}", "files:\n      a: b\n    expect: {answer: pass}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			frame := func(s string) string {
				return "# head\ncases:\n  - command: other\n\n  - command: ls   # why\n    " + s + "\n\n  # about the next\n  - command: last\n"
			}
			src := frame(tt.before)
			root, _, err := yamldoc.Parse([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			c := &testCase{node: root.Get("cases").Items[1]}
			got, err := c.change([]byte(src), strings.Fields(tt.keys), tt.value)
			if err != nil || string(got) != frame(tt.after) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, frame(tt.after))
			}
		})
	}
	src := "cases: [{command: ls, expect: {answer: asked}}]\n"
	root, _, _ := yamldoc.Parse([]byte(src))
	c := &testCase{node: root.Get("cases").Items[0]}
	if got, err := c.change([]byte(src), []string{"expect", "answer"}, "pass"); err == nil && !strings.Contains(string(got), "answer: pass") {
		t.Errorf("%s", got)
	}
}

// TestChangesKeepEverythingElse changes expectations of generated files: either all else stays as it is,
// or the change is refused.
func TestChangesKeepEverythingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", `"b: c"`, `'d # e'`, "x # y", "[f, g]", "{answer: h}", "don't", "null", "|\n        answer: i\n        # j"})
		comment := rapid.SampledFrom([]string{"", " # answer: k", "\n    # l"})
		var b strings.Builder
		b.WriteString("cases:\n")
		n := rapid.IntRange(1, 4).Draw(t, "cases")
		for i := range n {
			fmt.Fprintf(&b, "  - name: n%d%s\n", i, rapid.SampledFrom([]string{"", "   # m"}).Draw(t, "comment"))
			if rapid.Bool().Draw(t, "flow") {
				fmt.Fprintf(&b, "    expect: {rule: %s, answer: asked}%s\n", strings.Split(word.Filter(func(s string) bool { return !strings.ContainsAny(s, "|#") }).Draw(t, "rule"), "\n")[0], comment.Draw(t, "after"))
			} else {
				fmt.Fprintf(&b, "    expect:%s\n      rule: %s\n      answer: asked%s\n", rapid.SampledFrom([]string{"", " # n"}).Draw(t, "above"), word.Draw(t, "rule"), comment.Draw(t, "after"))
			}
			fmt.Fprintf(&b, "    command: %s\n", word.Filter(func(s string) bool { return !strings.HasPrefix(s, "|") }).Draw(t, "command"))
		}
		root, _, err := yamldoc.Parse([]byte(b.String()))
		if err != nil {
			t.Skip("not YAML")
		}
		items := root.Get("cases").Items
		at := rapid.IntRange(0, n-1).Draw(t, "case")
		c := &testCase{node: items[at]}
		got, err := c.change([]byte(b.String()), []string{"expect", "answer"}, "denied")
		if err != nil {
			t.Fatalf("refused: %v\n%s", err, b.String())
		}
		now, _, err := yamldoc.Parse(got)
		if err != nil || now.Get("cases").Items[at].Get("expect").Get("answer").Text != "denied" {
			t.Fatalf("%v\n%s", err, got)
		}
		if want := strings.Count(b.String(), "#"); strings.Count(string(got), "#") != want {
			t.Errorf("a comment was lost:\n%s\nnow\n%s", b.String(), got)
		}
	})
}

func TestScalarText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "true", "No", "1", "git/push", "a: b", "- a", "x #y", "<&>", "null"})).Draw(t, "s")
		root, _, err := yamldoc.Parse([]byte("k: " + scalarText(s) + "\n"))
		if strings.ToValidUTF8(s, "�") != s || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
			return // what YAML cannot hold
		}
		if n := root.Get("k"); err != nil || n == nil || n.Kind != yamldoc.Text || n.Text != s {
			t.Errorf("%q is %s, %v", s, scalarText(s), err)
		}
	})
}
