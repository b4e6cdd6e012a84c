package match

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// TestMatcherByWords checks what was observed on Claude Code with a tool called Bash and with
// mcp__srv__tool. Look-around, which Claude accepts, is rejected instead.
func TestMatcherByWords(t *testing.T) {
	t.Parallel()
	bash := &checkrein.Tool{Name: "Bash"}
	mcp := &checkrein.Tool{Name: "mcp__srv__tool"}
	tests := []struct {
		expr string
		tool *checkrein.Tool
		want bool
	}{
		{"", bash, true}, {"*", bash, true},
		{"Bash", bash, true}, {"Bash|Edit", bash, true}, {"Edit, Bash", bash, true}, {"Edit,Bash", bash, true}, {"Bash ", bash, true},
		{"bash", bash, false}, {"Bas", bash, false}, {"ash", bash, false},
		{"Ba.*", bash, true}, {"^Bash$", bash, true}, {".", bash, true}, {"B*", bash, true}, {"a.h", bash, true},
		{"Bash(touch *)", bash, false}, {"!Edit", bash, false},
		{"mcp__srv__tool", mcp, true}, {"mcp__srv__.*", mcp, true}, {"mcp__.*", mcp, true}, {"mcp__srv__*", mcp, true},
		{"mcp__srv", mcp, false}, {"mcp__", mcp, false},
	}
	for _, tt := range tests {
		t.Run(tt.expr+" on "+tt.tool.Name, func(t *testing.T) {
			t.Parallel()
			m, err := CompileTool(tt.expr, true)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Match(tt.tool, ""); got != tt.want {
				t.Errorf("%q matches %s: %v, want %v", tt.expr, tt.tool.Name, got, tt.want)
			}
		})
	}
	for _, expr := range []string{"(", "^(?!Edit)"} {
		if _, err := CompileTool(expr, true); err == nil {
			t.Errorf("%q is accepted", expr)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	const input = `{"command":"rm\u0020-rf /","n":5,"deep":[{"key rm":"a.py"}]}`
	tests := []struct {
		expr string
		want bool // found in a string of the input
	}{
		{"", true}, {"rm -rf", true}, {`\.py$`, true}, {"^a", true}, {"key", false}, {"5", false}, {"RM", false}, {"command", false},
	}
	for _, tt := range tests {
		s, err := CompileSearch(tt.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.MatchesJSON([]byte(input)); got != tt.want {
			t.Errorf("%q is found: %v, want %v", tt.expr, got, tt.want)
		}
		if s.IsZero() != (tt.expr == "") {
			t.Errorf("%q is zero: %v", tt.expr, s.IsZero())
		}
	}
	if _, err := CompileSearch("(?<=a)b"); err == nil {
		t.Error("look-behind is accepted")
	}
}
