package trust

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
		"echo x hook": false, "grep 'x hook' f": false, "x scan hook": false, "xx hook": false, "": false, "# x hook": false,
	} {
		with, _ := json.Marshal(map[string]string{"command": command})
		calls := Calls(&checkrein.Hook{Run: "command", With: with})
		if got := slices.ContainsFunc(calls, func(c Call) bool { return c.Program == "x" && c.First == "hook" }); got != want {
			t.Errorf("%s: %v", command, calls)
		}
	}
}
