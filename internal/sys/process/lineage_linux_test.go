package process

import (
	"os"
	"slices"
	"testing"
)

func TestWalkAncestors(t *testing.T) {
	t.Parallel()
	want, err := Ancestors()
	if err != nil {
		t.Fatal(err)
	}
	var got []ID
	err = WalkAncestors(func(a Ancestor) bool {
		got = append(got, a.ID)
		return true
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("climbed over %v, %v; the ancestors are %v", got, err, want)
	}
	calls := 0
	_ = WalkAncestors(func(a Ancestor) bool {
		calls++
		parent, err := ParentID()
		if err != nil || a.ID != parent || a.PID != os.Getppid() || len(a.Args) == 0 {
			t.Errorf("first is %+v; the parent is %v, %v", a, parent, err)
		}
		return false
	})
	if calls != 1 {
		t.Errorf("asked %d times after the first no", calls)
	}
}

func TestArgumentsAndEnvironment(t *testing.T) {
	t.Parallel()
	args, err := commandLine(os.Getpid())
	if err != nil || !slices.Equal(args, os.Args) {
		t.Errorf("arguments %q, %v; they are %q", args, err, os.Args)
	}
	if env := EnvironOf(os.Getpid()); !slices.Contains(env, "PATH="+os.Getenv("PATH")) {
		t.Errorf("no PATH in %q", env)
	}
	if env := EnvironOf(-1); env != nil {
		t.Errorf("nobody has %q", env)
	}
}

func TestSplitNUL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{"": nil, "a\x00": {"a"}, "a\x00\x00b\x00": {"a", "", "b"}, "cut": nil} {
		if got := splitNUL([]byte(in)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
