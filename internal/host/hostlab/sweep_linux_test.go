package hostlab

import "testing"

// TestNothingOutlivesARun starts a process outside the host's process group and output.
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

// TestHiddenProcessesAreKilled starts a process that has left its session twice and has an empty
// environment, but works in the project.
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
