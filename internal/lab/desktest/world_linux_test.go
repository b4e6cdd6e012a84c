package desktest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// programs is the directory of the built programs.
var programs string

// agentVar is the environment variable with the path of checkrein with which this test's own program
// acts as an agent: it makes the calls in its input.
const agentVar = "CHECKREIN_TEST_AGENT"

func TestMain(m *testing.M) {
	if program := os.Getenv(agentVar); program != "" {
		os.Exit(actAsAgent(program))
	}
	var err error
	if programs, err = os.MkdirTemp("", "checkrein-*"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

// actAsAgent calls the hook for each line of the input, as Claude Code does, and prints each answer in
// a line.
func actAsAgent(program string) int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		cmd := exec.Command(program, "hook", "claude")
		cmd.Stdin, cmd.Stderr = strings.NewReader(in.Text()), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(strings.TrimSpace(string(out)))
	}
	return 0
}

var buildOnce = sync.OnceValue(func() error { return built.Put(programs, "checkrein", "checkreind", "checkrein-shell") })

// A world is a home with checkrein in it, as a person has it who uses Claude Code.
type world struct {
	t             *testing.T
	home, project string
	env           []string
	calls         int
}

// newWorld returns a home in which checkrein is installed.
func newWorld(t *testing.T) *world {
	t.Helper()
	if os.Getenv("CHECKREIN_DESK") == "" {
		t.Skip("SKIPPED: set CHECKREIN_DESK=1, or run make test-desk")
	}
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: built.TempDir(t)}
	w.project = filepath.Join(w.home, "shop")
	bin := filepath.Join(w.home, ".local", "bin")
	for _, dir := range []string{bin, filepath.Join(w.home, ".claude"), w.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"checkrein", "checkreind", "checkrein-shell"} {
		if err := built.Copy(filepath.Join(programs, name), filepath.Join(bin, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{"HOME=" + w.home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "NO_COLOR=1", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1"}
	w.write("src/main.c", "int main;\n")
	w.write("package.json", `{"scripts":{"test":"node --test"}}`+"\n")
	w.shell("git init -q -b main && git add . && git -c user.name=a -c user.email=a@example.com commit -qm first && git remote add origin git@git.example.com:shop.git")
	return w
}

// write writes a file of the project.
func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// configure writes the person's configuration.
func (w *world) configure(text string) {
	w.t.Helper()
	w.write("../.config/checkrein/checkrein.yaml", text)
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// shell runs a line of a person's shell, and returns what it prints.
func (w *world) shell(line string) string {
	w.t.Helper()
	out, err := w.command("/bin/sh", "-c", line).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// program returns the path of checkrein.
func (w *world) program() string { return filepath.Join(w.home, ".local", "bin", "checkrein") }

// A call is a call that an agent makes.
type call struct {
	Tool, Command, Reason string
	Session, Dir          string
	Event                 string
}

// agent has an agent make calls, and returns the answers.
func (w *world) agent(calls ...call) []string {
	w.t.Helper()
	var in strings.Builder
	for _, c := range calls {
		w.calls++
		if c.Tool == "" {
			c.Tool = "Bash"
		}
		input := map[string]any{"command": c.Command}
		if c.Tool != "Bash" {
			input = map[string]any{"file_path": c.Command, "content": "x\n"}
		}
		if c.Reason != "" {
			input["description"] = c.Reason
		}
		line := map[string]any{"hook_event_name": "PreToolUse", "session_id": "4f1c2a90-7be1-4c5e-9d2f-0123456789ab", "cwd": w.project, "tool_name": c.Tool, "tool_use_id": fmt.Sprint("toolu_", w.calls), "tool_input": input}
		if c.Dir != "" {
			line["cwd"] = c.Dir
		}
		if c.Session != "" {
			line["session_id"] = c.Session
		}
		if c.Event != "" {
			line["hook_event_name"] = c.Event
		}
		text, _ := json.Marshal(line)
		in.Write(append(text, '\n'))
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := w.command(self)
	cmd.Env = append(cmd.Env, agentVar+"="+w.program())
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("the agent: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// A server is a checkrein serve that runs.
type server struct {
	*world
	cmd *exec.Cmd
	url string // with the name on which passkeys work

	secrets []string // of links and sessions
}

// serve starts a server.
func (w *world) serve(args ...string) *server {
	w.t.Helper()
	s := &server{world: w, cmd: w.command(w.program(), append([]string{"serve"}, args...)...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	var said strings.Builder
	s.cmd.Stderr = &said
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		if err := s.cmd.Wait(); err != nil {
			w.t.Errorf("the server ended with %v: %s", err, said.String())
		}
		const file = ".local/state/checkrein/serve-token"
		for _, secret := range append(s.secrets, strings.TrimSpace(w.shell("cat ~/"+file))) {
			if strings.Contains(said.String(), secret) {
				w.t.Errorf("the server printed a secret: %s", said.String())
			}
			for _, name := range strings.Fields(w.shell("cd && grep -rlF -e " + secret + " . || true")) {
				if name != "./"+file {
					w.t.Errorf("%s has a secret", name)
				}
			}
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("%v: %s", err, said.String())
	}
	s.url = strings.Replace(strings.TrimSpace(strings.TrimPrefix(line, "serving on ")), "127.0.0.1", "localhost", 1)
	return s
}

// link returns a link to the page, which works once.
func (s *server) link() string {
	s.t.Helper()
	link := strings.TrimSpace(s.shell("checkrein open --print 2>/dev/null"))
	_, secret, _ := strings.Cut(link, "#")
	s.secrets = append(s.secrets, secret)
	return link
}

// A terminal is a person's terminal in which one command runs.
type terminal struct {
	t      *testing.T
	screen *os.File
	cmd    *exec.Cmd
	shown  string
}

// atTerminal starts a command at a terminal of its own.
func (w *world) atTerminal(args ...string) *terminal {
	w.t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		w.t.Skipf("SKIPPED: no terminal can be opened here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer theirs.Close()
	p := &terminal{t: w.t, screen: ours, cmd: w.command(w.program(), args...)}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, theirs, theirs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// readUntil returns what the terminal shows up to words, or to the end of the command.
func (p *terminal) readUntil(words string) string {
	buf := make([]byte, 4096)
	for !strings.Contains(p.shown, words) {
		n, err := p.screen.Read(buf)
		p.shown += strings.ReplaceAll(string(buf[:n]), "\r", "")
		if err != nil {
			break
		}
	}
	return p.shown
}

// answer types an answer to a question.
func (p *terminal) answer(text string) { _, _ = p.screen.WriteString(text + "\n") }

// end waits for the end of the command and returns what the terminal showed. The command must succeed.
func (p *terminal) end() string {
	p.t.Helper()
	p.readUntil("\x00 which nothing prints")
	defer p.screen.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatalf("%v: %v\n%s", p.cmd.Args[1:], err, p.shown)
	}
	return p.shown
}
