//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// acceptHelper is the variable that makes the test program accept a ticket. Its value determines what
// else it does.
const acceptHelper = "CHECKREIN_TEST_ADMIT"

func TestMain(m *testing.M) {
	if os.Getenv(killAllHelper) != "" {
		runAndKillAll()
	}
	how := os.Getenv(acceptHelper)
	if how == "" {
		os.Exit(m.Run())
	}
	t, err := AcceptTicket(os.Args[1:])
	if how == "twice" && err == nil {
		_, err = AcceptTicket(os.Args[1:])
	}
	if err == nil && how != "arguments" {
		var input []byte
		if input, err = io.ReadAll(os.Stdin); err == nil {
			err = t.CheckInput(input)
		}
	}
	text := "admitted " + strings.Join(os.Args[min(3, len(os.Args)):], " ")
	if err != nil {
		text = "refused: " + err.Error()
	}
	if out := os.Getenv("CHECKREIN_TEST_OUT"); out != "" {
		if os.WriteFile(out+".new", []byte(text), 0o600) == nil {
			_ = os.Rename(out+".new", out)
		}
	}
	fmt.Print(text)
	os.Exit(0)
}

// acceptSpec returns a Spec that starts the test program to accept a ticket.
func acceptSpec(t *testing.T, how string) Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Argv: []string{self, "cmd", "a b", "-c"}, Env: append(os.Environ(), acceptHelper+"="+how), Stdin: []byte("task"), Ticket: true}
}

func TestTicket(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"once": "admitted a b -c", "arguments": "admitted a b -c", "twice": "refused: checkrein did not start this process: nothing was handed over"} {
		res, err := Run(t.Context(), acceptSpec(t, how))
		if err != nil || string(res.Stdout) != want {
			t.Errorf("%s: %q %v %s, want %q", how, res.Stdout, err, res.Stderr, want)
		}
	}
}

// TestTicketOffline checks that a program in its own network accepts a ticket, although it cannot see
// which program started it.
func TestTicketOffline(t *testing.T) {
	t.Parallel()
	s := acceptSpec(t, "once")
	s.Offline = true
	res, err := Run(t.Context(), s)
	if start := (*StartError)(nil); errors.As(err, &start) {
		t.Skip("this machine gives nobody a network of their own")
	}
	if string(res.Stdout) != "admitted a b -c" {
		t.Errorf("%q %v %s", res.Stdout, err, res.Stderr)
	}
}

// TestTicketDetached checks that Detach waits until the program has read its ticket.
func TestTicketDetached(t *testing.T) {
	t.Parallel()
	s := acceptSpec(t, "once")
	out := filepath.Join(t.TempDir(), "out")
	s.Env = append(s.Env, "CHECKREIN_TEST_OUT="+out)
	if err := Detach(s, ""); err != nil {
		t.Fatal(err)
	}
	for {
		if text, err := os.ReadFile(out); err == nil {
			if string(text) != "admitted a b -c" {
				t.Errorf("%q", text)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTicketRefused checks that a ticket is refused for other arguments, another input or another
// process, if it is missing or too old, and if it comes from a file.
func TestTicketRefused(t *testing.T) {
	t.Parallel()
	s := acceptSpec(t, "once")
	start := func(name string, change func(cmd *exec.Cmd), want string) {
		t.Helper()
		cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
		cmd.Env, cmd.Stdin = s.Env, strings.NewReader("task")
		after, err := attachTicket(s, cmd)
		if err != nil {
			t.Fatal(err)
		}
		defer after(false)
		change(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %s %v, want %q", name, out, err, want)
		}
	}
	start("as it is", func(*exec.Cmd) {}, "admitted")
	start("another command", func(c *exec.Cmd) { c.Args[1] = "other" }, "for another command")
	start("another argument", func(c *exec.Cmd) { c.Args[3] = "a" }, "for another command")
	start("one more", func(c *exec.Cmd) { c.Args = append(c.Args, "x") }, "for another command")
	start("cut otherwise", func(c *exec.Cmd) { c.Args = slices.Replace(c.Args, 3, 4, "a", "b") }, "for another command")
	start("another input", func(c *exec.Cmd) { c.Stdin = strings.NewReader("tusk") }, "for another input")
	start("none", func(c *exec.Cmd) { c.ExtraFiles = nil }, "nothing was handed over")
	start("wrong name", func(c *exec.Cmd) { c.Args[2] = "0" }, "its first argument is not what checkrein passes")
	start("no name", func(c *exec.Cmd) { c.Args = c.Args[:2] }, "checkrein did not start this process")
	start("a shell between", func(c *exec.Cmd) {
		c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `"$@"; true`, "sh"}, append([]string{s.Argv[0]}, c.Args[1:]...)...)
	}, "refused")
	start("a file", func(c *exec.Cmd) {
		name := filepath.Join(t.TempDir(), "t")
		made, err := newTicket(s.Argv[1:], s.Stdin)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, made, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		c.ExtraFiles = []*os.File{f}
	}, "nothing was handed over")
}

// TestTicketTime checks that a ticket is valid for a limited time, and only from the process that
// issued it.
func TestTicketTime(t *testing.T) {
	t.Parallel()
	args := []string{"x"}
	made, err := newTicket(args, nil)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]string{0: "", ticketLife + time.Second: "too old", -time.Minute: "too old"} {
		_, err := verifyTicket(made, args, os.Getpid(), time.Now().Add(after))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v later: %v, want %q", after, err, want)
		}
	}
	if _, err := verifyTicket(made, args, 1, time.Now()); err == nil {
		t.Error("a ticket of another process is taken")
	}
	for i := range made {
		bad := slices.Clone(made)
		bad[i] ^= 1
		if _, err := verifyTicket(bad, args, os.Getpid(), time.Now()); err == nil {
			t.Errorf("byte %d of a ticket can be changed", i)
		}
	}
}

// forgery is a Python program that creates a ticket as checkrein does. Agents can run Python.
const forgery = `
import hashlib, hmac, os, socket, struct, subprocess, sys, time
mark, argv = sys.argv[1].encode(), sys.argv[2:]
ours, theirs = socket.socketpair()
key = os.urandom(32)
head = struct.pack("<QQ", time.time_ns() + 20 * 10**9, os.getpid()) + hashlib.sha256(b"task").digest()
text = mark + head + b"".join(struct.pack("<Q", len(a)) + a.encode() for a in argv[1:])
ours.send(key + head + hmac.new(key, text, hashlib.sha256).digest())
os.dup2(theirs.fileno(), 3)
r = subprocess.run(argv[:2] + ["3"] + argv[2:], input=b"task", pass_fds=[3], stdout=subprocess.PIPE)
sys.stdout.buffer.write(r.stdout)
`

// TestTicketForged checks that a correct ticket is refused if the parent's program is not checkrein.
func TestTicketForged(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing here to forge with, or to tell by")
	}
	s := acceptSpec(t, "once")
	cmd := exec.CommandContext(context.Background(), python, append([]string{"-c", forgery, ticketMark}, s.Argv...)...)
	cmd.Env = s.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "its parent is not checkrein") {
		t.Errorf("%s %v", out, err)
	}
}

func TestContainsMark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before int
		mark   string
		want   bool
	}{{0, ticketMark, true}, {1<<20 - 5, ticketMark, true}, {3<<20 + 7, ticketMark, true}, {1 << 20, ticketMark[1:], false}, {0, "", false}} {
		name := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(name, append(make([]byte, tt.before), tt.mark...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := containsMark(name); got != tt.want || err != nil {
			t.Errorf("%d bytes and %q: %v %v", tt.before, tt.mark, got, err)
		}
	}
}
