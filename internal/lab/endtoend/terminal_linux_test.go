package endtoend

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// claudeState is the state that Claude Code has for a user who has used it in this project before.
const claudeState = `{"hasCompletedOnboarding":true,"theme":"dark","bypassPermissionsModeAccepted":true,
"customApiKeyResponses":{"approved":["not-a-key"],"rejected":[]},
"projects":{%q:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"allowedTools":[]}}}`

// TestHostAsksAtTerminal starts Claude Code at a terminal: if the guard asks, a dialog appears, even
// where the host itself would not ask, and the command waits for it. After a yes it runs, and misses
// finds that the user was asked.
func TestHostAsksAtTerminal(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
	for _, mode := range []string{"default", "bypassPermissions", "dontAsk"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, programs, "claude")
			w.writeFiles(w.Home, map[string]string{".claude/.claude.json": fmt.Sprintf(claudeState, w.Project)})
			w.writeFiles(w.Project, map[string]string{"src/main.c": "int main;\n"})
			w.writeFiles(w.Home, map[string]string{".config/checkrein/checkrein.yaml": "version: 1\npacks: [{name: filesystem, medium: ask}]\n"}) // otherwise the loss is saved
			w.Model().Play(callScript(mockmodel.Shell("rm -rf ./src")))
			ours, theirs, err := openTerminal()
			if err != nil {
				t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
			}
			cmd := exec.CommandContext(t.Context(), w.Argv(hostlab.Run{})[0], "please go", "--permission-mode", mode)
			cmd.Dir, cmd.Env = w.Project, append(w.Environ(nil), "IS_SANDBOX=1", "TERM=xterm-256color") // else it refuses root that mode
			cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = theirs.Close()
			screen := readTerminal(ours, "Do you want to proceed?")
			if !w.there(filepath.Join(w.Project, "src", "main.c")) {
				t.Error("the command ran")
			}
			if mode == "default" {
				testYes(t, w, ours)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
			_ = ours.Close()
			if !strings.Contains(screen, "requires confirmation") || !strings.Contains(screen, "deletes project files") {
				t.Errorf("the person was not asked: %s", screen)
			}
		})
	}
}

// testYes confirms a dialog, and checks that the command runs and that misses finds nothing.
func testYes(t *testing.T, w *world, terminal *os.File) {
	t.Helper()
	go func() { _, _ = io.Copy(io.Discard, terminal) }() // until it is closed
	file, done := filepath.Join(w.Project, "src", "main.c"), false
	for end := time.Now().Add(time.Minute); !done && time.Now().Before(end); time.Sleep(time.Second) {
		if w.there(file) {
			if _, err := terminal.WriteString("\r"); err != nil { // a dialog that has just come may not listen yet
				t.Fatal(err)
			}
		}
		kept, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range kept {
			text, err := os.ReadFile(path)
			done = done || err == nil && strings.Contains(string(text), `"toolUseResult"`)
		}
	}
	var r misses.Report
	out := w.checkrein("misses", "--json", "--max", "9")
	if err := json.Unmarshal([]byte(out), &r); err != nil || !done || w.there(file) || r.Seen != 1 || r.Failures() > 0 {
		t.Errorf("after a yes: its result is there: %v, %v\n%s", done, err, out)
	}
}

// escapes matches terminal escapes and white space.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|[ \r\n]+`)

// readTerminal returns the output of a terminal up to words, or until it closes.
func readTerminal(f *os.File, words string) string {
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		all = append(all, buf[:n]...)
		if shown := escapes.ReplaceAllString(string(all), " "); err != nil || strings.Contains(strings.Join(strings.Fields(shown), " "), words) {
			return strings.Join(strings.Fields(shown), " ")
		}
	}
}

// openTerminal returns both ends of a new pseudo-terminal.
func openTerminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(theirs.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
	}
	return ours, theirs, err
}
