package plainenglish

import (
	"regexp"
	"strings"
)

// A stop is a word or phrase that makes a reader stop, and what to write instead.
type stop struct {
	at  *regexp.Regexp
	say string
}

var stops = []stop{
	{regexp.MustCompile(`\bnobody\b`), `no one, or who did not: "not approved"`},
	{regexp.MustCompile(`\b(is|are|was|were) no [a-z]`), `"is not a …"`},
	{regexp.MustCompile(`\bstands?\b|\bstood\b`), "is"},
	{regexp.MustCompile(`, for (it|they|there|he|she|that|nobody|nothing|no)\b`), "because"},
	{regexp.MustCompile(`\bwhich (is|are) none\b`), `"unknown …"`},
	{regexp.MustCompile(`\b(lest|thereof|therein|whence|thence|hereby|wherein|whereof|hitherto|henceforth|whereupon)\b`), "short words"},
	{regexp.MustCompile(`\btherefore\b`), "so"},
	{regexp.MustCompile(`\b(of|by|beside) (which|whom)\b|, (from|for|with) (which|whom)\b`), "a sentence of its own"},
	{regexp.MustCompile(`\bin vain\b`), "without effect"},
	{regexp.MustCompile(`\bcannot be (had|told)\b`), "cannot get, cannot tell"},
	{regexp.MustCompile(`\b(is|are) not known\b`), "unknown"},
	{regexp.MustCompile(`\bnot (un[a-z]+|without|nothing|never|no)\b`), "say it without the double no"},
	{regexp.MustCompile(`\b(has|have) not (a|an|the|its)\b`), "lacks, has no"},
	{regexp.MustCompile(`\bshall\b`), "should, is to, will"},
	{regexp.MustCompile(`\bput that right\b`), "correct it"},
	{regexp.MustCompile(`\bwhoever\b|\bwhosoever\b|\bwhatsoever\b`), "anyone who"},
	{regexp.MustCompile(`\b(upon|amidst|amongst|whilst|ere|nought|naught|oneself)\b`), "short words"},
	{regexp.MustCompile(`\bwithout a word\b|\bin silence\b`), "silently"},
	{regexp.MustCompile(`\b(nothing|none|never|no) [a-z ]{0,40}\b(nothing|nobody|never|none)\b`), "one no is enough"},
}

// Stops returns the words and phrases in text that make a reader stop, each with what to write
// instead.
func Stops(text string) []string {
	low := strings.ToLower(text)
	for _, fine := range []string{"there is no ", "there are no ", "there was no ", "there were no ", "is no longer ", "are no longer ", "is no more than ", "standard ", "standalone", "not understand", "not understood"} {
		low = strings.ReplaceAll(low, fine, " ~ ")
	}
	var out []string
	for _, s := range stops {
		if at := s.at.FindString(low); at != "" {
			out = append(out, at+" → "+s.say)
		}
	}
	return out
}
