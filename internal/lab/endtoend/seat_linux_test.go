package endtoend

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// A seat is where a person sits: a terminal of its own with a shell in it, beside
// the host and not below it.
type seat struct {
	screen *os.File
	cmd    *exec.Cmd
	unread string
}

// prompt is that of the seat's shell.
const prompt = "person$ "

// sit opens a terminal for a person, who has only what a login gives them.
func (w *world) sit() (*seat, error) {
	ours, theirs, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.CommandContext(w.t.Context(), "/bin/bash", "--norc", "--noprofile", "--noediting", "-i")
	cmd.Dir = w.Home
	cmd.Env = []string{"HOME=" + w.Home, "PATH=" + w.Bin + ":/usr/bin:/bin", "TERM=dumb", "LANG=C.UTF-8", "NO_COLOR=1", "PS1=" + prompt}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, err
	}
	s := &seat{screen: ours, cmd: cmd}
	s.until(prompt)
	return s, nil
}

// until returns what the terminal shows up to some words, or up to the shell's
// next prompt: a command that refuses asks nothing.
func (s *seat) until(words string) string {
	buf := make([]byte, 4096)
	for {
		for _, end := range []string{words, prompt} {
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

// run types a command and returns what the terminal shows of it, the command
// included. Each question is answered once it is asked: what is typed ahead of a
// question does not count.
func (s *seat) run(command, question, answer string) string {
	_, _ = s.screen.WriteString(command + "\n")
	shown := ""
	if question != "" {
		shown = s.until(question)
		if strings.HasSuffix(shown, prompt) {
			return "$ " + strings.TrimSuffix(shown, prompt)
		}
		_, _ = s.screen.WriteString(answer + "\n")
	}
	return "$ " + strings.TrimSuffix(shown+s.until(prompt), prompt)
}

// leave ends the shell.
func (s *seat) leave() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	_ = s.screen.Close()
}
