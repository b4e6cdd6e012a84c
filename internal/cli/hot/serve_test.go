package hot

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A service is a hook command that serves events, with its own home directory.
type service struct {
	t    *testing.T
	home string
	dir  string // the project directory
	in   *io.PipeWriter
	out  *bufio.Reader
	code chan int
	end  context.CancelFunc
}

func newService(t *testing.T, config string, args ...string) *service {
	t.Helper()
	s := &service{t: t, home: built.TempDir(t), code: make(chan int, 1)}
	s.dir = filepath.Join(s.home, "project")
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.configure(config)
	program := filepath.Join(s.home, "program")
	s.write(program, "first")
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	s.in, s.out, s.end = stdin, bufio.NewReader(stdout), cancel
	t.Cleanup(func() { cancel(); stdin.Close(); stdout.Close() })
	go func() {
		s.code <- Run(ctx, console.Env{
			Args: append([]string{"hook", "opencode", "--serve-stdio"}, args...), Stdin: in, Stdout: out, Stderr: os.Stderr,
			Environ: []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH")}, Dir: s.dir, Now: time.Now, Managed: app.NoManaged, Program: program,
		})
		out.Close()
	}()
	return s
}

func (s *service) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) configure(hooks string) {
	s.t.Helper()
	s.write(filepath.Join(s.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\nhooks:\n  pre_tool_use:\n"+hooks)
}

func (s *service) send(lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			s.t.Errorf("sending: %v", err)
		}
	}
}

func (s *service) answer() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("no answer: %v", err)
	}
	if err := rawjson.CheckObject([]byte(line)); err != nil || !strings.HasPrefix(line, `{"id":`) {
		s.t.Errorf("answered %q: %v", line, err)
	}
	return wiretest.ShortenMessages(strings.TrimSpace(line))
}

func toolLine(id, command string) string {
	return `{"id":` + id + `,"hook":"tool.execute.before","input":{"tool":"bash","sessionID":"s"},"output":{"args":{"command":"` + command + `"}}}`
}

const denyAll = "    - {type: rule, decision: deny, reason: 'no {{command}}'}\n"

func TestServeAnswersEachLine(t *testing.T) {
	t.Parallel()
	s := newService(t, denyAll)
	for _, c := range []struct{ line, want string }{
		{toolLine("1", "ls"), `{"id":1,"deny":"<blocked ls: no ls [pre_tool_use#1].>"}`},
		{toolLine(`"a-b"`, "ls"), `{"id":"a-b","deny":"<blocked ls: no ls [pre_tool_use#1].>"}`},
		{" \r\n\n" + toolLine("2", "ls") + "\r", `{"id":2,"deny":"<blocked ls: no ls [pre_tool_use#1].>"}`},
		{`{"id":3,"hook":"session.idle"}`, `{"id":3}`},
		{`{"id":4,"hook":"brand.new"}`, `{"id":4}`},
		{`nonsense`, `{"id":null,"deny":"checkrein cannot evaluate this event`},
		{`[1]`, `{"id":null,"deny":"checkrein cannot evaluate this event`},
		{`{"id":[1],"hook":"tool.execute.before"}`, `{"id":null,"deny":"checkrein cannot evaluate this event`},
		{`{"id":5}`, `{"id":5,"deny":"checkrein cannot evaluate this event`},
		{`{"id":6,"hook":"tool.execute.before","input":{"tool":"bash"}`, `{"id":6,"deny":"checkrein cannot evaluate this event`},
		{`{"id":7,"hook":"tool.execute.before","x":"` + strings.Repeat("x", maxPayload) + `"}`, `{"id":7,"deny":"checkrein cannot evaluate this event: the payload is larger`},
		{`{"id":8,"hook":"tool.execute.after","x":"` + strings.Repeat("x", maxPayload) + `"}`, `{"id":8,"notice":["checkrein cannot evaluate this event: the payload is larger`},
		{`{"id":9,"hook":"tool.execute.before","x":"` + "\xff" + `"}`, `{"id":9,"deny":"checkrein cannot evaluate this event`},
		{toolLine("10", "last"), `{"id":10,"deny":"<blocked last: no last [pre_tool_use#1].>"}`},
	} {
		go s.send(c.line)
		if got := s.answer(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%.80q was answered with %s", c.line, got)
		}
	}
	if _, err := io.WriteString(s.in, toolLine("11", "without an end")); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if got := s.answer(); got != `{"id":11,"deny":"<blocked without an end: no without an end [pre_tool_use#1].>"}` {
		t.Error(got)
	}
	if code := <-s.code; code != console.Done {
		t.Errorf("exit %d", code)
	}
	if rest, _ := io.ReadAll(s.out); len(rest) > 0 {
		t.Errorf("it also said %q", rest)
	}
}

// Every event is judged by the configuration in force when it arrives.
func TestServeReloadsConfiguration(t *testing.T) {
	t.Parallel()
	s := newService(t, denyAll)
	go s.send(toolLine("1", "ls"))
	if got := s.answer(); got != `{"id":1,"deny":"<blocked ls: no ls [pre_tool_use#1].>"}` {
		t.Error(got)
	}
	s.configure("    - {type: rule, decision: none, patch: {command: other}}\n")
	go s.send(toolLine("2", "ls"))
	if got := s.answer(); got != `{"id":2,"args":{"command":"other"}}` {
		t.Error(got)
	}
	s.configure("    - {type: nonsense}\n")
	go s.send(toolLine("3", "ls"))
	if got := s.answer(); !strings.HasPrefix(got, `{"id":3,"deny":`) {
		t.Error(got)
	}
}

// A slow hook does not delay others, and events that are being judged when the input ends are
// answered.
func TestServeIsConcurrent(t *testing.T) {
	t.Parallel()
	s := newService(t, `    - {command: 'until [ -e "$HOME/go" ]; do sleep 0.01; done', matcher: bash}
    - {command: 'touch "$HOME/go"', matcher: write}
`)
	go func() {
		s.send(toolLine("1", "slow"), strings.Replace(toolLine("2", "quick"), `"bash"`, `"write"`, 1))
		s.in.Close()
	}()
	got := []string{s.answer(), s.answer()}
	slices.Sort(got)
	if !slices.Equal(got, []string{`{"id":1}`, `{"id":2}`}) {
		t.Errorf("%q", got)
	}
	if code := <-s.code; code != console.Done {
		t.Errorf("exit %d", code)
	}
}

// An answer is sent before the plugin stops waiting.
func TestServeAnswersInTime(t *testing.T) {
	t.Parallel()
	s := newService(t, "    - {command: 'sleep 1000'}\n")
	go s.send(strings.Replace(toolLine("1", "ls"), `"id":1`, `"id":1,"within":0.2`, 1))
	if got := s.answer(); !strings.HasPrefix(got, `{"id":1,"deny":`) {
		t.Error(got)
	}
}

// After an interrupt, serve answers the events that it has and ends.
func TestServeEndsOnInterrupt(t *testing.T) {
	t.Parallel()
	s := newService(t, "    - {command: 'touch \"$HOME/began\"; sleep 1000'}\n")
	go s.send(toolLine("1", "ls"))
	for {
		if _, err := os.Stat(filepath.Join(s.home, "began")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.end()
	if got := s.answer(); !strings.HasPrefix(got, `{"id":1,"deny":`) {
		t.Error(got)
	}
	if code := <-s.code; code != console.Done {
		t.Errorf("exit %d", code)
	}
}

// A process whose program was replaced ends, so that the new one starts.
func TestServeEndsWhenReplaced(t *testing.T) {
	t.Parallel()
	s := newService(t, denyAll)
	go s.send(toolLine("1", "ls"))
	s.answer()
	s.write(filepath.Join(s.home, "program"), "the second")
	go s.send(toolLine("2", "ls"))
	if got := s.answer(); got != `{"id":2,"deny":"<blocked ls: no ls [pre_tool_use#1].>"}` {
		t.Error(got)
	}
	if code := <-s.code; code != console.Done {
		t.Errorf("exit %d", code)
	}
}

func TestServeNeedsPluginHost(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	code := Run(t.Context(), console.Env{Args: []string{"hook", "claude", "--serve-stdio"}, Stdin: strings.NewReader(""), Stdout: &said, Stderr: io.Discard, Now: time.Now})
	if code != console.Done || !strings.Contains(said.String(), `"permissionDecision":"deny"`) || !strings.Contains(said.String(), "Claude Code runs a command for every event") {
		t.Errorf("%d: %s", code, said.String())
	}
}

// lockSessions makes the existing sessions new again, and holds their locks until release is called.
func lockSessions(t *testing.T, home string) (release func()) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, ".local", "state", "checkrein", "sessions", "*.lock"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d sessions: %v", len(files), err)
	}
	session := strings.TrimSuffix(files[0], ".lock")
	release, err = state.NewDir(filepath.Dir(session)).Lock(filepath.Base(session))
	if err := errors.Join(err, os.Remove(session)); err != nil {
		t.Fatal(err)
	}
	return release
}

// An event that gets stuck is still answered, and delays no other.
func TestServeAnswersStuckEvents(t *testing.T) {
	t.Parallel()
	first := newService(t, denyAll) // creates the lock of the session
	go first.send(toolLine("1", "ls"))
	first.answer()
	release := lockSessions(t, first.home)
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	s := server{flags: &hookFlags{host: "opencode"}, slots: make(chan struct{}, maxConcurrent), env: console.Env{Stdin: stdin, Stdout: stdout,
		Environ: []string{"HOME=" + first.home, "PATH=" + os.Getenv("PATH")}, Dir: first.dir, Now: time.Now, Managed: app.NoManaged}}
	go s.readEvents(t.Context())
	go io.WriteString(in, strings.Replace(toolLine("2", "stuck"), `"id":2`, `"id":2,"within":0.3`, 1)+"\n"+
		strings.Replace(toolLine("3", "free"), `"sessionID":"s"`, `"sessionID":"other"`, 1)+"\n"+
		`{"id":4,"within":0.3,"hook":"tool.execute.after","input":{"tool":"bash","sessionID":"s"},"output":{"output":"x"}}`+"\n")
	answers := bufio.NewReader(out)
	var got []string
	for range 3 {
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	for i, want := range []string{
		`{"id":2,"deny":"checkrein did not finish within 0.3 s: configuration and state`,
		`{"id":3,"deny":"checkrein blocked free: no free`,
		`{"id":4,"notice":["checkrein did not finish within 0.3 s: configuration and state`,
	} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("%s, want %s…", got[i], want)
		}
	}
	release()
	for s.stuck.Load() > 0 { // wait, since stuck events still write to the test's directory
		time.Sleep(time.Millisecond)
	}
	in.Close()
	s.busy.Wait()
	stdout.Close()
	if rest, _ := io.ReadAll(answers); len(rest) > 0 {
		t.Errorf("it also said %q", rest)
	}
}

// A process with many stuck events answers once more, and ends so that another one starts.
func TestServeEndsWhenTooManyAreStuck(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	s := server{flags: &hookFlags{host: "opencode"}, slots: make(chan struct{}, maxConcurrent), env: console.Env{
		Stdin: strings.NewReader(toolLine("1", "ls") + "\n" + toolLine("2", "ls") + "\n"), Stdout: &said,
		Environ: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, Dir: t.TempDir(), Now: time.Now, Managed: app.NoManaged,
	}}
	s.stuck.Store(maxStuck)
	s.readEvents(t.Context())
	s.busy.Wait()
	if got := said.String(); got != "{\"id\":1}\n" {
		t.Errorf("%q", got)
	}
}
