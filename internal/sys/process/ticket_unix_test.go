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

// playAdmit makes this program one that takes a ticket; its value says what else it
// does.
const playAdmit = "CHECKREIN_TEST_ADMIT"

func TestMain(m *testing.M) {
	if os.Getenv(endsAtOnce) != "" {
		leaveInTheMiddle()
	}
	how := os.Getenv(playAdmit)
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

// admitSpec starts this program as one that takes a ticket.
func admitSpec(t *testing.T, how string) Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Argv: []string{self, "cmd", "a b", "-c"}, Env: append(os.Environ(), playAdmit+"="+how), Stdin: []byte("task"), Ticket: true}
}

func TestTicket(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"once": "admitted a b -c", "arguments": "admitted a b -c", "twice": "refused: checkrein did not start this process: nothing was handed over"} {
		res, err := Run(t.Context(), admitSpec(t, how))
		if err != nil || string(res.Stdout) != want {
			t.Errorf("%s: %q %v %s, want %q", how, res.Stdout, err, res.Stderr, want)
		}
	}
}

// A program in a network of its own cannot see which program started it, and takes a
// ticket all the same.
func TestTicketOffline(t *testing.T) {
	t.Parallel()
	s := admitSpec(t, "once")
	s.Offline = true
	res, err := Run(t.Context(), s)
	if start := (*StartError)(nil); errors.As(err, &start) {
		t.Skip("this machine gives nobody a network of their own")
	}
	if string(res.Stdout) != "admitted a b -c" {
		t.Errorf("%q %v %s", res.Stdout, err, res.Stderr)
	}
}

// Who starts a program that outlives it waits until the ticket was read.
func TestTicketDetached(t *testing.T) {
	t.Parallel()
	s := admitSpec(t, "once")
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

// Another argument, another input, another process, no ticket, an old one, or one out
// of a file: refused.
func TestTicketRefused(t *testing.T) {
	t.Parallel()
	s := admitSpec(t, "once")
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

// A ticket counts for a while, and from one process.
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

// forgery makes a ticket as checkrein does, in a language that agents have.
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

// What knows how a ticket is made, and is not checkrein, is refused by its program.
func TestTicketForged(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing here to forge with, or to tell by")
	}
	s := admitSpec(t, "once")
	cmd := exec.CommandContext(context.Background(), python, append([]string{"-c", forgery, ticketMark}, s.Argv...)...)
	cmd.Env = s.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "its parent is not checkrein") {
		t.Errorf("%s %v", out, err)
	}
}

func TestHasMark(t *testing.T) {
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
