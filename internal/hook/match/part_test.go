package match

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// writeParts writes parts as users see them, with their fixes below.
func writeParts(b *strings.Builder, parts []Part, indent string) {
	for i := range parts {
		b.WriteString(indent + parts[i].String() + "\n")
		if parts[i].Fix != "" {
			b.WriteString(indent + "  → " + parts[i].Fix + "\n")
		}
		writeParts(b, parts[i].Parts, indent+"  ")
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	row := checkrein.ContractOf(checkrein.PreToolUse)
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Dir: "/work/app"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: []byte(`{"command":"cd x && git  push Origin main","labels":["a","Bug"],"path":"/srv/db/sub/a.sql","n":3}`)}}
	for _, tt := range []struct{ cond, want string }{
		{`{"tool":{"is":"shell"}}`, "✓ tool is 'shell': 'shell'\n"},
		{`{"tool_name":{"is":"bash"}}`, "✗ tool_name is 'bash': it is 'Bash'\n  → comparisons are case-sensitive: write 'Bash'\n"},
		{`{"command":{"is":"git  push"}}`, "✗ command is 'git  push': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"regex":"^git"}}`, "✗ command regex '^git': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"regex":"GIT"}}`, "✗ command regex 'GIT': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"regex":"git push"}}`, "✗ command regex 'git push': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"regex":"\b git"}}`, "✗ command regex '\b git': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"prefix":"git"}}`, "✗ command prefix 'git': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"glob":"git*"}}`, "✗ command glob 'git*': it is 'cd x && git  push Origin main'\n"},
		{`{"command":{"contains":"origin"}}`, "✗ command contains 'origin': it is 'cd x && git  push Origin main'\n  → comparisons are case-sensitive: write 'Origin'\n"},
		{`{"command":{"contains":"docker"}}`, "✗ command contains 'docker': it is 'cd x && git  push Origin main'\n"},
		{`{"tool_input.labels":{"is":"Bug"}}`, "✓ tool_input.labels is 'Bug': 'Bug', one of 'a', 'Bug'\n"},
		{`{"tool_input.labels":{"in":["x","y"]}}`, "✗ tool_input.labels in 'x', 'y': none of 'a', 'Bug'\n"},
		{`{"tool_input.nothing":{"is":"x"}}`, "✗ tool_input.nothing is 'x': the event has no such value\n"},
		{`{"tool_input.nothing":{"exists":false}}`, "✓ tool_input.nothing exists 'false'\n"},
		{`{"tool_input.n":{"gt":4}}`, "✗ tool_input.n gt '4': it is '3'\n"},
		{`{"paths":{"glob":"sub/*.sql"}}`, "✗ paths glob 'sub/*.sql': it is '/srv/db/sub/a.sql'\n"},
		{`{"paths":{"glob":"/srv/db"}}`, "✗ paths glob '/srv/db': it is '/srv/db/sub/a.sql'\n"},
		{`{"paths":{"glob":"/srv/*.sql"}}`, "✗ paths glob '/srv/*.sql': it is '/srv/db/sub/a.sql'\n"},
		{`{"paths":{"under":"/srv"}}`, "✓ paths under '/srv': '/srv/db/sub/a.sql'\n"},
		{`{"tool":{"is":"shell"},"not":{"command":{"contains":"Main"}}}`, "✓ tool is 'shell': 'shell'\n✓ not\n  ✗ command contains 'Main': it is 'cd x && git  push Origin main'\n"},
		{`{"any":[{"command":{"contains":"rm"}},{"tool":{"is":"write"}}]}`, "✗ any\n  ✗ command contains 'rm': it is 'cd x && git  push Origin main'\n  ✗ tool is 'write': it is 'shell'\n"},
	} {
		c, err := CompileCond([]byte(tt.cond), row)
		if err != nil {
			t.Fatal(tt.cond, err)
		}
		view := ViewOf(&ev, "/home/me", nil)
		var b strings.Builder
		parts := c.Parts(&view, false)
		writeParts(&b, parts, "")
		if got := b.String(); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.cond, got, tt.want)
		}
		all := true
		for _, p := range parts {
			all = all && p.Holds
		}
		if all != c.Holds(&view) {
			t.Errorf("%s: the parts say %v", tt.cond, all)
		}
	}
}

// TestToolPartOfPatches checks that a matcher for tools that change files suggests how to accept
// patches, which change files, too.
func TestToolPartOfPatches(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"write|edit": "write write|edit|patch, or leave the matcher out and match on paths",
		"shell":      "",
	} {
		m, err := CompileTool(expr, false)
		if err != nil {
			t.Fatal(err)
		}
		if p := m.Part(expr, &checkrein.Tool{Name: "apply_patch", Canonical: "patch"}, ""); p.Holds || p.Fix != want {
			t.Errorf("%s: %+v", expr, p)
		}
	}
}

func TestToolPart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		expr, want string
		by         bool
	}{
		{"shell|write", "✓ matcher is 'shell', 'write': 'shell', one of 'Bash', 'shell'\n", false},
		{"bash", "✗ matcher is 'bash': none of 'Bash', 'shell'\n  → comparisons are case-sensitive: write 'Bash'\n", false},
		{"B.", "✗ matcher regex 'B.': none of 'Bash', 'shell'\n", false},
		{"b.*", "✗ matcher regex 'b.*': none of 'Bash', 'shell'\n", false},
		{"write", "✗ matcher is 'write': none of 'Bash', 'shell'\n", true},
	} {
		m, err := CompileTool(tt.expr, tt.by)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		writeParts(&b, []Part{m.Part(tt.expr, &checkrein.Tool{Name: "Bash", Canonical: "shell"}, "")}, "")
		if b.String() != tt.want {
			t.Errorf("%s: %swant %s", tt.expr, b.String(), tt.want)
		}
	}
}
