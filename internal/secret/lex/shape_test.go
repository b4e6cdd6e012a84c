package lex

import "testing"

func TestMatchShape(t *testing.T) {
	tests := []struct {
		shape, text string
		want        int // the end, or -1
	}{
		{"abc", "abcd", 3}, {"abc", "abd", -1}, {"abc", "ab", -1}, {`a\.b`, "a.b", 3}, {`a\.b`, "axb", -1},
		{"[a-c]{2}", "abc", 2}, {"[a-c]{2,}", "abcabcd", 6}, {"[a-c]{2,4}", "abcabc", 4}, {"[a-c]{2,4}", "ad", -1},
		{`\w+-`, "a_1-", 4}, {`[\d.]+`, "1.2x", 3}, {"[a-]x", "-x", 2}, {"x-[0-9]", "x-7", 3},
		{"(ab|c)d", "abd", 3}, {"(ab|c)d", "cd", 2}, {"(ab|c)d", "ad", -1}, {"(a|(b|c)x)?d", "cxd", 3}, {"(a|b)?d", "d", 1}, {"(ab){2}", "ababab", 4}, {"(-[0-9]+)+", "-1-22-x", 5},
		{"(?i)aB[c-d]", "AbDx", 3}, {"(?i)[^]", "^", 1}, {"a?b", "b", 1}, {"a*b", "aaab", 4}, {"", "x", 0},
	}
	for _, test := range tests {
		if got := MatchShape(test.shape, test.text, 0); got != test.want {
			t.Errorf("%s on %q: got %d, want %d", test.shape, test.text, got, test.want)
		}
	}
}

func TestMatchBefore(t *testing.T) {
	tests := []struct {
		shape, text string
		want        int
	}{
		{"[a-c]{2}", "xabc", 2}, {"[a-c]{2,}", "xabc", 1}, {"[a-c]{4}", "xabc", -1}, {"[a-z]{3}[0-9]", "xabc1", 1}, {"[a-z]{2}_[0-9]{2}", "xab_12", 1},
	}
	for _, test := range tests {
		if got := MatchBefore(test.shape, test.text, len(test.text)); got != test.want {
			t.Errorf("%s before the end of %q: got %d, want %d", test.shape, test.text, got, test.want)
		}
	}
}
