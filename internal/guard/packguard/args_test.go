package packguard

import (
	"strings"
	"testing"
)

func TestPacksInvalidArguments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "the pack name is missing"},
		{[]string{"gti"}, `unknown pack "gti"`},
		{[]string{"git.high=ask"}, "must come after"},
		{[]string{"git", "git.high=allow"}, "none, ask or deny"},
		{[]string{"git", "git.hihg=ask"}, "hihg is unknown"},
		{[]string{`{"name":"git","rules":[]}`}, "not a valid pack name"},
		{[]string{`{"name":"x","rules":[]}`}, "no rules"},
		{[]string{`{"name":"x","rules":[{"id":"a","cmd":"b","reason":"c","label":"bad","radius":"low"}]}`}, `label is "bad"`},
		{[]string{`{"name":"x","rules":[{"idd":"a"}]}`}, `unknown key "idd"`},
	} {
		if _, err := NewPacks(test.args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.args, err, test.want)
		}
	}
}
