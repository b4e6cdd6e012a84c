package classify

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestHiddenCommandsAreFound checks commands that a human reader overlooks, such as those after a
// comment that ends in a backslash.
func TestHiddenCommandsAreFound(t *testing.T) {
	place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, text := range []string{
		"echo 'cleaning' # \\\nrm -rf ~/Documents", "echo a # b\\\nrm -rf ~", "# x \\\nrm -rf ~", "ls # \\\\\nrm -rf ~", "ls;# \\\nrm -rf ~", "if true; then # \\\nrm -rf ~; fi",
	} {
		if r := Command(text, place); r.Label != shell.Destructive {
			t.Errorf("%q is %s: %s", text, r.Label, r.Reason)
		}
	}
	for _, text := range []string{`find /bin/rm -exec {} -rf ~/Documents \;`, `find /bin -name 'r?' -exec {} -rf ~ \;`} {
		if r := Command(text, place); !r.Gaps.Has(shell.GapOpaque) && r.Label < shell.Destructive {
			t.Errorf("%q is %s: %s", text, r.Label, r.Reason)
		}
	}
	for _, text := range []string{"find . -name '*.go' -exec gofmt -l {} +", "grep '#' a \\\n  b", "git log --format='# %h' \\\n  --oneline", "echo \"#\" \\\n && ls"} {
		if r := Command(text, place); r.Label != shell.Safe {
			t.Errorf("%q is %s: %s", text, r.Label, r.Reason)
		}
	}
}
