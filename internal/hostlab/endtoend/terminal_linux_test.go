package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/checkrein/checkrein/internal/hostlab"
	"github.com/checkrein/checkrein/internal/hostlab/hosttest"
	"github.com/checkrein/checkrein/internal/mockmodel"
)

// claudeSettled is what Claude Code keeps of a person who has used it before in
// this project.
const claudeSettled = `{"hasCompletedOnboarding":true,"theme":"dark","bypassPermissionsModeAccepted":true,
"customApiKeyResponses":{"approved":["not-a-key"],"rejected":[]},
"projects":{%q:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"allowedTools":[]}}}`

// TestHostAsksAtTerminal starts Claude Code at a terminal: what the guard wants a
// person to be asked about is a dialog there, also where the host itself would
// not ask, and the command waits for it.
func TestHostAsksAtTerminal(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := build(t)
	for _, mode := range []string{"default", "bypassPermissions", "dontAsk"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, programs, "claude")
			w.files(w.Home, map[string]string{".claude/.claude.json": fmt.Sprintf(claudeSettled, w.Project)})
			w.files(w.Project, map[string]string{"src/main.c": "int main;\n"})
			w.Model().Play(script(mockmodel.Shell("rm -rf ./src")))
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
			screen := readUntil(ours, "Do you want to proceed?")
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
			_ = ours.Close()
			if !strings.Contains(screen, "requires confirmation") || !strings.Contains(screen, "deletes project files") {
				t.Errorf("the person was not asked: %s", screen)
			}
			if !w.there(filepath.Join(w.Project, "src", "main.c")) {
				t.Error("the command ran")
			}
		})
	}
}

// escapes are what a terminal does not show.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|[ \r\n]+`)

// readUntil returns what a terminal showed until some words, or until it closed.
func readUntil(f *os.File, words string) string {
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

// openTerminal opens both ends of a terminal.
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
