package hostlab

import "testing"

// TestNothingOutlivesARun checks that a process outside the host's process group, which does not hold
// its output open, is killed after the run.
func TestNothingOutlivesARun(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, `setsid sh -c 'echo $$ >"$HOME/pid"; exec sleep 1000' >/dev/null 2>&1 </dev/null &
until [ -s "$HOME/pid" ]; do sleep 0.01; done`)
	if _, err := s.Run(t.Context(), Run{}); err != nil {
		t.Fatal(err)
	}
	pid := readFile(s.Home, "pid")
	if pid == "" {
		t.Fatal("nothing was started")
	}
	waitFor(t, func() bool { return !isAlive(pid) })
}

// TestHiddenProcessesAreKilled checks that a process that left its session twice and has an empty
// environment is killed, because it works in the project.
func TestHiddenProcessesAreKilled(t *testing.T) {
	t.Parallel()
	s := fakeSpace(t, `setsid setsid env -i PATH="$PATH" sh -c 'echo $$ >"'"$HOME"'/pid"; exec sleep 1000' >/dev/null 2>&1 </dev/null &
until [ -s "$HOME/pid" ]; do sleep 0.01; done`)
	if _, err := s.Run(t.Context(), Run{}); err != nil {
		t.Fatal(err)
	}
	pid := readFile(s.Home, "pid")
	if pid == "" {
		t.Fatal("nothing was started")
	}
	waitFor(t, func() bool { return !isAlive(pid) })
}
