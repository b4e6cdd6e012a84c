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

// overshoot is how long after its deadline Run may typically come back.
const overshoot = 50 * time.Millisecond

// TestRunDeadline is not parallel, since it measures.
func TestRunDeadline(t *testing.T) {
	tests := []struct {
		name   string
		script string
		pids   int // how many the script prints; all must be gone afterwards
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
			measure(t, overshoot, func(turn int) time.Duration {
				return deadlineTurn(t, tt.script, tt.pids, 300*time.Millisecond<<(2*turn))
			})
		})
	}
}

// deadlineTurn runs a script into its deadline and returns how late Run was.
// A script that had no time to say all its pids counts as an hour late.
func deadlineTurn(t *testing.T, script string, pids int, timeout time.Duration) time.Duration {
	t.Helper()
	deadline := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	res, err := Run(ctx, sh(script))
	late := time.Since(deadline)
	wantErr(t, err, ErrTimeout)
	if said := bytes.Count(res.Stdout, []byte("\n")); said < pids {
		return time.Hour
	}
	for _, pid := range pidsIn(t, res.Stdout, pids) {
		wantGone(t, pid)
	}
	return late
}

// measure wants one of a few turns to take no longer than limit, and more only
// as far as the machine itself was late in that turn: one slow turn may be the
// machine's fault, all of them are ours.
func measure(t *testing.T, limit time.Duration, turn func(int) time.Duration) {
	t.Helper()
	for i := range 4 {
		noise := listen()
		took := turn(i)
		allowed := limit + 10*noise()
		t.Logf("took %v, allowed %v", took.Round(100*time.Microsecond), allowed.Round(100*time.Microsecond))
		if took <= allowed {
			return
		}
	}
	t.Errorf("always took more than %v and what the machine was late", limit)
}

// listen watches how late the machine wakes sleepers. The function it returns
// ends that and tells the worst.
func listen() func() time.Duration {
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

// wantGone wants a process to have died, at the latest while we look.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "the end of a killed process", func() bool {
		e, err := lookup(pid)
		return err != nil || e.dead
	})
}

func wantRunning(t *testing.T, pid int) {
	t.Helper()
	if e, err := lookup(pid); err != nil || e.dead {
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
			s := sh(tt.script)
			s.Grace = tt.grace
			res, late := runUp(t, s)
			if late > tt.within {
				t.Errorf("back %v after the deadline", late)
			}
			if string(res.Stdout) != tt.out || res.Exit != tt.exit || res.Signal != tt.signal {
				t.Errorf("got %q, exit %d, signal %q", res.Stdout, res.Exit, res.Signal)
			}
		})
	}
}

// runUp runs a script into its deadline, a later one until the script has said that it
// is up. It returns what the script said then, and how late Run was.
func runUp(t *testing.T, s Spec) (Result, time.Duration) {
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
	res, err := Run(ctx, sh("echo $$; touch "+mark+"; sleep 300"))
	wantErr(t, err, ErrCanceled)
	if errors.Is(err, ErrTimeout) {
		t.Error("canceled and timed out")
	}
	wantGone(t, pidsIn(t, res.Stdout, 1)[0])
}

// TestRunCanceledAfterExit has the leader exit long before ctx is cancelled.
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
				return // it has ended and was seen to
			}
			time.Sleep(time.Millisecond)
		}
	}()
	res, err := Run(ctx, sh("setsid sleep 300 & echo $!; echo $$ > "+leader+"; exit 5"))
	wantErr(t, err, ErrCanceled)
	if res.Exit != 5 {
		t.Errorf("exit %d, want 5", res.Exit)
	}
	wantGone(t, pidsIn(t, res.Stdout, 1)[0])
}

// TestRunLateAnswer has somebody else than the leader say what is to be said,
// after the leader is gone.
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

// TestRunReadsOnForOrphans feeds one who reads and writes on after the leader.
func TestRunReadsOnForOrphans(t *testing.T) {
	t.Parallel()
	s := sh("{ (sleep 0.2; cat <&3) & } 3<&0; exit 0")
	s.Stdin = bytes.Repeat([]byte("x"), 300_000)
	wantBytes(t, "stdout", mustRun(t, s).Stdout, s.Stdin)
}

// TestRunLeavesNobodyWithOurPipes has the leader exit while others live on that
// let go of stdout.
func TestRunLeavesNobodyWithOurPipes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		runs   []bool // for each printed pid
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
			res := mustRun(t, sh(tt.script+"; exit 5"))
			if took := time.Since(began); took > patience/2 {
				t.Errorf("took %v", took)
			}
			if res.Exit != 5 {
				t.Errorf("exit %d, want 5", res.Exit)
			}
			for i, pid := range pidsIn(t, res.Stdout, len(tt.runs)) {
				if tt.runs[i] {
					wantRunning(t, pid)
				} else {
					wantGone(t, pid)
				}
			}
		})
	}
}

// TestRunDrain is not parallel, since it measures: a leader that leaves a
// holder of stderr behind costs little more than the drain window, and loses
// nothing.
func TestRunDrain(t *testing.T) {
	measure(t, 2*drainWindow, func(int) time.Duration {
		began := time.Now()
		res := mustRun(t, sh("sleep 300 >/dev/null & head -c 60000 /dev/zero; echo end >&2"))
		took := time.Since(began)
		wantBytes(t, "stdout", res.Stdout, make([]byte, 60000))
		wantBytes(t, "stderr", res.Stderr, []byte("end\n"))
		return took
	})
}

// TestRenew has the number of a reaped leader and those of its dead kin go to
// strangers, for which our own parent and group stand in.
func TestRenew(t *testing.T) {
	t.Parallel()
	parent, err := lookup(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	self, err := lookup(os.Getpid())
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
	e, err := lookup(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if bound := startBound(began); bound == 0 || bound > e.Start || bound+6000 < e.Start {
		t.Errorf("bound %d of a process that started at %d", bound, e.Start)
	}
}

// TestRunFloodAfterExit leaves a writer that never stops.
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
			res, err := runWithin(t, patience, sh(script))
			wantErr(t, err, want)
			if len(res.Stdout) > defaultMaxOut || len(res.Stderr) > defaultMaxErr {
				t.Errorf("%d bytes of stdout, %d of stderr", len(res.Stdout), len(res.Stderr))
			}
			said := bytes.Trim(slices.Concat(res.Stdout, res.Stderr), "\x00")
			wantGone(t, pidsIn(t, said, 1)[0])
		})
	}
}

// TestRunFlood is not parallel, since it measures time and memory.
func TestRunFlood(t *testing.T) {
	const limit = 4 << 20
	for _, script := range []string{"yes", "exec cat /dev/zero", "setsid cat /dev/zero & echo $! >&2; wait"} {
		t.Run(script, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			res, err := runWithin(t, patience, sh(script))
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
				wantGone(t, pidsIn(t, res.Stderr, 1)[0])
			}
		})
	}
}

// TestRunLeaks is not parallel, since it counts what the whole process has.
func TestRunLeaks(t *testing.T) {
	specs := []Spec{
		{Argv: []string{"true"}},
		{Argv: []string{"cat"}, Stdin: make([]byte, 1000)},
		{Argv: []string{"true"}, Stdin: make([]byte, 1<<20)},
		{Argv: []string{"no-such-program-anywhere"}, Stdin: []byte("x")},
		{Argv: []string{"true"}, Dir: "/no/such/dir", Stdin: make([]byte, 1<<20)},
		{Argv: []string{"yes"}},
		sh("sleep 300 & sleep 300"),
		sh("sleep 300 & exit 0"),
	}
	turn := func() {
		for _, s := range specs {
			_, _ = runWithin(t, 50*time.Millisecond, s)
		}
	}
	turn() // whatever the runtime opens once, it has opened now
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
