package trust

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// What a hook runs is its own; what it only names is not.
func TestRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs paths that sh can read")
	}
	root, home := fixture(t)
	t.Setenv("HOME", home)
	for _, tt := range []struct{ with, want string }{
		{`{"command":"./x.sh"}`, "x.sh"},
		{`{"command":"./x.sh data.json"}`, "x.sh"},
		{`{"command":"./gone"}`, ""},
		{`{"command":"cat plain data.json"}`, ""},
		{`{"command":"cat < plain"}`, ""},
		{`{"command":"x.sh"}`, ""}, // which PATH must lead to
		{`{"command":"sh x.sh y.sh"}`, "x.sh"},
		{`{"command":"bash -eu sub/only.sh plain"}`, "sub/only.sh"},
		{`{"command":"python3 guard.py data.json"}`, "guard.py"},
		{`{"command":"python3 -c 'print(1)' data.json"}`, ""},
		{`{"command":"node -r ./plain guard.py data.json"}`, "plain guard.py"},
		{`{"command":"sh -c './tool plain; cat plain'"}`, "tool"},
		{`{"command":"env A=plain ./tool; sh y.sh < plain"}`, "tool y.sh"},
		{`{"command":"cd sub && ./only.sh"}`, "sub/only.sh"},
		{`{"command":"sh ~/h.sh"}`, "../home/h.sh"},
		{`{"argv":["./tool","plain"]}`, "tool"},
		{`{"argv":["sh","./x.sh","plain"]}`, "x.sh"},
		{`{"argv":["cat","plain"],"env":{"BASH_ENV":"./x.sh"}}`, ""},
		{`{"command":"./only.sh","working_dir":"sub"}`, "sub/only.sh"},
		{`{"command":"./only.sh","working_dir":"$X"}`, ""},
	} {
		h := checkrein.Hook{Run: "command", With: json.RawMessage(tt.with), From: checkrein.Origin{File: root + "/checkrein.yaml"}}
		var want []string
		for _, name := range strings.Fields(tt.want) {
			if rest, ok := strings.CutPrefix(name, "../home"); ok {
				want = append(want, home+rest)
				continue
			}
			want = append(want, root+"/"+name)
		}
		if got := Runs(root, &h); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tt.with, got, want)
		}
	}
	if got := Runs(root, &checkrein.Hook{Run: "builtin"}); got != nil {
		t.Errorf("a builtin runs %q", got)
	}
}
