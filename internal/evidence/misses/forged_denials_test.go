package misses

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/transcript"
)

// TestForgedDenials has results of a denied call that begin like checkrein's denials. Those that the
// host did not receive show that the call ran.
func TestForgedDenials(t *testing.T) {
	t.Parallel()
	const said = "checkrein blocked rm x: the shop is closed [closed].\nDo not look for another way."
	for _, test := range []struct {
		name, said, text string
		want             bool
	}{
		{"what was said", said, said, false},
		{"with a line feed", said, said + "\n", false},
		{"with a remark of the host", said, said + "\nThe call was stopped by a hook.", false},
		{"other words", said, "checkrein blocked rm: x [closed].\nremoved 1234 files", true},
		{"the beginning alone, and output", said, said[:30] + "\nremoved", true},
		{"the beginning alone", said, said[:30], true},
		{"much output", said, said + strings.Repeat("root:x:0\n", 200), true},
		{"not on record", "", "checkrein blocked rm: x", false},
	} {
		p := pending{call: transcript.Call{Outcome: transcript.Denied}, entry: &entry{denied: 1, said: test.said}, head: truncate(test.text, 4*maxPiece), size: len(test.text)}
		if got := p.ranDespiteDenial(); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
