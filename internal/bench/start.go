//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// times are the durations of one candidate.
type times []time.Duration

func (t times) median() time.Duration {
	s := slices.Sorted(slices.Values(t))
	return s[len(s)/2]
}

func (t times) p90() time.Duration {
	s := slices.Sorted(slices.Values(t))
	return s[len(s)*9/10]
}

// series runs two candidates in turns, so that a noisy machine is noisy for
// both.
func series(n int, a, b func() error) (times, times) {
	if b == nil {
		return turns(n, a)[0], nil
	}
	all := turns(n, a, b)
	return all[0], all[1]
}

// turns is series for any number of candidates.
func turns(n int, candidates ...func() error) []times {
	all := make([]times, len(candidates))
	for range n {
		for i, c := range candidates {
			all[i] = append(all[i], clock(c))
		}
	}
	return all
}

func clock(f func() error) time.Duration {
	began := time.Now()
	if err := f(); err != nil {
		panic(err)
	}
	return time.Since(began)
}

func ratio(a, b times) string {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	return fmt.Sprintf("**%.2f** (%.2f ms ÷ %.2f ms; p90 %.2f ÷ %.2f)", ms(a.median())/ms(b.median()), ms(a.median()), ms(b.median()), ms(a.p90()), ms(b.p90()))
}

func reader(b []byte) io.Reader { return bytes.NewReader(b) }

const hello = `package main

import "fmt"

func main() { fmt.Println("hello") }
`

// starts measures whole runs of the hot program against the smallest Go program
// that prints a line.
func starts(dir, programs string, runs int) error {
	built := filepath.Join(dir, "built")
	if err := os.WriteFile(built+".go", []byte(hello), 0o600); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built, built+".go").CombinedOutput(); err != nil {
		return fmt.Errorf("building the floor: %w\n%s", err, out)
	}
	// Both are copied, as an installer does: a file that the linker mapped while
	// it wrote lies in smaller pieces in memory and starts more slowly.
	floor, err := install(built, filepath.Join(dir, "hello"))
	if err != nil {
		return err
	}
	program, err := install(filepath.Join(programs, "checkrein"), filepath.Join(dir, "checkrein"))
	if err != nil {
		return err
	}
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, []byte(`{"session_id":"","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"ls -la danger49","description":"List files"}}`), 0o600); err != nil {
		return err
	}
	config := filepath.Join(dir, "fifty.yaml")
	if err := os.WriteFile(config, []byte(fifty()), 0o600); err != nil {
		return err
	}
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	base := launch(event, env, floor)
	for _, c := range []struct {
		what, must, ambition string
		argv                 []string
	}{
		{"`checkrein eval`, one event, 50 rules ÷ Go hello world", "≤ 1.6", "–", []string{program, "eval", "-c", config, "--json"}},
		{"`checkrein version` ÷ Go hello world", "–", "–", []string{program, "version"}},
	} {
		cmd := launch(event, env, c.argv...)
		series(10, cmd, base) // fill caches
		a, b := series(runs, cmd, base)
		row(c.what, ratio(a, b), c.must, c.ambition)
	}
	return nil
}

func install(from, to string) (string, error) {
	image, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	return to, os.WriteFile(to, image, 0o700)
}

// launch starts a program with as little around it as Go can do.
func launch(stdin string, env []string, argv ...string) func() error {
	return func() error {
		in, err := os.Open(stdin)
		if err != nil {
			return err
		}
		defer in.Close()
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: env, Files: []uintptr{in.Fd(), null.Fd(), null.Fd()}})
		if err != nil {
			return err
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			return err
		}
		if status.ExitStatus() != 0 {
			return fmt.Errorf("%s exited with %d", argv[0], status.ExitStatus())
		}
		return nil
	}
}

// fifty is a file with fifty rules, all about the same tool.
func fifty() string {
	var b strings.Builder
	b.WriteString("version: 1\npacks: []\nhooks:\n  pre_tool_use:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "    - type: rule\n      name: rule%d\n      if: {all: [{tool: {is: shell}}, {command: {contains: danger%d}}]}\n      decision: deny\n      reason: 'Blocked (rule %d): {{command}}'\n", i, i, i)
	}
	return b.String()
}
