package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// overshoot is how long after its deadline Run may typically return.
const overshoot = 50 * time.Millisecond

// TestRunDeadline is not parallel, because it measures time.
func TestRunDeadline(t *testing.T) {
	tests := []struct {
		name   string
		script string
		pids   int // number of pids that the script prints; all must have ended afterwards
	}{
		{"sleeper", "echo $$; sleep 6; true", 1},
		{"grandchild holds stdout", "sleep 300 & echo $!; wait", 1},
		{"orphan in the group", "(sleep 300 & echo $!); sleep 300; true", 1},
		{"ignores TERM", "trap '' TERM; echo $$; sleep 300 & echo $!; while :; do sleep 1; done", 2},
		{"only the child ignores TERM", "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait", 1},
		{"own session", "setsid sleep 300 & echo $!; wait", 1},
		{"own session, no output held", "setsid sleep 300 >/dev/null 2>&1 & echo $!; wait", 1},
		{"own session, ignores TERM", "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait", 1},
		{"child of an own session", "setsid sh -c 'sleep 300 & echo $!; wait' & wait", 1},
		{"own session of an orphan", "setsid -f sh -c 'echo $$; exec sleep 300'; sleep 300; true", 1},
		{"stopped", "echo $$; kill -STOP $$; sleep 300", 1},
		{"outputs closed", "echo $$; exec >&- 2>&-; sleep 300; true", 1},
		{"flood of stderr", "echo $$; cat /dev/zero >&2; true", 1},
		{"leader gone", "sleep 300 & echo $!", 1},
		{"leader gone, only stdout held", "sleep 300 2>/dev/null & echo $!", 1},
		{"leader gone, stdout held as another number", "sleep 300 7>&1 >/dev/null 2>&1 & echo $!", 1},
		{"leader gone, ignores TERM", "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & exit 0", 1},
		{"leader gone, group ends with the holder", "sleep 300 >/dev/null 2>&1 & echo $!; sleep 300 & echo $!", 2},
		{"leader gone, own session", "setsid sleep 300 & echo $!", 1},
		{"leader gone, own session of an orphan", "setsid -f sh -c 'echo $$; exec sleep 300'", 1},
		{"leader gone, own session with a silent child", "setsid sh -c 'sleep 300 >/dev/null 2>&1 & echo $!; echo $$; wait' &", 2},
		{"leader gone, own session, ignores TERM", "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & exit 0", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantWithin(t, overshoot, func(turn int) time.Duration {
				return runToDeadline(t, tt.script, tt.pids, 300*time.Millisecond<<(2*turn))
			})
		})
	}
}

// runToDeadline runs script into its deadline and returns how late Run returned. A script that had no
// time to print all its pids counts as an hour late.
func runToDeadline(t *testing.T, script string, pids int, timeout time.Duration) time.Duration {
	t.Helper()
	deadline := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	res, err := Run(ctx, shellSpec(script))
	late := time.Since(deadline)
	wantErr(t, err, ErrTimeout)
	if said := bytes.Count(res.Stdout, []byte("\n")); said < pids {
		return time.Hour
	}
	for _, pid := range parsePIDs(t, res.Stdout, pids) {
		wantGone(t, pid)
	}
	return late
}

// wantWithin requires that one of a few turns takes no longer than limit, plus an allowance for how
// late the machine itself was in that turn. One slow turn may be the machine's fault; if all are slow,
// it is the program's.
func wantWithin(t *testing.T, limit time.Duration, turn func(int) time.Duration) {
	t.Helper()
	for i := range 4 {
		noise := measureWakeups()
		took := turn(i)
		allowed := limit + 10*noise()
		t.Logf("took %v, allowed %v", took.Round(100*time.Microsecond), allowed.Round(100*time.Microsecond))
		if took <= allowed {
			return
		}
	}
	t.Errorf("always took more than %v and what the machine was late", limit)
}

// measureWakeups measures how late the machine wakes sleepers. The function that it returns ends that,
// and returns the maximum.
func measureWakeups() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var late time.Duration
		for !isClosed(stop) {
			began := time.Now()
			time.Sleep(time.Millisecond)
			late = max(late, time.Since(began)-time.Millisecond)
		}
		worst <- late
	}()
	return func() time.Duration {
		close(stop)
		return <-worst
	}
}

// wantGone waits until the process pid has ended.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "the end of a killed process", func() bool {
		e, err := lookupProcess(pid)
		return err != nil || e.dead
	})
}

func wantRunning(t *testing.T, pid int) {
	t.Helper()
	if e, err := lookupProcess(pid); err != nil || e.dead {
		t.Errorf("process %d does not run: %+v, %v", pid, e, err)
	}
}

func TestRunGrace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		grace  time.Duration
		out    string
		exit   int
		signal string
		within time.Duration // of the deadline
	}{
		{"dies at TERM", "echo up; sleep 300", patience, "", -1, "SIGTERM", patience / 2},
		{"cleans up", "trap 'sleep 0.1; echo bye; exit 7' TERM; sleep 300 & echo up; wait", patience, "bye\n", 7, "", patience / 2},
		{"takes too long", "trap 'sleep 300' TERM; sleep 300 & echo up; wait", 20 * time.Millisecond, "", -1, "SIGKILL", patience / 2},
		{"no grace", "trap 'echo bye; exit 7' TERM; sleep 300 & echo up; wait", -1, "", -1, "SIGKILL", patience / 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := shellSpec(tt.script)
			s.Grace = tt.grace
			res, late := runUntilUp(t, s)
			if late > tt.within {
				t.Errorf("back %v after the deadline", late)
			}
			if string(res.Stdout) != tt.out || res.Exit != tt.exit || res.Signal != tt.signal {
				t.Errorf("got %q, exit %d, signal %q", res.Stdout, res.Exit, res.Signal)
			}
		})
	}
}

// runUntilUp runs a script into its deadline, with later and later deadlines until the script has
// printed that it is up. It returns the result, and how late Run returned.
func runUntilUp(t *testing.T, s Spec) (Result, time.Duration) {
	t.Helper()
	for timeout := 500 * time.Millisecond; ; timeout *= 4 {
		began := time.Now()
		res, err := runWithin(t, timeout, s)
		late := time.Since(began) - timeout
		wantErr(t, err, ErrTimeout)
		if said, up := bytes.CutPrefix(res.Stdout, []byte("up\n")); up {
			res.Stdout = said
			return res, late
		}
		if timeout > patience {
			t.Fatalf("it was not up within %v: %q, %q", timeout, res.Stdout, res.Stderr)
		}
	}
}

func TestRunCanceled(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "up")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range int(patience / time.Millisecond) {
			if _, err := os.Stat(mark); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	res, err := Run(ctx, shellSpec("echo $$; touch "+mark+"; sleep 300"))
	wantErr(t, err, ErrCanceled)
	if errors.Is(err, ErrTimeout) {
		t.Error("canceled and timed out")
	}
	wantGone(t, parsePIDs(t, res.Stdout, 1)[0])
}

// TestRunCanceledAfterExit checks that a cancellation long after the leader has exited ends the run.
func TestRunCanceledAfterExit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	leader := filepath.Join(t.TempDir(), "leader")
	go func() {
		defer cancel()
		for {
			said, _ := os.ReadFile(leader)
			pid, err := strconv.Atoi(strings.TrimSpace(string(said)))
			if err == nil && syscall.Kill(pid, 0) != nil || ctx.Err() != nil {
				return // the run ended before it was cancelled
			}
			time.Sleep(time.Millisecond)
		}
	}()
	res, err := Run(ctx, shellSpec("setsid sleep 300 & echo $!; echo $$ > "+leader+"; exit 5"))
	wantErr(t, err, ErrCanceled)
	if res.Exit != 5 {
		t.Errorf("exit %d, want 5", res.Exit)
	}
	wantGone(t, parsePIDs(t, res.Stdout, 1)[0])
}

// TestRunLateAnswer checks that output of another process after the leader has exited is part of the
// result.
func TestRunLateAnswer(t *testing.T) {
	t.Parallel()
	const answer = `{"decision":"block"}`
	say := "sleep 0.3; echo '" + answer + "'"
	late := filepath.Join(t.TempDir(), "late")
	tests := []struct{ name, script string }{
		{"child", "(" + say + ") & exit 0"},
		{"child without stderr", "(" + say + ") 2>/dev/null & exit 0"},
		{"orphan", "((" + say + ") & ) ; exit 0"},
		{"own session", "setsid sh -c '" + strings.ReplaceAll(say, "'", `'\''`) + "' & exit 0"},
		{"pipe to a slow reader", "{ echo '" + answer + "'; } > >(sleep 0.3; tee -a " + late + ")"},
		{"after its stderr ended", "(exec 2>&-; " + say + ") & exec 2>&-; exit 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bash, err := exec.LookPath("bash")
			if err != nil {
				t.Skip(err)
			}
			res := mustRun(t, Spec{Argv: []string{bash, "-c", tt.script}})
			wantBytes(t, "stdout", res.Stdout, []byte(answer+"\n"))
			if res.Exit != 0 {
				t.Errorf("exit %d", res.Exit)
			}
		})
	}
}

// TestRunServesOrphans checks that an orphan that reads input and writes output after the leader has
// exited is served.
func TestRunServesOrphans(t *testing.T) {
	t.Parallel()
	s := shellSpec("{ (sleep 0.2; cat <&3) & } 3<&0; exit 0")
	s.Stdin = bytes.Repeat([]byte("x"), 300_000)
	wantBytes(t, "stdout", mustRun(t, s).Stdout, s.Stdin)
}

// TestRunKillsPipeHolders checks which processes live on after the leader has exited and they have
// closed stdout.
func TestRunKillsPipeHolders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		runs   []bool // whether each printed pid still runs
	}{
		{"holds stderr", "sleep 300 >/dev/null & echo $!", []bool{false}},
		{"holds neither", "sleep 300 >/dev/null 2>&1 & echo $!", []bool{true}},
		{"one of each", "sleep 300 >/dev/null 2>&1 & echo $!; sleep 300 >/dev/null & echo $!", []bool{true, false}},
		{"own session", "setsid sleep 300 >/dev/null 2>&1 & echo $!", []bool{true}},
		{
			"holds stderr, stdout ends late",
			"sleep 300 >/dev/null & echo $!; sleep 300 >/dev/null 2>&1 & echo $!; sleep 0.3 & true",
			[]bool{false, true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			res := mustRun(t, shellSpec(tt.script+"; exit 5"))
			if took := time.Since(began); took > patience/2 {
				t.Errorf("took %v", took)
			}
			if res.Exit != 5 {
				t.Errorf("exit %d, want 5", res.Exit)
			}
			for i, pid := range parsePIDs(t, res.Stdout, len(tt.runs)) {
				if tt.runs[i] {
					wantRunning(t, pid)
				} else {
					wantGone(t, pid)
				}
			}
		})
	}
}

// TestRunDrain checks that a leader that leaves a holder of stderr behind costs little more than the
// drain window, and loses no output. It is not parallel, because it measures time.
func TestRunDrain(t *testing.T) {
	wantWithin(t, 2*drainWindow, func(int) time.Duration {
		began := time.Now()
		res := mustRun(t, shellSpec("sleep 300 >/dev/null & head -c 60000 /dev/zero; echo end >&2"))
		took := time.Since(began)
		wantBytes(t, "stdout", res.Stdout, make([]byte, 60000))
		wantBytes(t, "stderr", res.Stderr, []byte("end\n"))
		return took
	})
}

// TestRevalidate checks that members whose numbers other processes have by now are dropped. The parent
// and the group of this process stand in for those processes.
func TestRevalidate(t *testing.T) {
	t.Parallel()
	parent, err := lookupProcess(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	self, err := lookupProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	former := parent
	former.Start++
	f := &family{leader: self.pgrp, listed: true, members: []entry{former}}
	f.revalidate()
	if f.leader != noProcess || len(f.members) > 0 {
		t.Errorf("strangers became kin: %+v", f)
	}
	f = &family{leader: self.pgrp, listed: true, members: []entry{former, self}}
	f.revalidate()
	if f.leader != self.pgrp || !slices.Contains(f.members, self) {
		t.Errorf("a living member does not keep its group: %+v", f)
	}
}

func TestStartBound(t *testing.T) {
	t.Parallel()
	began := time.Now()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	e, err := lookupProcess(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if bound := startBound(began); bound == 0 || bound > e.Start || bound+6000 < e.Start {
		t.Errorf("bound %d of a process that started at %d", bound, e.Start)
	}
}

// TestRunFloodAfterExit checks a leader that leaves behind a writer that never stops.
func TestRunFloodAfterExit(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]error{
		"cat /dev/zero & echo $! >&2":                                ErrTooMuchOutput,
		"(sleep 0.2; exec cat /dev/zero) & echo $! >&2":              ErrTooMuchOutput,
		"setsid sh -c 'sleep 0.2; exec cat /dev/zero' & echo $! >&2": ErrTooMuchOutput,
		"cat /dev/zero >&2 & echo $!":                                nil,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			res, err := runWithin(t, patience, shellSpec(script))
			wantErr(t, err, want)
			if len(res.Stdout) > defaultMaxOut || len(res.Stderr) > defaultMaxErr {
				t.Errorf("%d bytes of stdout, %d of stderr", len(res.Stdout), len(res.Stderr))
			}
			said := bytes.Trim(slices.Concat(res.Stdout, res.Stderr), "\x00")
			wantGone(t, parsePIDs(t, said, 1)[0])
		})
	}
}

// TestRunFlood is not parallel, because it measures time and memory.
func TestRunFlood(t *testing.T) {
	const limit = 4 << 20
	for _, script := range []string{"yes", "exec cat /dev/zero", "setsid cat /dev/zero & echo $! >&2; wait"} {
		t.Run(script, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			res, err := runWithin(t, patience, shellSpec(script))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			wantErr(t, err, ErrTooMuchOutput)
			if len(res.Stdout) != defaultMaxOut {
				t.Errorf("stdout has %d bytes", len(res.Stdout))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > limit {
				t.Errorf("used %d bytes of memory", used)
			}
			t.Logf("took %v", took)
			if took > patience/2 {
				t.Errorf("took %v", took)
			}
			if len(res.Stderr) > 0 {
				wantGone(t, parsePIDs(t, res.Stderr, 1)[0])
			}
		})
	}
}

// TestRunLeaks is not parallel, because it counts goroutines and descriptors of the whole process.
func TestRunLeaks(t *testing.T) {
	specs := []Spec{
		{Argv: []string{"true"}},
		{Argv: []string{"cat"}, Stdin: make([]byte, 1000)},
		{Argv: []string{"true"}, Stdin: make([]byte, 1<<20)},
		{Argv: []string{"no-such-program-anywhere"}, Stdin: []byte("x")},
		{Argv: []string{"true"}, Dir: "/no/such/dir", Stdin: make([]byte, 1<<20)},
		{Argv: []string{"yes"}},
		shellSpec("sleep 300 & sleep 300"),
		shellSpec("sleep 300 & exit 0"),
	}
	turn := func() {
		for _, s := range specs {
			_, _ = runWithin(t, 50*time.Millisecond, s)
		}
	}
	turn() // lets the runtime open what it opens only once
	files, routines := openFiles(t), runtime.NumGoroutine()
	for range 7 {
		turn()
	}
	eventually(t, "as many goroutines as before", func() bool { return runtime.NumGoroutine() <= routines })
	eventually(t, "as many open files as before", func() bool { return openFiles(t) <= files })
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := listDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
