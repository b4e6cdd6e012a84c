package endtoend

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// A userTerminal is a person's terminal with a shell. It is not a descendant of the host.
type userTerminal struct {
	screen *os.File
	cmd    *exec.Cmd
	unread string
}

// shellPrompt is the prompt of the shell in a userTerminal.
const shellPrompt = "person$ "

// openUserTerminal opens a terminal for a person, with the environment of a login.
func (w *world) openUserTerminal() (*userTerminal, error) {
	ours, theirs, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.CommandContext(w.t.Context(), "/bin/bash", "--norc", "--noprofile", "--noediting", "-i")
	cmd.Dir = w.Home
	cmd.Env = []string{"HOME=" + w.Home, "PATH=" + w.Bin + ":/usr/bin:/bin", "TERM=dumb", "LANG=C.UTF-8", "NO_COLOR=1", "PS1=" + shellPrompt}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, err
	}
	s := &userTerminal{screen: ours, cmd: cmd}
	s.readUntil(shellPrompt)
	return s, nil
}

// readUntil returns the terminal's output up to words, or up to the shell's next prompt, because a
// command that refuses does not ask.
func (s *userTerminal) readUntil(words string) string {
	buf := make([]byte, 4096)
	for {
		for _, end := range []string{words, shellPrompt} {
			if i := strings.Index(s.unread, end); i >= 0 {
				shown := s.unread[:i+len(end)]
				s.unread = s.unread[i+len(end):]
				return shown
			}
		}
		n, err := s.screen.Read(buf)
		s.unread += strings.ReplaceAll(string(buf[:n]), "\r", "")
		if err != nil {
			shown := s.unread
			s.unread = ""
			return shown
		}
	}
}

// run types a command and returns the terminal's output, including the command. It types the answer
// only after the question has appeared, because earlier input is discarded.
func (s *userTerminal) run(command, question, answer string) string {
	_, _ = s.screen.WriteString(command + "\n")
	shown := ""
	if question != "" {
		shown = s.readUntil(question)
		if strings.HasSuffix(shown, shellPrompt) {
			return "$ " + strings.TrimSuffix(shown, shellPrompt)
		}
		_, _ = s.screen.WriteString(answer + "\n")
	}
	return "$ " + strings.TrimSuffix(shown+s.readUntil(shellPrompt), shellPrompt)
}

// exitShell ends the shell.
func (s *userTerminal) exitShell() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	_ = s.screen.Close()
}
