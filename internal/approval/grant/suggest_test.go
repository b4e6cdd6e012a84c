package grant

import (
	"fmt"
	"strings"
	"testing"
)

// blockedCase returns a case of a pack in which a call touched path in /p.
func blockedCase(call, decision, path string) *Case {
	deed := Deed{Category: "fs-delete", Rule: "filesystem/delete", Kind: "delete", Label: "destructive", Radius: "medium", Paths: []string{"dir " + path}}
	return &Case{Pack: "filesystem", Key: "medium", Block: Block{Shown: call, Root: "/p",
		By:      []Decider{{Hook: "packs", Type: "builtin", Scope: "user", Rule: "filesystem/delete", Decision: decision}},
		Binding: Binding{Text: call, Deeds: []Deed{deed}}}}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	with := func(c *Case, change func(*Case)) *Case { change(c); return c }
	denied := func(n int) func(*Case) { return func(c *Case) { c.Denied = n } }
	final := blockedCase("checkrein off", "deny", "/x")
	final.Block.By[0].Final = "self-protection"
	program := blockedCase("deploy", "deny", "/x")
	program.Block.By[0].Program = true
	for _, tt := range []struct {
		name  string
		cases []*Case
		want  string // KIND call+call(others)
		left  string
	}{
		{"a denial is what guards are for", []*Case{with(blockedCase("a", "deny", "/x"), denied(1))}, "", ""},
		{"however often", []*Case{with(blockedCase("a", "deny", "/x"), denied(9))}, "", "a"},
		{"called wrong", []*Case{with(blockedCase("a", "deny", "/x"), func(c *Case) { c.Denied, c.Wrong = 1, 1 })}, "grant a", ""},
		{"allowed again", []*Case{with(blockedCase("a", "deny", "/x"), func(c *Case) { c.Denied, c.Lifted = 1, 1 })}, "grant a", ""},
		{"asked, and a person said yes", []*Case{with(blockedCase("a", "ask", "/x"), func(c *Case) { c.Asked, c.Yes = 2, 1 })}, "grant a", ""},
		{"asked, and nobody said yes", []*Case{with(blockedCase("a", "ask", "/x"), func(c *Case) { c.Asked = 2 })}, "", ""},
		{"nobody could be asked", []*Case{with(blockedCase("a", "ask", "/x"), denied(3))}, "grant a", ""},
		{"one grant covers two spellings", []*Case{
			with(blockedCase("a", "ask", "/x"), func(c *Case) { c.Lifted = 3 }), with(blockedCase("a again", "ask", "/x"), func(c *Case) { c.Lifted = 1 })}, "grant a+a again", ""},
		{"what else it lets pass", []*Case{
			with(blockedCase("a", "deny", "/x"), func(c *Case) { c.Wrong = 1 }), with(blockedCase("b", "deny", "/x"), denied(1)), with(blockedCase("c", "deny", "/y"), denied(1))}, "grant a(b)", ""},
		{"never what no grant lifts", []*Case{with(final, func(c *Case) { c.Wrong = 1 }), with(program, func(c *Case) { c.Wrong = 1 })}, "", ""},
		{"the pack for many", []*Case{
			with(blockedCase("a", "deny", "/1/a"), func(c *Case) { c.Lifted = 1 }), with(blockedCase("b", "deny", "/2/b"), func(c *Case) { c.Lifted = 1 }),
			with(blockedCase("c", "deny", "/3/c"), func(c *Case) { c.Lifted = 1 }), with(blockedCase("d", "deny", "/4/d"), denied(1))},
			"grant a; grant b; grant c; pack filesystem.medium=ask a+b+c(d)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, left := Suggest(tt.cases)
			var got []string
			for i := range list {
				got = append(got, words(&list[i]))
			}
			if s := strings.Join(got, "; "); s != tt.want || calls(left) != tt.left {
				t.Errorf("suggested %q, left %q; want %q, %q", s, calls(left), tt.want, tt.left)
			}
		})
	}
}

func words(s *Suggestion) string {
	text := s.Kind + " "
	if s.Kind == "pack" {
		text += fmt.Sprintf("%s.%s=%s ", s.Pack, s.Key, s.To)
	}
	text += calls(s.Cases)
	if len(s.Others) > 0 {
		text += "(" + calls(s.Others) + ")"
	}
	return text
}

func calls(list []*Case) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Block.Shown)
	}
	return strings.Join(out, "+")
}
