package match

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

func toolNamed(name string) *checkrein.Tool {
	return &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
}

func TestToolMatcher(t *testing.T) {
	t.Parallel()
	tests := []struct{ expr, yes, no string }{
		{"", "shell Bash anything mcp__lab__say", ""},
		{"*", "shell Bash anything mcp__lab__say", ""},
		{"shell", "shell Bash bash Shell run_shell_command exec execute_bash", "shell_script Shellx edit_file ski"},
		{"Bash", "Bash", "bash shell BASH Bash2"},
		{"bash", "bash", "Bash shell"},
		{"shell|edit_file", "shell Bash edit_file", "edit shell_script edit_file2 xshell shell|edit_file"},
		{"write", "write Write WriteFile write_file", "edit Writer"},
		{"write|edit", "Write Edit MultiEdit", "Read"},
		{"read_.*", "read_file read_many_files", "xread_file read"},
		{"mcp__.*", "mcp__lab__say", "mcp_lab_say xmcp__lab__say"},
		{"mcp:.*", "mcp__lab__say mcp_lab_say mcp:lab/say", "mcp lab"},
		{"mcp:lab/say", "mcp__lab__say mcp_lab_say mcp:lab/say", "mcp__lab__say_it mcp__lab2__say"},
		{"mcp:lab/.*", "mcp__lab__say", "mcp__other__say"},
		{"(?i)bash", "Bash BASH bash", "Bash2"},
		{"^Bash$", "Bash", "Bash2"},
		{".", "x", "xy shell"},
		{"a||b", "a b", "ab"},
		{"|a", "a", "b"},
		{"Bash(git.*)", "Bashgit", "Bash git"},
		{`\Qa.b\E`, "a.b", "axb"},
		{"shell.*|.*", "anything", ""},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			m, err := CompileTool(tt.expr, false)
			if err != nil {
				t.Fatal(err)
			}
			for name := range strings.FieldsSeq(tt.yes) {
				if !m.Match(toolNamed(name), "") {
					t.Errorf("%q does not match %s", tt.expr, name)
				}
			}
			for name := range strings.FieldsSeq(tt.no) {
				if m.Match(toolNamed(name), "") {
					t.Errorf("%q matches %s", tt.expr, name)
				}
			}
		})
	}
}

// TestToolMatcherTakesEveryCharacter checks that a gate on all tools applies to a tool whose name has
// unusual characters.
func TestToolMatcherTakesEveryCharacter(t *testing.T) {
	t.Parallel()
	names := []string{"a\nb", "\n", "mcp__lab__say\nit", "mcp__la\nb__say", "x\r\n", "a\x00b", "a\u2028b", "\x1b[2J", "a\xffb"}
	for _, by := range []bool{false, true} {
		for _, expr := range []string{".*", "^.*$", ".+", "(.*)", "shell|.*", "^.*", "(?i).*", "read|^.+$"} {
			m, err := CompileTool(expr, by)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !m.Match(toolNamed(name), "") {
					t.Errorf("%q (%v) does not match %q", expr, by, name)
				}
			}
		}
		for _, expr := range []string{"shell|edit_file|mcp:.*", "mcp__.*", "mcp:lab/.*"} {
			m, err := CompileTool(expr, by)
			if err != nil {
				t.Fatal(err)
			}
			if name := "mcp__lab__say\nit"; !m.Match(toolNamed(name), "") {
				t.Errorf("%q (%v) does not match %q", expr, by, name)
			}
		}
	}
	m, err := CompileTool("Bash.?", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"Bash\n": true, "Bash\nx": false, "x\nBash": false} {
		if got := m.Match(toolNamed(name), ""); got != want {
			t.Errorf("Bash.? and %q: %v", name, got)
		}
	}
}

func TestToolMatcherAcceptsDialectName(t *testing.T) {
	t.Parallel()
	m, err := CompileTool("edit_file", false)
	if err != nil {
		t.Fatal(err)
	}
	if m.Match(toolNamed("Edit"), "") {
		t.Error("matches without the dialect's name")
	}
	if !m.Match(toolNamed("Edit"), "edit_file") {
		t.Error("does not match the dialect's name")
	}
}

func TestToolMatcherWithoutATool(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]bool{"": true, "*": true, "shell": false, ".*": false} {
		m, err := CompileTool(expr, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Match(nil, "shell"); got != want {
			t.Errorf("%q without a tool: %v, want %v", expr, got, want)
		}
		if got := m.Match(&checkrein.Tool{}, ""); got != want {
			t.Errorf("%q with a nameless tool: %v, want %v", expr, got, want)
		}
	}
}

func TestToolMatcherMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, expr, want string }{
		{"open group", "Bash(", `"(" is never closed`},
		{"open class", "[a", `"[" is never closed`},
		{"star alone behind", "a|*", `"*" has nothing before it`},
		{"what breaks out of the whole name", "a)|(b", `")" has no opening bracket`},
		{"look-ahead", "Bash(?=x)", "if: {not: …}"},
		{"negative look-ahead", "(?!Bash).*", "if: {not: …}"},
		{"look-behind", "(?<=a)b", "if: {not: …}"},
		{"negative look-behind", "(?<!a)b", "if: {not: …}"},
		{"look-behind in front of a name", "(?<=a)(?P<n>b)", "if: {not: …}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := CompileTool(tt.expr, false)
			if err == nil {
				t.Fatalf("%q is accepted", tt.expr)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) || !strings.Contains(got, tt.expr) {
				t.Errorf("error %q, want %q and the pattern in it", got, tt.want)
			}
			if strings.Contains(err.Error(), "^(?:") {
				t.Errorf("error %q shows what the person did not write", err)
			}
		})
	}
}

func TestMatchesKnown(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]bool{
		"": true, "*": true, "shell": true, "Bash": true, "edit_file": true, "mcp__lab__say": true, "mcp:lab/say": true, "mcp__.*": true, "mcp:.*": true,
		"shel": false, "SHELL": false, "Bahs|Wriet": false, "x.*": false, "x|shell": true,
	} {
		m, err := CompileTool(expr, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.MatchesKnown(); got != want {
			t.Errorf("%q matches a known tool: %v, want %v", expr, got, want)
		}
	}
}

// matchesWhole is a reference implementation: it reports whether a match of expr is all of name. If
// there is one, it is the leftmost and longest.
func matchesWhole(expr, name string) bool {
	re := regexp.MustCompile(expr)
	re.Longest()
	loc := re.FindStringIndex(name)
	return loc != nil && loc[0] == 0 && loc[1] == len(name)
}

// FuzzToolMatcher checks that a matcher means the regular expression over the whole name, whichever
// shortcut it takes.
func FuzzToolMatcher(f *testing.F) {
	for _, s := range []string{"shell", "a|b", "a||b", "|", "*", "(?i)x", "a)|(b", "(?<=a)", `\Qa`, "mcp:.*", "[", "a{1000}{1000}"} {
		f.Add(s, "shell")
	}
	f.Fuzz(func(t *testing.T, expr, name string) {
		m, err := CompileTool(expr, false)
		if err != nil || !utf8.ValidString(expr) {
			return
		}
		got := m.Match(&checkrein.Tool{Name: name}, "")
		want := expr == "" || expr == "*"
		if !want && name != "" {
			want = matchesWhole(expr, name)
		}
		if got != want {
			t.Errorf("%q on %q: %v, want %v", expr, name, got, want)
		}
		m.MatchesKnown()
	})
}
