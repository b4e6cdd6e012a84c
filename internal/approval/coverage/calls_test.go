package coverage

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"x hook y": true, "a=1 x hook": true, "sh -c 'x hook'": true, "true; x hook": true, "cat | x hook": true, "(x hook)": true,
		"env A=1 timeout 5 x hook": true, "if a; then exec x hook; fi": true, "bash -lc \"sh -c 'x hook'\"": true, "y $(x hook)": true,
		"for i in x; do $i hook; done": true, "eval 'x hook'": true,
		"echo x hook": false, "grep 'x hook' f": false, "x scan hook": false, "xx hook": false, "": false, "# x hook": false, "ssh host x hook": false,
	} {
		calls := Calls(commandHook(command))
		if got := slices.Contains(calls, Call{"x", "hook"}); got != want {
			t.Errorf("%s: %v", command, calls)
		}
	}
	h := hookWith("command", map[string][]string{"argv": {"timeout", "5", "x", "hook"}})
	if !slices.Contains(Calls(h), Call{"x", "hook"}) {
		t.Errorf("argv: %v", Calls(h))
	}
}

// Files that a hook runs are returned; files that it only names are not.
func TestExistingFiles(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for _, test := range []struct {
		with           string
		files, started []string
	}{
		{`{"command":"./x.sh data.json; ./gone"}`, []string{"x.sh"}, []string{"x.sh", "gone"}},
		{`{"command":"cat plain; sh y.sh"}`, []string{"y.sh"}, nil},
		{`{"command":"cd sub && ./only.sh"}`, []string{"sub/only.sh"}, []string{"sub/only.sh"}},
		{`{"argv":["./tool","plain"]}`, []string{"tool"}, []string{"tool"}},
		{`{"hook_folder":"h"}`, nil, nil},
	} {
		h := &checkrein.Hook{Run: "command", With: json.RawMessage(test.with)}
		var look DiskView
		for name, pair := range map[string][2][]string{
			"files":   {test.files, ExistingFiles(h, placeOf(root, home))},
			"started": {test.started, StartedPaths(h, placeOf(root, home), &look)},
		} {
			for i := range pair[0] {
				pair[0][i] = root + "/" + pair[0][i]
			}
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%s: %s %q, want %q", test.with, name, pair[1], pair[0])
			}
		}
	}
}
