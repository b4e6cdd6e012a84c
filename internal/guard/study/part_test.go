package study

import (
	"strings"
	"testing"
)

// What people are shown of a long call ends between words, or masked: half a secret
// would not be known for one.
func TestClippedHasNoHalfSecret(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	for from := maxShown - len(secret) + 1; from <= maxShown; from++ {
		for name, text := range map[string]string{
			"words":    strings.Repeat("ab ", from)[:from-1] + " " + secret + " tail",
			"one word": strings.Repeat("ab;", from)[:from-1] + ";" + secret + ";tail",
		} {
			got := clipped(text)
			if strings.Contains(got, secret[:12]) || len(got) > maxShown+len(" …") {
				t.Fatalf("%s, from %d: %q", name, from, got)
			}
			if len(got) < maxShown-len(secret)-4 {
				t.Fatalf("%s, from %d: too little is left: %q", name, from, got)
			}
		}
	}
}
