package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
		{"grandchild holds stdout", "sleep 60 & echo $!; wait", 1},
		{"orphan in the group", "(sleep 60 & echo $!); sleep 60; true", 1},
		{"ignores TERM", "trap '' TERM; echo $$; sleep 60 & echo $!; while :; do sleep 1; done", 2},
		{"only the child ignores TERM", "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait", 1},
		{"own session", "setsid sleep 60 & echo $!; wait", 1},
		{"own session, no output held", "setsid sleep 60 >/dev/null 2>&1 & echo $!; wait", 1},
		{"own session, ignores TERM", "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait", 1},
		{"child of an own session", "setsid sh -c 'sleep 60 & echo $!; wait' & wait", 1},
		{"own session of an orphan", "setsid -f sh -c 'echo $$; exec sleep 60'; sleep 60; true", 1},
		{"stopped", "echo $$; kill -STOP $$; sleep 60", 1},
		{"outputs closed", "echo $$; exec >&- 2>&-; sleep 60; true", 1},
		{"flood of stderr", "echo $$; cat /dev/zero >&2; true", 1},
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
		{"dies at TERM", "sleep 60", patience, "", -1, "SIGTERM", patience / 2},
		{"cleans up", "trap 'sleep 0.1; echo bye; exit 7' TERM; sleep 60 & wait", patience, "bye\n", 7, "", patience / 2},
		{"takes too long", "trap 'sleep 60' TERM; sleep 60 & wait", 20 * time.Millisecond, "", -1, "SIGKILL", patience / 2},
		{"no grace", "trap 'echo bye; exit 7' TERM; sleep 60 & wait", -1, "", -1, "SIGKILL", patience / 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sh(tt.script)
			s.Grace = tt.grace
			began := time.Now()
			res, err := runWithin(t, time.Second, s)
			wantErr(t, err, ErrTimeout)
			if took := time.Since(began) - time.Second; took > tt.within {
				t.Errorf("back %v after the deadline", took)
			}
			if string(res.Stdout) != tt.out || res.Exit != tt.exit || res.Signal != tt.signal {
				t.Errorf("got %q, exit %d, signal %q", res.Stdout, res.Exit, res.Signal)
			}
		})
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
	res, err := Run(ctx, sh("echo $$; touch "+mark+"; sleep 60"))
	wantErr(t, err, ErrCanceled)
	if errors.Is(err, ErrTimeout) {
		t.Error("canceled and timed out")
	}
	wantGone(t, pidsIn(t, res.Stdout, 1)[0])
}

// TestRunLeavesNobodyWithOurPipes has the leader exit while others live on.
func TestRunLeavesNobodyWithOurPipes(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "up")
	tests := []struct {
		name   string
		script string
		runs   []bool // for each printed pid
	}{
		{"holds stdout and stderr", "sleep 60 & echo $!", []bool{false}},
		{"holds stdout", "sleep 60 2>/dev/null & echo $!", []bool{false}},
		{"holds stderr", "sleep 60 >/dev/null & echo $!", []bool{false}},
		{"holds stdout as another number", "sleep 60 7>&1 >/dev/null 2>&1 & echo $!", []bool{false}},
		{"holds neither", "sleep 60 >/dev/null 2>&1 & echo $!", []bool{true}},
		{"one of each", "sleep 60 >/dev/null 2>&1 & echo $!; sleep 60 & echo $!", []bool{true, false}},
		{
			"own session", "setsid sh -c 'echo $$ >" + mark + "; exec sleep 60' & while ! [ -s " + mark + " ]; do :; done; cat " + mark,
			[]bool{true},
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
// holder behind costs little more than the drain window, and loses nothing.
func TestRunDrain(t *testing.T) {
	measure(t, 2*drainWindow, func(int) time.Duration {
		began := time.Now()
		res := mustRun(t, sh("sleep 60 & head -c 60000 /dev/zero; echo end >&2"))
		took := time.Since(began)
		wantBytes(t, "stdout", res.Stdout, make([]byte, 60000))
		wantBytes(t, "stderr", res.Stderr, []byte("end\n"))
		return took
	})
}

// TestRunFloodAfterExit leaves a writer that never stops. Whether it gets to
// the limit before it is killed is a race, but not one to hang on.
func TestRunFloodAfterExit(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"cat /dev/zero & echo $! >&2", "cat /dev/zero >&2 & echo $!"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			res, err := runWithin(t, patience, sh(script))
			if err != nil {
				wantErr(t, err, ErrTooMuchOutput)
			}
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
		sh("sleep 60 & sleep 60"),
		sh("sleep 60 & exit 0"),
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
