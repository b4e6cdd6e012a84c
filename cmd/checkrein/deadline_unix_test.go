//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A patient is a machine on which a call may get stuck.
type patient struct {
	t         *testing.T
	home, dir string // of the person, and of the project
	env       []string
}

func newPatient(t *testing.T, config string) *patient {
	t.Helper()
	p := &patient{t: t, home: t.TempDir(), dir: t.TempDir()}
	p.env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
	dir := filepath.Join(p.home, ".config", "checkrein")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// call runs a hook as a host does. Stdin gets the text, and ends only if ends is
// set.
func (p *patient) call(stdin string, ends bool, args ...string) wire.Reply {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), append([]string{"hook"}, args...)...)
	cmd.Env, cmd.Dir = p.env, p.dir
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Error(err)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		p.t.Error(err)
	}
	if _, err := io.WriteString(in, stdin); err != nil && !errors.Is(err, syscall.EPIPE) { // its time may be up already
		p.t.Error(err)
	}
	if ends {
		in.Close()
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) { // which closes stdin
		p.t.Error(err)
	}
	return wire.Reply{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}
}

// hold takes the locks of files until the test ends.
func (p *patient) hold(pattern string) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".local", "state", "checkrein", pattern))
	if err != nil || len(files) == 0 {
		p.t.Errorf("nothing to lock: %v", err)
	}
	for _, file := range files {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if errors.Is(err, syscall.EISDIR) || errors.Is(err, fs.ErrNotExist) {
			continue // what an event before started may be at work still
		}
		if err != nil {
			p.t.Error(err)
			continue
		}
		p.t.Cleanup(func() { f.Close() })
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			p.t.Error(err)
		}
	}
}

// argsOf names a host's event where its payload does not.
func argsOf(h *wire.Host, native string, more ...string) []string {
	args := []string{h.Name}
	if h.OmitsEvent {
		args = append(args, "--event", native)
	}
	return append(args, more...)
}

// why is a reason that nothing else has in it.
const why = "xyzzy"

// blockOf is how a host's wire refuses a call of which only this was read.
func blockOf(h *wire.Host, native string, body string) wire.Reply {
	name := ""
	if h.OmitsEvent {
		name = native
	}
	c := h.Read(h, []byte(body), name)
	return h.Encode(&c, []engine.Outcome{{Event: c.Events[0], Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: why}}})
}

// checkStuck wants a call to be refused when its time is up, and to say where it was held up.
// Until it says that it gets more time: a busy machine may not let it come that far.
func (p *patient) checkStuck(h *wire.Host, native, stdin string, ends bool, text string) {
	p.t.Helper()
	want := blockOf(h, native, stdin)
	for seconds := 1.5; ; seconds *= 4 {
		within := strconv.FormatFloat(seconds, 'g', -1, 64)
		got := p.call(stdin, ends, argsOf(h, native, "--within", within)...)
		if seconds > 60 || !hasReason(h, want) || strings.Contains(string(got.Stdout)+string(got.Stderr), text) {
			p.checkRefusal(h, got, want, "did not finish within "+within+" s", text)
			return
		}
	}
}

// hasReason reports whether a refusal contains its reason: AHP has its own errors for invalid
// requests.
func hasReason(h *wire.Host, want wire.Reply) bool {
	return h.Name != "ahp" || strings.Contains(string(want.Stdout)+string(want.Stderr), why)
}

func (p *patient) checkRefusal(h *wire.Host, got, want wire.Reply, texts ...string) {
	p.t.Helper()
	if !equivalentReplies(got, want) || len(got.Stdout) == 0 && len(got.Stderr) == 0 {
		p.t.Errorf("%s: exit %d, %s%s\nwant the like of exit %d, %s%s", h.Name, got.Exit, got.Stdout, got.Stderr, want.Exit, want.Stdout, want.Stderr)
	}
	said := string(got.Stdout) + string(got.Stderr)
	for _, text := range texts {
		if hasReason(h, want) && !strings.Contains(said, text) {
			p.t.Errorf("%s: says %s, nothing of %q", h.Name, said, text)
		}
	}
	if dec := json.NewDecoder(bytes.NewReader(got.Stdout)); len(want.Stdout) > 0 {
		var one, two any
		if err := dec.Decode(&one); err != nil || !errors.Is(dec.Decode(&two), io.EOF) {
			p.t.Errorf("%s: %s is not one answer: %v", h.Name, got.Stdout, err)
		}
	}
}

const plain = "version: 1\npacks: []\n"

// everyHost has the gate of every host called at the same time, since that takes
// its time, each on a machine of its own.
func everyHost(t *testing.T, config string, call func(p *patient, h *wire.Host, native, payload string)) {
	t.Helper()
	var all sync.WaitGroup
	for _, h := range host.Table() {
		p := newPatient(t, config)
		native, body := gateOf(t, h)
		payload := strings.NewReplacer("/home/dev/project", p.dir, "/work/project", p.dir).Replace(string(body)) // which is there
		all.Go(func() { call(p, h, native, payload) })
	}
	all.Wait()
}

// Whatever delays a call, every host gets a denial in its own format.
func TestStuckCallsCloseEveryGate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		sent func(payload string) string
	}{
		{"stdin never begins", func(string) string { return "" }},
		{"one byte", func(string) string { return "{" }},
		{"half an event", func(payload string) string { return payload[:len(payload)/2] }},
		{"stdin does not end", func(payload string) string { return payload }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			everyHost(t, plain, func(p *patient, h *wire.Host, native, payload string) {
				p.checkStuck(h, native, c.sent(payload), false, "did not send the complete event on stdin")
			})
		})
	}
	t.Run("the ledger is locked", func(t *testing.T) {
		t.Parallel()
		everyHost(t, plain, func(p *patient, h *wire.Host, native, payload string) {
			p.call(payload, true, argsOf(h, native)...)
			p.hold("ledger/*")
			p.checkStuck(h, native, payload, true, "holds the ledger's lock")
		})
	})
	t.Run("the hook does not end", func(t *testing.T) {
		t.Parallel()
		config := "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {name: stubborn, command: \"trap '' TERM; echo $$ > $HOME/pid; while :; do sleep 1; done\", timeout: 600}\n"
		everyHost(t, config, func(p *patient, h *wire.Host, native, payload string) {
			var got wire.Reply
			for seconds := 8; seconds < 600; seconds *= 4 {
				got = p.call(payload, true, argsOf(h, native, "--within", strconv.Itoa(seconds))...)
				if _, err := os.Stat(filepath.Join(p.home, "pid")); err == nil {
					break // it began in time
				}
			}
			reasons := []string{"stubborn", "the time limit for all of this event's hooks has passed"}
			if said := string(got.Stdout) + string(got.Stderr); strings.Contains(said, "did not finish within") {
				reasons = []string{"a hook went on although its time was up"} // on a machine that is busy for seconds
			}
			p.checkRefusal(h, got, deniedBy(t, h, native, []byte(payload)), reasons...)
			p.waitForEnd("pid")
		})
	})
	t.Run("the configuration is a pipe", func(t *testing.T) {
		t.Parallel()
		everyHost(t, plain, func(p *patient, h *wire.Host, native, payload string) {
			file := filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml")
			if err := errors.Join(os.Remove(file), syscall.Mkfifo(file, 0o600)); err != nil {
				t.Error(err)
			}
			p.checkRefusal(h, p.call(payload, true, argsOf(h, native, "--within", "60")...), deniedBy(t, h, native, []byte(payload)), "not a regular file")
		})
	})
}

// waitForEnd waits until the process whose ID is in file has ended.
func (p *patient) waitForEnd(file string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, file))
	pid, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if err := errors.Join(err, bad); err != nil {
		p.t.Error(err)
		return
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		all, err := process.ListAll()
		if err != nil {
			p.t.Error(err)
			return
		}
		if !slices.ContainsFunc(all, func(a process.Ancestor) bool { return a.PID == pid }) {
			return
		}
		if time.Now().After(end) {
			p.t.Errorf("process %d is still there", pid)
			return
		}
	}
}

// A stuck call does not stop an event that waits for nothing: the person gets a notice.
func TestStuckCallsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, payload, want string }{
		{"claude", `{"hook_event_name":"Stop","session_id":"s","cwd":"/"}`, `{"systemMessage":"checkrein did not finish within 1 s: `},
		{"claude", `{"hook_event_name":"PostToolUse","session_id":"s",`, `{"systemMessage":"checkrein did not finish within 1 s: `},
		{"codex", `{"hook_event_name":"Stop","session_id":"s","cwd":"/"}`, `{"systemMessage":"checkrein did not finish within 1 s: `},
		{"gemini", `{"hook_event_name":"AfterAgent","session_id":"s","cwd":"/"}`, `{"systemMessage":"checkrein did not finish within 1 s: `},
	} {
		t.Run(c.host, func(t *testing.T) {
			t.Parallel()
			got := newPatient(t, plain).call(c.payload, false, c.host, "--within", "1")
			if got.Exit != 0 || !strings.HasPrefix(string(got.Stdout), c.want) || len(got.Stderr) > 0 {
				t.Errorf("exit %d, %s%s", got.Exit, got.Stdout, got.Stderr)
			}
		})
	}
}

// A host that waits less for an event gets its answer in time, whatever the command line omits.
func TestStuckCallsWithShortTimeLimit(t *testing.T) {
	t.Parallel()
	p := newPatient(t, plain)
	const event = `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"/","reason":"other"}`
	p.call(event, true, "claude")
	p.hold("ledger/*")
	const want = `{"systemMessage":"checkrein did not finish within 1.25 s: the verdict could not be recorded in time`
	var got wire.Reply
	for range 20 { // a busy machine may not let it come that far
		if got = p.call(event, true, "claude"); got.Exit == 0 && strings.HasPrefix(string(got.Stdout), want) {
			return
		}
	}
	t.Errorf("exit %d, %s%s", got.Exit, got.Stdout, got.Stderr)
}

// An answer that the host does not read ends as a denial, and no other follows.
func TestUnreadAnswerIsADenial(t *testing.T) {
	t.Parallel()
	p := newPatient(t, plain)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	full, fd := 0, int(in.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for {
		n, err := syscall.Write(fd, make([]byte, 4<<10))
		if err != nil {
			break
		}
		full += n
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "hook", "claude", "--within", "1")
	cmd.Env, cmd.Dir, cmd.Stdout = p.env, p.dir, in
	cmd.Stdin = strings.NewReader("not an event")
	err = cmd.Run()
	in.Close()
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit %d: %v", code, err)
	}
	if rest, _ := io.ReadAll(out); len(rest) != full {
		t.Errorf("it also said %q", rest[full:])
	}
}

// A wrong command line opens no gate.
func TestWrongCommandLinesCloseEveryGate(t *testing.T) {
	t.Parallel()
	everyHost(t, plain, func(p *patient, h *wire.Host, native, payload string) {
		want := blockOf(h, native, payload)
		for _, wrong := range [][]string{
			{"--within", "0"}, {"--within", "-1"}, {"--within", "NaN"}, {"--within", "Inf"}, {"--within", "1e300"}, {"--within", "1e-12"}, {"--within", "ten"}, {"--within="}, {"--within"},
			{"--brand-new", "x"}, {"--brand-new"}, {"--serve-stdio=maybe"}, {"another"},
		} {
			p.checkRefusal(h, p.call(payload, true, argsOf(h, native, wrong...)...), want, "hook command is wrong", "checkrein install "+h.Name)
			if len(wrong) == 2 {
				p.checkRefusal(h, p.call(payload, true, append(wrong, argsOf(h, native)...)...), want, "hook command is wrong")
			}
		}
	})
}
