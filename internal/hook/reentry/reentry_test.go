//go:build unix

package reentry

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// asked makes the test binary a program that says, for every line of marks on
// its stdin, whether it runs inside the hook; kept makes it one that lives until
// its stdin ends.
const asked, kept = "INSIDE_TEST_ASKED", "INSIDE_TEST_KEPT"

func guard() *checkrein.Hook {
	return &checkrein.Hook{ID: "pre_tool_use#1", On: checkrein.PreToolUse, From: checkrein.Origin{File: "/repo/checkrein.yaml"}}
}

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asked) != "":
		lines := bufio.NewScanner(os.Stdin)
		for lines.Buffer(nil, 1<<20); lines.Scan(); {
			fmt.Println(NewSeal(state.NewDir(os.Getenv(asked))).Verify(lines.Text()).IsInside(guard()))
		}
		return
	case os.Getenv(kept) != "":
		fmt.Println("here")
		_, _ = os.Stdin.Read(make([]byte, 1))
		return
	}
	dir, err := os.MkdirTemp("", "inside")
	if err != nil {
		panic(err)
	}
	home = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// home is the state directory that the test shares with its children.
var home string

func own() *Seal { return NewSeal(state.NewDir(home)) }

// testEvent returns the event on which the hooks run.
func testEvent() *checkrein.Event {
	return &checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s"}}
}

// sealedMark returns what follows the owner in a valid mark of the guard.
func sealedMark(owner string) string { return sealedBy(own().loadKey(true), owner) }

func sealedBy(key []byte, owner string) string {
	m := mark{owner: owner, hook: hookDigest(key, guard()), event: eventDigest(key, testEvent())}
	m.sealed = m.computeSeal(key)
	return strings.TrimPrefix(m.String(), owner)
}

// askChild starts a child, through shells if deep is set, and returns for each of marks whether the
// child finds itself inside the hook.
func askChild(t *testing.T, deep bool, marks ...string) []bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	if deep {
		cmd = exec.Command("/bin/sh", "-c", `/bin/sh -c '"$0"; :' "$0"; :`, self)
	}
	cmd.Env = append(os.Environ(), asked+"="+home, "GORACE=atexit_sleep_ms=0")
	cmd.Stdin = strings.NewReader(strings.Join(marks, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child: %v: %s", err, out)
	}
	said := strings.Fields(string(out))
	if len(said) != len(marks) {
		t.Fatalf("child said %q about %d marks", said, len(marks))
	}
	inside := make([]bool, len(said))
	for i, s := range said {
		inside[i] = s == "true"
	}
	return inside
}

func marked(t *testing.T, outer string, h *checkrein.Hook) string {
	t.Helper()
	m, err := own().AddMark(outer, h, testEvent())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMarkOfALiveAncestorCounts(t *testing.T) {
	t.Parallel()
	m := marked(t, "", guard())
	if !askChild(t, false, m)[0] {
		t.Error("a child does not find itself inside")
	}
	if !askChild(t, true, m)[0] {
		t.Error("a grandchild does not find itself inside")
	}
}

func TestMarkOfAnOuterHookCountsToo(t *testing.T) {
	t.Parallel()
	other := guard()
	other.ID = "pre_tool_use#2"
	if m := marked(t, marked(t, "", guard()), other); !askChild(t, false, m)[0] {
		t.Errorf("the outer one of %q does not count", m)
	}
}

func TestNoMarkCountsForAnotherHook(t *testing.T) {
	t.Parallel()
	var names, marks []string
	for name, change := range map[string]func(*checkrein.Hook){
		"id":           func(h *checkrein.Hook) { h.ID = "pre_tool_use#2" },
		"event":        func(h *checkrein.Hook) { h.On = checkrein.PostToolUse },
		"native event": func(h *checkrein.Hook) { h.Event = "FileChanged" },
		"file":         func(h *checkrein.Hook) { h.From.File = "/other/checkrein.yaml" },
	} {
		h := guard()
		change(h)
		names, marks = append(names, name), append(marks, marked(t, "", h))
	}
	for i, inside := range askChild(t, false, marks...) {
		if inside {
			t.Errorf("the mark of a hook with another %s counts", names[i])
		}
	}
}

func TestForgedMarksDoNotCount(t *testing.T) {
	t.Parallel()
	self, err := process.SelfID()
	if err != nil {
		t.Fatal(err)
	}
	as := func(id string) string { return id + sealedMark(id) } // even with the right seal
	good := sealedMark(self.String())
	young := process.ID{PID: self.PID, Start: self.Start + 1}.String()
	old := process.ID{PID: self.PID, Start: self.Start - 1}.String()
	stranger := sealedBy(make([]byte, state.KeySize), self.String())
	marks := []string{
		"",
		as(young), as(old), as(fmt.Sprint(self.PID)), as(fmt.Sprintf("%d:0", self.PID)), as(""), as("0:0"),
		as("-" + self.String()), as("0" + self.String()), as("x," + self.String()), as(fmt.Sprintf("%d:%d", 1<<22, self.Start)),
		strings.TrimPrefix(good, "/"),
		self.String(),
		self.String() + "/",
		self.String() + "/" + strings.Repeat("0", 32),
		self.String() + stranger,
		self.String() + strings.Replace(good, good[:8], "/0000000", 1),
		self.String() + good + "0",
		self.String() + good[:len(good)-1],
		self.String() + sealedMark(young),
		strings.Repeat(as(young)+" ", 1000),
	}
	for i, inside := range askChild(t, false, marks...) {
		if inside {
			t.Errorf("%.80q counts", marks[i])
		}
	}
}

// startSibling starts a process that lives as long as the test and returns its identity.
func startSibling(t *testing.T) process.ID {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), kept+"=1", "GORACE=atexit_sleep_ms=0")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if _, err := stdout.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	return process.ID{PID: cmd.Process.Pid, Start: findStartTime(t, cmd.Process.Pid)}
}

// findStartTime returns the start time of a process by trying values, because the package offers no
// lookup of other processes.
func findStartTime(t *testing.T, pid int) uint64 {
	t.Helper()
	self, err := process.SelfID()
	if err != nil {
		t.Fatal(err)
	}
	for d := range uint64(1 << 20) {
		if process.IsAlive(process.ID{PID: pid, Start: self.Start + d}) {
			return self.Start + d
		}
	}
	t.Skip("the sibling's start time was not found on this platform")
	return 0
}

func TestLiveProcessThatIsNoAncestorDoesNotCount(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("searches for a start time")
	}
	sibling := startSibling(t)
	if !process.IsAlive(sibling) {
		t.Fatalf("%v is not alive", sibling)
	}
	if askChild(t, false, sibling.String()+sealedMark(sibling.String()))[0] {
		t.Error("a sibling's mark counts")
	}
}

// TestOwnMarkDoesNotCount checks that a process does not count as inside a hook that it runs itself.
func TestOwnMarkDoesNotCount(t *testing.T) {
	t.Parallel()
	if own().Verify(marked(t, "", guard())).IsInside(guard()) {
		t.Error("counts")
	}
}

func TestWithoutMarksNothingIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "  "} {
		if own().Verify(value) != nil {
			t.Errorf("%q gives marks", value)
		}
	}
}

func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	value := ""
	for range 10 * maxMarks {
		value = marked(t, value, guard())
	}
	if got := len(strings.Fields(value)); got != maxMarks {
		t.Errorf("%d marks, want %d", got, maxMarks)
	}
	if !askChild(t, false, value)[0] {
		t.Error("the newest mark was dropped")
	}
	flood := marked(t, string(bytes.Repeat([]byte("x "), 100_000)), guard())
	if got := len(strings.Fields(flood)); got > maxMarks {
		t.Errorf("%d marks of a flood, want at most %d", got, maxMarks)
	}
}

func TestWithoutAStateDirectoryNothingIsMarked(t *testing.T) {
	t.Parallel()
	s := NewSeal(state.Dir{})
	if m, err := s.AddMark("outer", guard(), testEvent()); err == nil || m != "outer" {
		t.Errorf("got %q, %v", m, err)
	}
	if s.Verify(marked(t, "", guard())).IsInside(guard()) {
		t.Error("a mark counts without a key")
	}
}

// TestNestingIsLimited checks that a chain of hooks that start programs with hooks ends.
func TestNestingIsLimited(t *testing.T) {
	t.Parallel()
	value := "x/y " + strings.Repeat("1:1/a/b/c ", 10) // marks with an invalid seal
	for i := range maxDepth {
		if own().Verify(value).IsTooDeep() {
			t.Fatalf("%d marks are too deep", i)
		}
		value = marked(t, value, guard())
	}
	if !own().Verify(value).IsTooDeep() {
		t.Errorf("%d marks are not too deep", maxDepth)
	}
}

// TestReportReachesRunner checks that the report of a process inside a hook reaches the process that
// runs the hook, and no other.
func TestReportReachesRunner(t *testing.T) {
	t.Parallel()
	other := guard()
	other.ID = "told"
	mine, another := marked(t, "", other), marked(t, "", guard())
	if own().TakeReport(mine) {
		t.Error("told by nobody")
	}
	own().Verify(mine).ReportNesting()
	if own().TakeReport(another) || own().TakeReport("") || own().TakeReport("x/../../inside.key") {
		t.Error("another one was told")
	}
	if !own().TakeReport(mine) {
		t.Error("not told")
	}
	if own().TakeReport(mine) {
		t.Error("told twice")
	}
}
