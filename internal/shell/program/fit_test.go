package program

import (
	"strings"
	"testing"
)

func TestMatchGlob(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abc", true}, {"a*b*c", "aXbYc", true},
		{"a*c", "abd", false}, {"?", "a", true}, {"?", "", false}, {":?*", ":", false}, {":?*", ":x", true}, {"", "", true}, {"", "a", false},
		{"*a*a*a*b", strings.Repeat("a", 5000), false},
	}
	for _, tt := range tests {
		if got := matchGlob(tt.pattern, tt.text); got != tt.want {
			t.Errorf("glob(%q, %.20q) = %v", tt.pattern, tt.text, got)
		}
	}
}
