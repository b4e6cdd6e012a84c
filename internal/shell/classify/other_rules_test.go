package classify

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestNoRulesOfOtherPrograms checks that rules about other programs do not apply to a call.
func TestNoRulesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for command, never := range map[string]string{
		"wrangler delete --name api":   "databases/",
		"zpool labelclear -f /dev/sda": "disk/fsck-fix",
	} {
		r := Command(command, shell.Place{Dir: "/home/u/p", Root: "/home/u/p", Home: "/home/u", Getenv: func(string) string { return "" }})
		if len(r.Effects) == 0 {
			t.Errorf("%s: no effects", command)
		}
		for i := range r.Effects {
			if e := &r.Effects[i]; strings.HasPrefix(e.Row().PackName()+"/"+e.Rule, never) {
				t.Errorf("%s: %s/%s: %s", command, e.Row().PackName(), e.Rule, e.Reason)
			}
		}
	}
}
