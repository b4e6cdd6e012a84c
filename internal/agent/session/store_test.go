package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// newStore returns a store in a directory of its own.
func newStore(t *testing.T) Store {
	t.Helper()
	return storeAt(filepath.Join(t.TempDir(), "state"))
}

func storeAt(dir string) Store {
	return Store{Dir: state.NewDir(dir), Now: func() time.Time { return noon }}
}

func messageItem(role, text string) Item {
	return Item{Kind: Said, At: noon, Message: &model.Message{Role: role, Content: text}}
}

// createSession creates a session with items and closes it.
func createSession(t *testing.T, s Store, id string, items ...Item) {
	t.Helper()
	log, err := s.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append(items...); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// appendBytes appends bytes to a session, as a killed process may have.
func appendBytes(t *testing.T, s Store, id, text string) {
	t.Helper()
	f, err := os.OpenFile(s.Dir.Path(folder, id+suffix), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	cost := 0.5
	s := newStore(t)
	want := []Item{
		{Kind: Begin, At: noon, Dir: "/work", File: "/work/agent.yaml"},
		{Kind: Context, At: noon, Text: "it is late"},
		messageItem(model.User, "hello\nthere"),
		{Kind: Said, At: noon, Message: &model.Message{Role: model.Assistant, Usage: &model.Usage{Input: 3}, Cost: &cost,
			ToolCalls: []model.ToolCall{{ID: "c1", Type: "function", Function: model.Function{Name: "shell", Arguments: `{"cmd":"ls"}`}}}}},
		{Kind: Granted, At: noon, Text: "shell:cmd=ls"},
		{Kind: Switched, At: noon, Agent: "helper"},
		{Kind: Summary, At: noon, Text: "short", Kept: 2},
		{Kind: Cleared, At: noon},
		{Kind: Ended, At: noon, Text: "exit"},
	}
	createSession(t, s, "s1", want...)
	log, got, err := s.Resume("s1")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if _, _, err := s.Resume("s2"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown session: %v", err)
	}
	info, err := os.Stat(s.Dir.Path(folder, "s1"+suffix))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// An incomplete last line of a killed process is removed; other damage is reported with its line, and
// nothing is deleted.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tail string
		want       int // items
		err        string
	}{
		{"whole", "", 2, ""},
		{"half a line", `{"kind":"message","mess`, 2, ""},
		{"a whole line without its end", `{"kind":"message","message":{"role":"user","content":"x"}}`, 2, ""},
		{"half a character", "{\"kind\":\"\xe2", 2, ""},
		{"zeros", "\x00\x00\x00", 2, ""},
		{"a damaged line", "garbage\n", 0, "line 3 is damaged"},
		{"a damaged line before a good one", "{\n" + `{"kind":"end"}` + "\n", 0, "line 3 is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			createSession(t, s, "s1", Item{Kind: Begin, At: noon}, messageItem(model.User, "hello"))
			appendBytes(t, s, "s1", tt.tail)
			before, _ := os.ReadFile(s.Dir.Path(folder, "s1"+suffix))
			log, items, err := s.Resume("s1")
			if tt.err != "" {
				after, _ := os.ReadFile(s.Dir.Path(folder, "s1"+suffix))
				if err == nil || !strings.Contains(err.Error(), tt.err) || string(before) != string(after) {
					t.Errorf("%v, and the file is %q", err, after)
				}
				return
			}
			if err != nil || len(items) != tt.want {
				t.Fatalf("%d items, %v", len(items), err)
			}
			if err := log.Append(messageItem(model.User, "next")); err != nil {
				t.Fatal(err)
			}
			log.Close()
			_, items, err = s.Resume("s1")
			if err != nil || len(items) != tt.want+1 || items[tt.want].Message.Content != "next" {
				t.Errorf("after the next message: %v, %v", items, err)
			}
		})
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "a.b", "a b", "ä", "a\x00", strings.Repeat("a", 129)} {
		if _, err := s.Create(id); err == nil {
			t.Errorf("%q can be created", id)
		}
		if _, _, err := s.Resume(id); err == nil {
			t.Errorf("%q can be resumed", id)
		}
	}
	createSession(t, s, "s1", Item{Kind: Begin, At: noon})
	if _, err := s.Create("s1"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("created twice: %v", err)
	}
}

// No line has secrets; everything else is unchanged.
func TestSecretsAreNotKept(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Z7VRSQ5TJN2XMPLQ"
	s := newStore(t)
	m := &model.Message{Role: model.Assistant, Content: "the key is " + key + ", use it", ToolCalls: []model.ToolCall{
		{ID: "c1", Function: model.Function{Name: "shell", Arguments: `{"cmd":"echo ` + key + `","n":1}`}},
		{ID: "c2", Function: model.Function{Name: "shell", Arguments: `{"cmd":"echo ` + key}},
	}}
	createSession(t, s, "s1", Item{Kind: Said, Message: m}, Item{Kind: Context, Text: key}, Item{Kind: Summary, Text: "they said " + key}, Item{Kind: Granted, Text: "shell:cmd=echo " + key})
	data, err := os.ReadFile(s.Dir.Path(folder, "s1"+suffix))
	if err != nil || strings.Contains(string(data), key) || strings.Count(string(data), "[REDACTED]") != 6 {
		t.Errorf("%v\n%s", err, data)
	}
	if !strings.Contains(m.Content, key) || !strings.Contains(m.ToolCalls[0].Function.Arguments, key) {
		t.Error("the conversation itself was changed")
	}
	_, items, err := s.Resume("s1")
	if err != nil || items[0].Message.ToolCalls[0].Function.Arguments != `{"cmd":"echo [REDACTED]","n":1}` {
		t.Errorf("%v, %v", items, err)
	}
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	log, err := s.Create("s1")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.size = maxSize - 10
	if err := log.Append(messageItem(model.User, "hello")); err == nil {
		t.Error("it grows without end")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("of nothing: %v, %v", list, err)
	}
	later := messageItem(model.User, "newer")
	later.At = noon.Add(time.Hour)
	createSession(t, s, "old", Item{Kind: Begin, At: noon, Dir: "/d", File: "/f"}, messageItem(model.System, "system"), messageItem(model.User, "first"), messageItem(model.User, "second"), Item{Kind: Ended, At: noon})
	createSession(t, s, "new", Item{Kind: Begin, At: noon}, later)
	createSession(t, s, "empty")
	createSession(t, s, "resumed", Item{Kind: Begin, At: noon.Add(-time.Hour)}, Item{Kind: Ended, At: noon.Add(-time.Hour)}, messageItem(model.User, "again"))
	appendBytes(t, s, "old", `{"torn`)
	if err := s.Dir.Write(folder+"/other.txt", []byte("not one")); err != nil {
		t.Fatal(err)
	}
	open, _, err := s.Resume("new") // which is no reason not to list it
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	list, err := s.List()
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	if e := list[0]; e.ID != "new" || e.First != "newer" || e.Ended {
		t.Errorf("%+v", e)
	}
	ids := []string{list[1].ID, list[2].ID}
	for _, e := range list[1:] {
		if e.ID == "old" && (e.First != "first" || e.Dir != "/d" || e.File != "/f" || !e.Ended || !e.Began.Equal(noon)) {
			t.Errorf("%+v", e)
		}
		if e.ID == "resumed" && e.Ended {
			t.Errorf("%+v", e)
		}
	}
	if strings.Join(ids, " ") != "old resumed" && strings.Join(ids, " ") != "resumed old" {
		t.Errorf("%v", ids)
	}
}

// Creating a session removes those that were not changed for long, and nothing else.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Now = time.Now
	createSession(t, s, "old", Item{Kind: Begin, At: noon})
	createSession(t, s, "young", Item{Kind: Begin, At: noon})
	if err := s.Dir.Write(folder+"/mine.txt", nil); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-maxAge - time.Hour)
	for _, name := range []string{"old" + suffix, "mine.txt"} {
		if err := os.Chtimes(s.Dir.Path(folder, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	createSession(t, s, "next", Item{Kind: Begin, At: noon})
	names, err := s.Dir.Names(folder)
	slices.Sort(names)
	if got := strings.Join(names, " "); err != nil || got != "mine.txt next.jsonl young.jsonl" {
		t.Errorf("%s, %v", got, err)
	}
}

// startChild runs this test's binary as another process that uses the store.
func startChild(t *testing.T, s Store, what string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), "SESSION_TEST="+what, "SESSION_TEST_DIR="+s.Dir.Path())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewReader(out)
}

// TestChild is what such a process does.
func TestChild(t *testing.T) {
	what := os.Getenv("SESSION_TEST")
	if what == "" {
		t.Skip("it is run by other tests")
	}
	s := storeAt(os.Getenv("SESSION_TEST_DIR"))
	log, items, err := s.openLog("s1")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("open")
	if what == "hold" {
		for { // an empty select would be a deadlock
			time.Sleep(time.Hour)
		}
	}
	for n := len(items); ; n++ {
		if err := log.Append(messageItem(model.User, fmt.Sprint(n, " ", strings.Repeat("x", 5000)))); err != nil {
			t.Fatal(err)
		}
		fmt.Println("written", n)
	}
}

// While one process has a session open, no other can open it; afterwards the next one can.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	cmd, out := startChild(t, s, "hold")
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Resume("s1"); err == nil || !strings.Contains(err.Error(), "open in another process") {
		t.Errorf("opened twice: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	log, _, err := s.Resume("s1")
	if err != nil {
		t.Fatal(err)
	}
	log.Close()
}

// A process that is killed while it writes leaves a session that can be resumed, with everything that
// it reported as written.
func TestKilled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for range 5 {
		cmd, out := startChild(t, s, "write")
		last := -1
		for range 30 {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			_, _ = fmt.Sscanf(line, "written %d", &last)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		log, items, err := s.Resume("s1")
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
		if len(items) <= last {
			t.Fatalf("%d items, but %d were written", len(items), last+1)
		}
		for i, it := range items {
			if !strings.HasPrefix(it.Message.Content, fmt.Sprint(i, " x")) {
				t.Fatalf("item %d is %.20q", i, it.Message.Content)
			}
		}
	}
}
