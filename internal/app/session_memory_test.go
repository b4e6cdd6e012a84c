package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

func newTestMemory(t *testing.T) (*memory, string) {
	t.Helper()
	dir := t.TempDir()
	return newMemory(ledger.SealedDir(state.NewDir(dir)), time.Now), dir
}

func session1() *checkrein.Event {
	return &checkrein.Event{Kind: checkrein.Stop, Session: checkrein.Session{ID: "s1"}}
}

func TestMemoryCountsRedos(t *testing.T) {
	t.Parallel()
	m, _ := newTestMemory(t)
	for want := 1; want <= 5; want++ {
		if got := m.Redo(session1(), "h", "go on"); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	for name, ev := range map[string]*checkrein.Event{
		"another session": {Session: checkrein.Session{ID: "s2"}},
		"another agent":   {Session: checkrein.Session{ID: "s1", Agent: "child"}},
		"another host":    {Host: "claude", Session: checkrein.Session{ID: "s1"}},
	} {
		if got := m.Redo(ev, "h", "go on"); got != 1 {
			t.Errorf("%s: got %d, want 1", name, got)
		}
	}
	if got := m.Redo(session1(), "other", "go on"); got != 1 {
		t.Errorf("another hook: got %d, want 1", got)
	}
	if m.Redo(&checkrein.Event{}, "h", "x"); m.Redo(&checkrein.Event{}, "h", "x") != 1 {
		t.Error("without a session id something is remembered")
	}
}

func TestMemoryTurns(t *testing.T) {
	t.Parallel()
	const long = "the tests are red: run make test and mend them"
	for _, tt := range []struct {
		name, said, prompt string
		turn               bool
	}{
		{"another prompt", long, "please stop", true},
		{"our feedback", long, long, false},
		{"our feedback in the host's words", long, "Stop hook feedback:\n- [x]: " + long + "\nbye", false},
		{"our feedback quoted", long, "<feedback>" + long + "</feedback>", false},
		{"a short reason come back", "no", "no", false},
		{"a short reason behind a colon", "no", "Stop hook: no", false},
		{"a short reason on its own line", "no", "feedback\nno\n", false},
		{"a short reason that occurs in a prompt", "no", "now do something else, not that", true},
		{"a short reason at the end of a word", "no", "use the piano", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, _ := newTestMemory(t)
			m.Redo(session1(), "h", tt.said)
			ev := session1()
			ev.Text = tt.prompt
			m.Turn(ev)
			if got := m.Redo(session1(), "h", tt.said) == 1; got != tt.turn {
				t.Errorf("a new turn: %v, want %v", got, tt.turn)
			}
		})
	}
}

// Secrets that a hook quotes are not saved, but the feedback is recognized when it comes back.
func TestMemoryHasNoSecrets(t *testing.T) {
	t.Parallel()
	m, dir := newTestMemory(t)
	token := "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ"
	said := "take the token " + token + " out of main.go"
	m.Redo(session1(), "h", said)
	files, _ := filepath.Glob(filepath.Join(dir, "sessions", "*.json"))
	if len(files) != 1 {
		t.Fatalf("got files %q", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || bytes.Contains(data, []byte(token[4:16])) || !bytes.Contains(data, []byte("take the token")) {
		t.Errorf("%s, %v", data, err)
	}
	ev := session1()
	ev.Text = "Stop hook feedback:\n" + said
	m.Turn(ev)
	if got := m.Redo(session1(), "h", said); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
	ev.Text = "something else"
	m.Turn(ev)
	if got := m.Redo(session1(), "h", said); got != 1 {
		t.Errorf("in a new turn: got %d, want 1", got)
	}
}

// A damaged file must not make every redo count as the first, or the agent could never stop.
func TestDamagedMemoryIsReplaced(t *testing.T) {
	t.Parallel()
	m, dir := newTestMemory(t)
	m.Redo(session1(), "h", "go on")
	files, _ := filepath.Glob(filepath.Join(dir, "sessions", "*.json"))
	if len(files) != 1 {
		t.Fatalf("got files %q", files)
	}
	if err := os.WriteFile(files[0], []byte(`{"redo":`), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Redo(session1(), "h", "go on")
	if got := m.Redo(session1(), "h", "go on"); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

// The directory in which a session began decides which project counts, wherever it works later.
func TestMemoryKeepsTheFirstRoot(t *testing.T) {
	t.Parallel()
	m, _ := newTestMemory(t)
	a, b := t.TempDir(), t.TempDir()
	root := func(session, dir string) string {
		k := &Kit{memory: m}
		return k.openSession(&Options{Session: session, Dir: dir})
	}
	if got := root("s1", a); got != a {
		t.Errorf("got %s", got)
	}
	if got := root("s1", b); got != a {
		t.Errorf("the root moved to %s", got)
	}
	if got := root("", b); got != b {
		t.Errorf("without a session: got %s", got)
	}
}

// A notice is shown once per session.
func TestNoticeIsShownOnce(t *testing.T) {
	t.Parallel()
	m, _ := newTestMemory(t)
	for _, tt := range []struct {
		session string
		lines   []string
		want    int
	}{{"s1", []string{"a"}, 1}, {"s1", []string{"a", "b"}, 1}, {"s1", []string{"a", "b"}, 0}, {"s2", []string{"a"}, 1}, {"", []string{"a"}, 1}, {"", []string{"a"}, 1}} {
		if got := m.takeUnseen(tt.session, tt.lines); len(got) != tt.want {
			t.Errorf("session %q, %q: got %q, want %d lines", tt.session, tt.lines, got, tt.want)
		}
	}
}
