package watch

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/term"
)

// newScreen returns a screen of 60 columns and 8 rows with calls, of which every third is denied.
func newScreen(t *testing.T, calls int) *screen {
	t.Helper()
	env := clitest.Env
	s := &screen{ctx: t.Context(), env: &env, out: base.Screen(&env, env.Stdout), zone: time.UTC, isNewest: true}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 8})
	var b feed.Batch
	for i := range calls {
		r := feed.Row{Record: uint64(i + 1), Time: clitest.Noon, Kind: "event", Host: "claude", Event: "pre_tool_use", Tool: "Bash", Call: fmt.Sprintf("command %d", i), Answer: feed.Passed}
		if i%3 == 0 {
			r.Answer, r.Handle, r.Why, r.Rules = feed.Denied, fmt.Sprintf("4f2%d", i), "because", []string{"git/push-force"}
		}
		b.Rows = append(b.Rows, r)
	}
	s.Update(b)
	return s
}

// keys presses keys, and types what is no name of a key.
func (s *screen) keys(names ...string) (last tea.Cmd) {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp}
	for _, name := range names {
		if code, ok := special[name]; ok {
			_, last = s.Update(tea.KeyPressMsg{Code: code})
			continue
		}
		for _, r := range name {
			_, last = s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return last
}

// TestScreen checks what the screen shows after keys, row by row.
func TestScreen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keys []string
		want []string // parts of lines, one after another
		not  string
	}{
		{"newest", nil, []string{"checkrein watch  10 rows", "12:00:00 pass      claude         command 5", "> 12:00:00 denied    claude   4f29  command 9  git/push-f", "because", "enter explain  a allow  u undo  / filter  w waiting  q quit"}, "command 4"},
		{"older", []string{"up", "k"}, []string{"> 12:00:00 pass      claude         command 7", "command 9"}, "because"},
		{"oldest", []string{"home"}, []string{"> 12:00:00 denied    claude   4f20  command 0", "command 4"}, "command 5"},
		{"oldest and back", []string{"g", "down", "end"}, []string{"> 12:00:00 denied    claude   4f29  command 9"}, "command 4"},
		{"a page", []string{"pgup"}, []string{"> 12:00:00 pass      claude         command 4"}, ""},
		{"filter", []string{"/", "push-force", "enter"}, []string{"10 rows, 4 shown (esc shows all)", "command 0", "command 3", "/push-force"}, "command 5"},
		{"filter while it is typed", []string{"/", "denied", "backspace"}, []string{"/denie_", "enter keeps it"}, "command 5"},
		{"no filter", []string{"/", "denied", "enter", "esc"}, []string{"10 rows", "command 5"}, "shown"},
		{"letters are text in a filter", []string{"/", "q"}, []string{"/q_"}, "command"},
		{"nothing to allow", []string{"up", "a"}, []string{"nothing to allow"}, ""},
		{"nothing to undo", []string{"u"}, []string{"nothing to undo"}, ""},
	} {
		s := newScreen(t, 10)
		s.keys(tt.keys...)
		text := s.View().Content
		rest := text
		for _, want := range tt.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: no %q, or not there, in\n%s", tt.name, want, text)
				break
			}
			rest = after
		}
		if tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %q in\n%s", tt.name, tt.not, text)
		}
		for i, line := range strings.Split(text, "\n") {
			if i >= 8 || term.Columns(line) > 60 || strings.Contains(line, "\x1b") {
				t.Errorf("%s: line %d does not fit: %q", tt.name, i, line)
			}
		}
	}
}

// TestSelectionStays checks that the selected row stays selected when rows are added, unless it is the
// newest, and that a smaller terminal shows it.
func TestSelectionStays(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 10)
	s.keys("up")
	s.Update(feed.Batch{Rows: []feed.Row{{Record: 11, Call: "added", Answer: feed.Passed}}, Dropped: 7})
	s.Update(tea.WindowSizeMsg{Width: 45, Height: 5})
	if text := s.View().Content; !strings.Contains(text, "command") || !strings.Contains(text, "> ") || !strings.Contains(text, ", 7 left out") && !strings.Contains(text, "11 rows") {
		t.Error(text)
	}
	if shown := s.visibleRows(); shown[s.findSelected(shown)].Record != 9 {
		t.Errorf("selected %+v", shown[s.findSelected(shown)])
	}
	s.keys("end")
	s.Update(feed.Batch{Rows: []feed.Row{{Record: 12, Call: "newer", Answer: feed.Passed}}})
	if shown := s.visibleRows(); shown[s.findSelected(shown)].Record != 12 {
		t.Errorf("selected %+v", shown[s.findSelected(shown)])
	}
}

// TestWaiting checks that rows that wait for an answer are counted and can be shown alone.
func TestWaiting(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 10)
	s.Update(pendingMsg{"4f26": true})
	s.keys("w")
	if text := s.View().Content; !strings.Contains(text, "1 waiting for you  10 rows, 1 shown") || !strings.Contains(text, "command 6") || strings.Contains(text, "command 9") {
		t.Error(text)
	}
}

// TestKeysRunCommands checks which commands keys run, and that q quits.
func TestKeysRunCommands(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 10)
	s.rows[9].Saves = []string{"5b1c"}
	var ran []string
	s.run = func(_ context.Context, env console.Env) int { ran = append(ran, strings.Join(env.Args, " ")); return 0 }
	for _, key := range []string{"enter", "e", "a", "u"} {
		cmd := s.keys(key)
		if cmd == nil {
			t.Fatalf("%s runs nothing: %s", key, s.note)
		}
	}
	r := &s.rows[9]
	for _, key := range []string{"e", "a", "u"} {
		var out bytes.Buffer
		c := s.commandFor(key, r)
		c.env.Stdin, c.env.Stdout = strings.NewReader("\n"), &out
		if err := c.Run(); err != nil || !strings.Contains(out.String(), "$ checkrein ") {
			t.Errorf("%s: %v %s", key, err, out.String())
		}
	}
	if want := []string{"explain 10", "allow 4f29", "undo 5b1c"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	if cmd := s.keys("q"); cmd == nil || cmd() != (tea.QuitMsg{}) {
		t.Error("q does not quit")
	}
}

// TestPlainLines checks that a program that reads the output gets lines without control characters.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 2)
	env, out, _ := b.Env("watch")
	ctx, stop := context.WithCancel(t.Context())
	env.Stdout = writer(func(p []byte) (int, error) {
		if n, err := out.Write(p); strings.Count(out.String(), "\n") < 2 {
			return n, err
		}
		stop()
		return len(p), nil
	})
	if err := watch(ctx, &env, nil, feed.Options{Calls: true}); err != nil || strings.Contains(out.String(), "\x1b") || strings.Count(out.String(), "denied") != 2 {
		t.Errorf("%v\n%q", err, out.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
