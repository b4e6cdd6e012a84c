package suggest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClosest(t *testing.T) {
	t.Parallel()
	known := []string{"pre_tool_use", "post_tool_use", "stop", "command", "contains", "in", "is"}
	tests := []struct{ name, word, want string }{
		{"exact", "stop", "stop"},
		{"case", "STOP", "stop"},
		{"letter left out", "comand", "command"},
		{"letter too many", "commmand", "command"},
		{"another letter", "commend", "command"},
		{"neighbours swapped", "comamnd", "command"},
		{"singular", "contain", "contains"},
		{"two mistakes in a long word", "pre_tol_usee", "pre_tool_use"},
		{"the nearest of two", "pos_tool_use", "post_tool_use"},
		{"short word, swapped", "sotp", "stop"},
		{"nothing near", "resembles", ""},
		{"two mistakes in a short word", "xx", ""},
		{"empty", "", ""},
		{"very long", strings.Repeat("x", 1000), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Closest(tt.word, known); got != tt.want {
				t.Errorf("Closest(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	if got, want := Hint("comand", []string{"command"}), `, did you mean "command"?`; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
	if got := Hint("zzz", []string{"command"}); got != "" {
		t.Errorf("hint %q, want none", got)
	}
	if got := Hint("x", nil); got != "" {
		t.Errorf("hint %q from nothing", got)
	}
}

// slowDistance computes the distance by its definition: edits and swaps of neighbours, at most one in
// each place.
func slowDistance(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowDistance(a[1:], b[1:])
	}
	best := 1 + min(slowDistance(a[1:], b), slowDistance(a, b[1:]), slowDistance(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		best = min(best, 1+slowDistance(a[2:], b[2:]))
	}
	return best
}

func TestDistanceMatchesDefinition(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		got, want := editDistance(a, b, limit), slowDistance(a, b)
		if got != want && (got < limit || want < limit) {
			t.Fatalf("distance of %q and %q within %d is %d, want %d", a, b, limit, got, want)
		}
	})
}

func TestClosestIsCloseEnough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-d]{0,9}`).Draw(t, "word")
		known := rapid.SliceOfN(rapid.StringMatching(`[a-d]{1,9}`), 0, 5).Draw(t, "known")
		got := Closest(word, known)
		if got == "" {
			return
		}
		d := slowDistance(word, got)
		if d > max(1, len(word)/3) {
			t.Fatalf("%q is %d away from %q", got, d, word)
		}
		for _, k := range known {
			if slowDistance(word, k) < d {
				t.Fatalf("%q was taken for %q, but %q is nearer", got, word, k)
			}
		}
	})
}
