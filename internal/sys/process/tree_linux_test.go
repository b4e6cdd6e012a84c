package process

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const statTail = " 20 0 1 0 98765 1 2 3"

func TestParseStat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		line string
		want entry
		ok   bool
	}{
		{"plain", "42 (sh) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, false, 6, 0}, true},
		{"name with spaces and parentheses", "42 (a) R 1 (b) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, false, 6, 0}, true},
		{"name with a newline", "42 (a\nb) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, false, 6, 0}, true},
		{"empty name", "42 () S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, false, 6, 0}, true},
		{"zombie", "42 (sh) Z 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, true, 6, 0}, true},
		{"at a terminal", "42 (sh) S 7 41 6 34816 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{ID{42, 98765}, 7, 41, false, 6, 34816}, true},
		{"empty", "", entry{}, false},
		{"no name", "42 sh S 7", entry{}, false},
		{"wrong way round", ")42(", entry{}, false},
		{"cut short", "42 (sh) S 7 41", entry{}, false},
		{"no pid", "x (sh) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{}, false},
		{"no parent", "42 (sh) S x 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{}, false},
		{"no group", "42 (sh) S 7 x 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail, entry{}, false},
		{"negative start", "42 (sh) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 -5", entry{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStat([]byte(tt.line))
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (sh) S 7 41 6 0 -1 4194304 1 2 3 4 5 6 7 8" + statTail))
	f.Add([]byte("1 ("))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, err := parseStat(line); err != nil && e != (entry{}) {
			t.Errorf("%q: %+v beside %v", line, e, err)
		}
	})
}

func TestAncestors(t *testing.T) {
	t.Parallel()
	ids, err := Ancestors()
	if err != nil || len(ids) == 0 {
		t.Fatalf("Ancestors() = %v, %v", ids, err)
	}
	if ids[0].PID != os.Getppid() {
		t.Errorf("first is %v, want our parent %d", ids[0], os.Getppid())
	}
	for _, id := range ids {
		if !IsAlive(id) {
			t.Errorf("ancestor %v is not alive", id)
		}
	}
	last, err := lookupProcess(ids[len(ids)-1].PID)
	if err != nil || last.parent != 0 {
		t.Errorf("last is %+v, %v; want one without a parent", last, err)
	}
}

func TestAliveSelf(t *testing.T) {
	t.Parallel()
	self, err := SelfID()
	if err != nil || self.PID != os.Getpid() {
		t.Fatalf("Self() = %v, %v", self, err)
	}
	tests := []struct {
		name string
		id   ID
		want bool
	}{
		{"ourselves", self, true},
		{"our number at another time", ID{self.PID, self.Start + 1}, false},
		{"nobody", ID{}, false},
		{"no such number", ID{1 << 30, self.Start}, false},
		{"negative", ID{-1, self.Start}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := IsAlive(tt.id); got != tt.want {
				t.Errorf("Alive(%v) = %v", tt.id, got)
			}
		})
	}
}

// TestAliveChild checks IsAlive during the life of a child whose name is hard to parse.
func TestAliveChild(t *testing.T) {
	t.Parallel()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "a) R 1 (b")
	if err := os.Symlink(cat, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e, err := lookupProcess(cmd.Process.Pid)
	if err != nil || e.parent != os.Getpid() || e.PID != cmd.Process.Pid {
		t.Errorf("lookup of the child: %+v, %v", e, err)
	}
	if !IsAlive(e.ID) {
		t.Error("the child does not live")
	}
	_, _ = io.WriteString(stdin, "x")
	_ = stdin.Close()
	eventually(t, "a dead child that was not reaped", func() bool { return !IsAlive(e.ID) })
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if IsAlive(e.ID) {
		t.Error("the reaped child lives")
	}
}
