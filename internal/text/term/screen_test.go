package term

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func printToString(o Options, f func(s *Screen)) string {
	var b bytes.Buffer
	f(New(&b, o))
	return b.String()
}

func TestColour(t *testing.T) {
	for _, c := range []struct {
		flag    string
		environ []string
		tty     bool
		want    bool
	}{
		{"", nil, true, true},
		{"", nil, false, false},
		{"auto", []string{"NO_COLOR=1"}, true, false},
		{"auto", []string{"NO_COLOR="}, true, true},
		{"always", []string{"NO_COLOR=1"}, false, true},
		{"never", []string{"FORCE_COLOR=1"}, true, false},
		{"", []string{"FORCE_COLOR=1"}, false, true},
		{"", []string{"CLICOLOR_FORCE=0"}, false, false},
		{"", []string{"TERM=dumb"}, true, false},
		{"", []string{"NO_COLOR=1", "CLICOLOR_FORCE=1"}, true, false},
	} {
		if got := wantsColour(c.flag, c.environ, c.tty); got != c.want {
			t.Errorf("%q %v tty=%v: %v", c.flag, c.environ, c.tty, got)
		}
	}
}

// TestHostileText checks that text of a hook cannot control the terminal, with or without colours.
func TestHostileText(t *testing.T) {
	for _, colour := range []string{"always", "never"} {
		out := printToString(Options{Colour: colour}, func(s *Screen) {
			s.Line(T(Bad, "a\x1b[2Jb\nc\u202e"))
			s.Text(0, 2, P("x\x07y"), Command("z\r"))
			table := &Table{Columns: []Column{{Title: "A"}}}
			table.AddRow([]Span{P("\x1b]0;t\x07")})
			s.Table(0, table)
		})
		out = strings.NewReplacer("\x1b[1;31m", "", "\x1b[36m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(out)
		for _, r := range out {
			if r < ' ' && r != '\n' || r == '\u202e' {
				t.Errorf("%s: %q drives a terminal", colour, out)
				break
			}
		}
		if lines := strings.Count(out, "\n"); lines != 4 {
			t.Errorf("%s: %d lines: %q", colour, lines, out)
		}
	}
}

func TestText(t *testing.T) {
	got := printToString(Options{Environ: []string{"COLUMNS=40"}}, func(s *Screen) {
		s.Text(0, 2, T(Bad, "DENIED"), P(" because the rule says so: allow it with "), Command("checkrein allow 12 --for 2h --here"), P(", or not."))
	})
	want := "DENIED because the rule says so: allow\n  it with\n  checkrein allow 12 --for 2h --here, or\n  not.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLines checks that a message of several lines keeps its line breaks, and that nothing else in it
// controls the terminal.
func TestLines(t *testing.T) {
	got := printToString(Options{Environ: []string{"COLUMNS=40"}}, func(s *Screen) {
		s.Text(0, 2, T(Bad, "error: "), Lines("the rule has two parts:\n\tone\nanother that is far too long for one line\n\x1b[2Jtwo\r\n"), P(" (a\nb)"))
	})
	want := "error: the rule has two parts:\n      one\n  another that is far too long for one\n  line\n  \\x1b[2Jtwo (a\\nb)\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestTextFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z表✓é]{1,9}`), 1, 40).Draw(t, "words")
		width := rapid.IntRange(minWidth, 120).Draw(t, "width")
		text := strings.Join(words, " ")
		lines := wrapSpans([]Span{T(Good, text)}, width, 2, 4)
		var back []string
		for i, line := range lines {
			pad := 4
			if i == 0 {
				pad = 2
			}
			if n := pad + spansWidth(line); n > width {
				t.Fatalf("line %d has %d columns of %d", i, n, width)
			}
			var b strings.Builder
			for _, sp := range line {
				b.WriteString(sp.Text)
			}
			back = append(back, b.String())
		}
		if got := strings.Join(back, " "); got != text {
			t.Fatalf("got %q of %q", got, text)
		}
	})
}

func TestTable(t *testing.T) {
	table := &Table{Columns: []Column{{Title: "ID", Right: true}, {Title: "COMMAND", Give: 1, Least: 10}, {Title: "WHY", Give: 2, Least: 8}}}
	table.AddRow([]Span{P("7")}, []Span{T(Name, "git push --force origin main")}, []Span{P("it overwrites what others pushed")})
	table.AddRow([]Span{P("1204")}, []Span{P("ls")})
	table.AddBelow(P("a note"))
	for columns, want := range map[string]string{
		"COLUMNS=":   "  ID  COMMAND                       WHY\n   7  git push --force origin main  it overwrites what others pushed\n1204  ls\n    a note\n",
		"COLUMNS=50": "  ID  COMMAND                       WHY\n   7  git push --force origin main  it overwrites…\n1204  ls\n    a note\n",
		"COLUMNS=40": "  ID  COMMAND                   WHY\n   7  git push --force origin…  it over…\n1204  ls\n    a note\n",
	} {
		got := printToString(Options{Environ: []string{columns}}, func(s *Screen) { s.Table(0, table) })
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", columns, got, want)
		}
	}
}

// TestTableContinues checks that later rows continue below the earlier ones, in the same columns.
func TestTableContinues(t *testing.T) {
	got := printToString(Options{}, func(s *Screen) {
		table := &Table{Columns: []Column{{Title: "ID"}, {Title: "WHAT"}}}
		table.AddRow([]Span{P("wide one")}, []Span{P("x")})
		s.Table(0, table)
		table.ClearRows()
		table.AddRow([]Span{P("2")}, []Span{P("y")})
		s.Table(0, table)
	})
	if want := "ID        WHAT\nwide one  x\n2         y\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestDiff(t *testing.T) {
	text := "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\tcolumn\n--- old\n+new\x1b[2J\n"
	if got, want := printToString(Options{Environ: []string{"COLUMNS=40"}}, func(s *Screen) { s.Diff("", []byte(text)) }), strings.ReplaceAll(text, "\x1b", `\x1b`); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got := printToString(Options{Colour: "always"}, func(s *Screen) { s.Diff("  ", []byte(text)) })
	want := "  \x1b[1m--- a/x\x1b[0m\n  \x1b[1m+++ b/x\x1b[0m\n  \x1b[2m@@ -1,2 +1,2 @@\x1b[0m\n   same\tcolumn\n  \x1b[31m--- old\x1b[0m\n  \x1b[32m+new\\x1b[2J\x1b[0m\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWords(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	s := New(&bytes.Buffer{}, Options{Home: "/home/eve/", Now: now})
	for got, want := range map[string]string{
		FormatCount(0, "event"): "no events", FormatCount(1, "entry"): "1 entry", FormatCount(1204, "entry"): "1,204 entries", FormatCount(2, "day"): "2 days", FormatCount(3, "match"): "3 matches",
		FormatNumber(-1234567): "-1,234,567", FormatNumber(-123): "-123", FormatNumber(100): "100",
		s.ShortPath("/home/eve/.claude/x"): "~/.claude/x", s.ShortPath("/home/eve"): "~", s.ShortPath("/home/evelyn/x"): "/home/evelyn/x",
		s.Ago(now.Add(-3 * time.Second)): "3 s ago", s.Ago(now.Add(-47 * time.Hour)): "47 h ago", s.Ago(now.Add(-72 * time.Hour)): "3 days ago",
		s.Ago(time.Time{}): "never", s.Ago(now.Add(2 * time.Hour)): "in 2 h", s.Ago(now.AddDate(0, -3, 0)): "2026-08-17", s.Ago(now): "just now",
		s.FormatClock(now.Add(-time.Hour)): "11:00:00", s.FormatClock(now.Add(-13 * time.Hour)): "2026-11-16 23:00:00",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestCodeIsNotWrapped checks that neither a span of code nor the text between backquotes in a
// sentence is wrapped.
func TestCodeIsNotWrapped(t *testing.T) {
	const code = "curl -fsSL https://example.com/install.sh --output install.sh"
	got := printToString(Options{Environ: []string{"COLUMNS=40"}}, func(s *Screen) {
		s.Text(0, 2, P("It was blocked: "), Code(Strong, code), P("  because of a rule."))
		s.Text(0, 2, P("Instead, run `"+code+"`, read the file ` and then run it."))
	})
	if n := strings.Count(got, code); n != 2 {
		t.Errorf("%d of 2 are whole:\n%s", n, got)
	}
	for _, line := range strings.Split(got, "\n") {
		if Columns(line) > 40 && !strings.Contains(line, code) {
			t.Errorf("too wide: %q", line)
		}
	}
}
