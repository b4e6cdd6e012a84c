package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// TestIsStandIn checks that the cache for overlapping values does not change results.
func TestIsStandIn(t *testing.T) {
	t.Parallel()
	parts := strings.Fields("changeme example placeholder redacted your_ 0123456789abcdef abcdefghijklm access_token dummy localhost super-secret")
	r := rand.New(rand.NewPCG(44, 20))
	for range 300 {
		var b strings.Builder
		for b.Len() < 600 {
			for range r.IntN(60) {
				b.WriteByte(byte('0' + r.IntN(75)))
			}
			if r.IntN(2) == 0 {
				b.WriteString(parts[r.IntN(len(parts))])
			}
			if r.IntN(4) == 0 {
				b.WriteString(strings.Repeat("z", r.IntN(12)))
			}
		}
		f := New(b.String(), rules.Secrets)
		for i := 0; i < 500; i += r.IntN(30) {
			end := i + 1 + r.IntN(100)
			if got, want := f.isStandIn(i, end), value.IsStandIn(f.Text[i:end]); got != want {
				t.Fatalf("%d to %d of %q: got %v", i, end, f.Text, got)
			}
		}
	}
}
