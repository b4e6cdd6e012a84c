package lex

import (
	"strings"
	"testing"
)

// TestWordLists compares the fast functions for word lists with a comparison word by word.
func TestWordLists(t *testing.T) {
	const list = "id ids name e é is: -> filename ключ a"
	words := strings.Fields(list + " i nam names file filenam ilename d s: e é-> ids\tname ID NaMe КЛЮЧ x")
	for _, word := range append(words, "", " ", "id ids", "e é", strings.Repeat("a", 40)) {
		want := false
		for _, w := range strings.Fields(list) {
			want = want || w == lowerASCII(word)
		}
		if got := IsOneOf(word, list); got != want {
			t.Errorf("isOneOf(%q) = %v", word, got)
		}
		for _, text := range []string{"", "x", word + "x", "x" + strings.ToUpper(word), "xx" + word[:len(word)/2] + word, "ключи и Ключ"} {
			if word == "" || word != lowerASCII(word) {
				continue
			}
			if got, want := ContainsFold(text, word), strings.Contains(lowerASCII(text), word); got != want {
				t.Errorf("containsFold(%q, %q) = %v", text, word, got)
			}
		}
	}
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
