package facts

import "testing"

func TestFindHijack(t *testing.T) {
	for i := range hijacks {
		if h := &hijacks[i]; FindHijack(h.Name) != h {
			t.Errorf("%s is not found: the table is sorted by name", h.Name)
		}
	}
	for name, want := range map[string]bool{"LD_PRELOAD": true, "DYLD_X": true, "BASH_ENV": true, "PYTHONPATH": false, "HOME": false, "NOPE": false} {
		if HijacksEveryProgram(name) != want {
			t.Errorf("Bends(%s) is %v", name, !want)
		}
	}
	for path, want := range map[string]bool{"/tmp": true, "/tmpfoo": false, "/dev/shm/x": true, "/dev/null": false, "/proc/self/fd/3": true, "/usr/lib": false, "src": false, "https://x": true} {
		if IsOpenToAll(path) != want {
			t.Errorf("Open(%s) is %v", path, !want)
		}
	}
}
