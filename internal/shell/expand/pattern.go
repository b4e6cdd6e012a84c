package expand

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// IsPattern reports whether a text has pattern characters.
func IsPattern(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// compilePattern returns a regular expression for a shell pattern between the expressions before and
// after, or nil if the pattern is invalid.
func compilePattern(before, pat, after string, mode pattern.Mode) *regexp.Regexp {
	expr, err := pattern.Regexp(pat, mode)
	if err != nil {
		return nil
	}
	re, err := regexp.Compile(before + "(" + expr + ")" + after)
	if err != nil {
		return nil
	}
	return re
}

// Matcher returns a function that reports whether a whole text matches a pattern.
func Matcher(pat string) func(text string) bool {
	re := compilePattern("^", pat, "$", 0)
	return func(text string) bool { return re != nil && re.MatchString(text) }
}

// trimPattern removes what matches a pattern from an end of a text: ${x#p}, ${x%%p}. It reports false
// if the pattern is invalid.
func trimPattern(op syntax.ParExpOperator, text, pat string) (string, bool) {
	var re *regexp.Regexp
	switch op {
	case syntax.RemSmallPrefix:
		re = compilePattern("^", pat, "", pattern.Shortest)
	case syntax.RemLargePrefix:
		re = compilePattern("^", pat, "", 0)
	case syntax.RemSmallSuffix:
		re = compilePattern("(?s)^.*", pat, "$", pattern.Shortest)
	default:
		re = compilePattern("", pat, "$", 0)
	}
	if re == nil {
		return "", false
	}
	if at := re.FindStringSubmatchIndex(text); at != nil {
		text = text[:at[2]] + text[at[3]:]
	}
	return text, true
}

// replacePattern replaces the first match of a pattern, or all: ${x/p/with}. It reports false if the
// pattern is invalid.
func replacePattern(text, pat, with string, all bool) (string, bool) {
	before, after := "", ""
	switch {
	case all || pat == "":
	case pat[0] == '#':
		before, pat = "^", pat[1:]
	case pat[0] == '%':
		after, pat = "$", pat[1:]
	}
	if pat == "" {
		return text, before+after == ""
	}
	re := compilePattern(before, pat, after, 0)
	if re == nil {
		return "", false
	}
	if all {
		return re.ReplaceAllLiteralString(text, with), true
	}
	if at := re.FindStringIndex(text); at != nil {
		text = text[:at[0]] + with + text[at[1]:]
	}
	return text, true
}
