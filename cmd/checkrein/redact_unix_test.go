//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/guard/secretguard"
)

// killed is what a shell says of a process that was killed; its number may be one, two or
// more digits, with blanks before it.
var killed = regexp.MustCompile(` +\d+ Killed`)

// redactToken is a secret that is found by its shape.
var redactToken = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

// redactPassword is one that is found only by the name beside it.
const redactPassword = "tr0ub4dor-and-3-horses"

// odd are commands that do as they did when checkrein prints their output, secrets excepted.
var odd = []string{
	"cat .env",
	"cat .env; exit 7",
	"exit 3; cat .env",
	"exit 300",
	"true",
	"false || cat .env",
	"! cat .env",
	"set -e; cat .env; false; echo no",
	"set -u; echo \"$NOTSET\"; cat .env",
	"set -o pipefail; cat .env | grep nothing | cat",
	"set -x; cat .env",
	"cat .env 1>&2",
	"cat .env; echo err >&2; cat .env; echo more >&2",
	"cat .env 2>&1 >/dev/null; echo done",
	"cat <<EOF\nbefore\n$(cat .env)\nEOF\necho after",
	"cat <<'E O F'\n$(cat .env) 'quotes' \"too\"\nE O F\ncat .env",
	"cat <<-X; cat .env\n\ttabs\n\tX\n",
	"echo 'it'\"'\"'s'; echo \"it's\"; cat .env",
	"printf '%s\\n' \"a'b\" '$x' \"\\$y\" `echo z` '\\'; cat .env",
	"(cat .env) & wait",
	"cat .env & wait $!; echo $?",
	"(sleep 0.3; cat .env; echo late) & echo early; exit 4",
	"sleep 0.2 & cat .env",
	"kill -TERM $$",
	"cat .env; kill -INT $$; sleep 5",
	"sh -c 'kill -KILL $$'; echo $?",
	"kill -SEGV $$",
	"cat .env; (",
	"if true; then cat .env",
	"echo 'abc",
	")",
	"cat .env ); cat .env; (true",
	"'; cat .env; '",
	"cat .env' ; cat .env #'",
	"cat nofile .env",
	"nosuchprogram .env",
	"./.env",
	"cat .env > out; cat out; wc -c < out",
	"while read -r l; do echo \"<$l>\"; done < .env",
	". ./.env; echo \"$TOKEN\"; echo \"$DB_PASSWORD\"",
	"grep TOKEN .env | cut -d= -f2",
	"awk -F= '{print $2}' .env",
	"sed 's/TOKEN=//; s/PASSWORD/P/' .env",
	"sort -r .env | uniq | head -n 1",
	"printf 'a\\000b\\377\\200\\r\\n'; cat .env",
	"yes | head -n 100000 | wc -l; cat .env",
	"yes 2>/dev/null | head -n 3",
	"trap 'echo bye; cat .env' EXIT; exit 5",
	"trap '' TERM; kill -TERM $$; cat .env",
	"f() { cat .env; return 9; }; f",
	"for i in 1 2 3; do echo o$i; echo e$i >&2; done; cat .env",
	"cat .env # comment 'unbalanced",
	"\n\ncat .env\n\n",
	"echo a\\\nb; cat .e*",
	"cd sub && cat ../.env && pwd",
	"cd sub; cat ../.env; pwd",
	"cd nowhere && cat .env",
	"cd nowhere; cat .env",
	"cd sub && exit 6",
	"read -r x; echo \"got $x\"; cat .env",
	"cat - .env",
	"exec cat .env",
	"eval 'cat .env'; echo \"${X:-default}\" \"$#\"",
	"X=$(cat .env); echo \"$X\" | sed -n 2p",
	"exec 3>&1; cat .env >&3",
	"exec 2>&1; cat .env nofile",
	"echo \"${BASH:+b}\"; echo \"$((1+2))\" '${x}' \"`cat .env`\"",
	"printf '%s' \"$(cat .env)\"",
	"echo ü 日本 \"$(printf '\\303')\"; cat .env",
	"umask 077; cat .env | while read -r l; do echo \"$l\" | cat; done; exit $?",
}

// declined are commands that cannot be rewritten without a loss, so that they are denied.
var declined = []string{
	"", "  \n", "base64 .env", "cat .env | xxd", "rev .env", "tr a b < .env", "cut -c1-20 .env", "head -c 20 .env", "python3 -c 'print(open(\".env\").read()[::-1])'",
	"cat .env; cd sub", "cd sub && cd .. ; cat .env", "pushd sub; cat ../.env", "eval 'cd sub'; cat .env", "cat .env > /dev/tty", "cat .env > /proc/self/fd/2", "cat .env > /dev/pts/0", "cd \"$(cat .env)\" && ls",
	"sh -c 'base64 .env'", "find . -name .env -exec xxd {} +", "cat .env\x00", "echo " + strings.Repeat("x", 70<<10) + "; cat .env",
}

// A ran is what came of a command.
type ran struct {
	out, errs string
	code      int
	files     []string
}

func (r ran) String() string {
	return fmt.Sprintf("exit %d, files %q\nstdout: %q\nstderr: %q", r.code, r.files, r.out, r.errs)
}

func redactPlace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(dir, ".env"), []byte("NAME=value\nTOKEN="+redactToken+"\nDB_PASSWORD="+redactPassword+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// number is that of a process, in what bash says of one that was killed.
var number = regexp.MustCompile(`(line \d+: )\d+`)

// runIn has a shell run a text as agents do, with both streams apart or as one.
func runIn(t *testing.T, dir, shell, text string, one bool) ran {
	t.Helper()
	cmd := exec.Command(shell, "-c", text)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("from stdin\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if one {
		cmd.Stderr = &out
	}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	r := ran{out: number.ReplaceAllString(out.String(), "$1"), errs: number.ReplaceAllString(errs.String(), "$1")}
	// A shell that is told of a signal says 128 and its number, or ends by it itself.
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		r.code = 128 + int(status.Signal())
	} else {
		r.code = status.ExitStatus()
	}
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		r.files = append(r.files, e.Name())
	}
	return r
}

// clean is what came of a command with its secrets taken out.
func (r ran) clean() ran {
	hide := strings.NewReplacer(redactToken, "[REDACTED]", redactPassword, "[REDACTED]")
	r.out, r.errs = hide.Replace(r.out), hide.Replace(r.errs)
	return r
}

// TestRedactedCommands runs odd commands as they are and as they are rewritten: output, order,
// exit code and files are the same, secrets excepted.
func TestRedactedCommands(t *testing.T) {
	t.Parallel()
	program := filepath.Join(programs, "checkrein")
	for _, name := range []string{"bash", "sh", "zsh"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			t.Logf("%s is not here", name)
			continue
		}
		if name != "bash" {
			shell = name // as agents name it
		}
		for i, command := range odd {
			for _, one := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%v", name, i, one), func(t *testing.T) {
					t.Parallel()
					was, is := redactPlace(t), redactPlace(t)
					now, err := secretguard.RewriteRedacted(program, command, []string{filepath.Join(is, ".env")})
					if err != nil {
						t.Fatalf("%s: %v", command, err)
					}
					want, got := runIn(t, was, shell, command, one).clean(), runIn(t, is, shell, now, one)
					want.out, want.errs = strings.ReplaceAll(want.out, was, is), strings.ReplaceAll(want.errs, was, is)
					for _, text := range []*string{&want.out, &want.errs, &got.out, &got.errs} {
						*text = killed.ReplaceAllString(*text, "PID Killed")
					}
					if got.String() != want.String() {
						t.Errorf("%s\nbecame %s\ngot  %v\nwant %v", command, now, got, want)
					}
				})
			}
		}
	}
	for _, command := range declined {
		if now, err := secretguard.RewriteRedacted(program, command, nil); err == nil {
			t.Errorf("%.60q is rewritten: %s", command, now)
		}
	}
}

// TestRedactedOutputStaysRedacted has a shell go on behind a rewritten command, as agents have it: where it
// is then, and what it knows, is as it was.
func TestRedactedOutputStaysRedacted(t *testing.T) {
	t.Parallel()
	program := filepath.Join(programs, "checkrein")
	for _, command := range []string{"cd sub && cat ../.env", "cd sub; cat ../.env", "cat .env", "cd nowhere && cat .env", "(cd sub; cat ../.env); false"} {
		now, err := secretguard.RewriteRedacted(program, command, nil)
		if err != nil {
			t.Fatal(err)
		}
		after := func(text string) string {
			dir := redactPlace(t)
			r := runIn(t, dir, "bash", "X=1\neval '"+strings.ReplaceAll(text, "'", `'\''`)+"' >/dev/null 2>&1\necho $? $X ${PWD#"+dir+"}", false)
			return r.out
		}
		if want, got := after(command), after(now); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// TestRedactMissingPrintsNothing has the redactor missing or killed: nothing is printed then.
func TestRedactMissingPrintsNothing(t *testing.T) {
	t.Parallel()
	dir := redactPlace(t)
	now, err := secretguard.RewriteRedacted("/nowhere/checkrein", "cat .env; touch ran", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := runIn(t, dir, "sh", now, false); r.code != 127 || r.out != "" || slices.Contains(r.files, "ran") {
		t.Errorf("without a redactor: %v", r)
	}

	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "redact", "-c", "echo started >started; read -r x; cat .env; cat .env >&2; echo printed >printed; sleep 30")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	w.Close()
	waitForFile(t, filepath.Join(dir, "started"))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	_, _ = io.WriteString(in, "\n")
	if text, _ := io.ReadAll(out); len(text) > 0 {
		t.Errorf("a killed redactor: %q", text)
	}

	if r := runIn(t, dir, "sh", filepath.Join(programs, "checkrein")+" redact --of sub -c 'cat .env; touch ran'", false); r.code != 4 || r.out != "" || slices.Contains(r.files, "ran") {
		t.Errorf("secrets that cannot be read: %v", r)
	}
}

// waitForFile waits until a file exists.
func waitForFile(t *testing.T, name string) {
	t.Helper()
	for t.Context().Err() == nil {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s does not appear", name)
}

// TestRedactSignals ends rewritten commands: the command hears of it, what it printed until
// then and after is there, and so is how it ended.
func TestRedactSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command string
		group         bool
		signal        syscall.Signal
		out           string
		code          int // below 0: the signal
	}{
		{"Ctrl-C", "echo before; : >started; sleep 30; echo not", true, syscall.SIGINT, "before\n", -int(syscall.SIGINT)},
		{"ended alone", "echo before; trap 'echo bye; exit 9' TERM; : >started; while :; do sleep 0.05; done", false, syscall.SIGTERM, "before\nbye\n", 9},
		{"hung up", "trap 'cat .env; exit 8' HUP; : >started; while :; do sleep 0.05; done", false, syscall.SIGHUP, "NAME=value\nTOKEN=[REDACTED]\nDB_PASSWORD=[REDACTED]\n", 8},
		{"ended by it", ": >started; exec sleep 30", false, syscall.SIGTERM, "", 128 + int(syscall.SIGTERM)},
	} { // no program makes the file: bash goes on after a signal that a program survived
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(tt.signal) {
				t.Skip("the test was started so that it ignores the signal, and so does all that it starts")
			}
			dir := redactPlace(t)
			cmd := exec.Command(filepath.Join(programs, "checkrein"), "redact", "--shell", "bash", "-c", tt.command)
			var out bytes.Buffer
			cmd.Dir, cmd.Stdout = dir, &out
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			waitForFile(t, filepath.Join(dir, "started"))
			to := cmd.Process.Pid
			if tt.group {
				to = -to
			}
			if err := syscall.Kill(to, tt.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			code := status.ExitStatus()
			if status.Signaled() {
				code = -int(status.Signal())
			}
			if out.String() != tt.out || code != tt.code {
				t.Errorf("%q, %d", out.String(), code)
			}
		})
	}
}

// TestRedactLarge prints 50 MB through the redactor: it is all there, and is not kept in memory.
func TestRedactLarge(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	dir := redactPlace(t)
	line := strings.Repeat("a line of text that has nothing in it ", 3) + "\n"
	f, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		t.Fatal(err)
	}
	want, n := sha256.New(), 0
	for i := 0; n < size; i++ {
		is, was := line, line
		if i%5000 == 7 {
			was, is = "password is "+redactPassword+" and "+redactToken+"\n", "password is [REDACTED] and [REDACTED]\n"
		}
		io.WriteString(want, is)
		k, err := f.WriteString(was)
		if err != nil {
			t.Fatal(err)
		}
		n += k
	}
	f.Close()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "redact", "--of", ".env", "-c", "cat big")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	got, most := sha256.New(), 0
	for {
		_, err := io.CopyN(got, out, 4<<20)
		most = max(most, peak(cmd.Process.Pid))
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Error("not as it was, secrets excepted")
	}
	if most > 64<<10 {
		t.Errorf("it needed %d KiB", most)
	}
}

// peak is the most memory that a process had, in KiB; 0 = the system does not say. What
// the system counts of ended processes has the memory of those that started them.
func peak(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	n := 0
	_, _ = fmt.Sscan(rest, &n)
	return n
}
