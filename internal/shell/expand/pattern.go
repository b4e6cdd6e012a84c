package expand

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// IsPattern reports whether s contains any special character of a shell pattern.
func IsPattern(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// compilePattern returns a regular expression that matches before, then the shell pattern pat as its
// first group, then after. It returns nil if pat is invalid.
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

// Matcher returns a function that reports whether all of its argument matches the shell pattern pat.
// The function always returns false if pat is invalid.
func Matcher(pat string) func(text string) bool {
	re := compilePattern("^", pat, "$", 0)
	return func(text string) bool { return re != nil && re.MatchString(text) }
}

// trimPattern returns text without the prefix or suffix that matches pat, as ${x#pat} or ${x%%pat}
// does for the operator op. It reports false if pat is invalid.
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

// replacePattern returns text with the first match of pat, or all matches if all is set, replaced by
// with, as ${x/pat/with} does. It reports false if pat is invalid.
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
