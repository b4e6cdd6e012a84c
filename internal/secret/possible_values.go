package secret

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// Limits of possible values.
const (
	maxWord = 1024 // maximum bytes of a value
	maxEnds = 32   // maximum number of values that start at the same offset
)

// EachPossibleValue calls fn for each part of text that may be a secret value although nothing there
// names it: a password by itself, in quotes, in a URL, joined to other words, or wrapped over lines.
// It stops and returns false if fn returns false.
func EachPossibleValue(text string, fn func(value string) bool) bool {
	if !lex.HasDigit(text) {
		return true
	}
	if !eachPossibleValueIn(text, fn) {
		return false
	}
	if strings.IndexByte(text, '\\') < 0 {
		return true
	}
	return eachPossibleValueIn(unescapeText(text), fn)
}

// unescapeText returns text without the backslashes that languages write in and next to values.
func unescapeText(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\/`, `/`, `\n`, "\n", `\r`, "\r", `\t`, "\t", "\\\r\n", "\n", "\\\n", "\n").Replace(text)
}

// eachPossibleValueIn is EachPossibleValue without unescaping.
func eachPossibleValueIn(text string, fn func(value string) bool) bool {
	text, joints := unwrapLines(text)
	for from := 0; from < len(text); {
		if lex.IsSpace(text[from]) {
			from++
			continue
		}
		end := from
		for end < len(text) && !lex.IsSpace(text[end]) {
			end++
		}
		n := 0
		for n < len(joints) && joints[n] <= end {
			n++
		}
		if end-from >= minValue && lex.HasDigit(text[from:end]) && !eachPossibleValueOfRun(text[from:end], from, joints[:n], fn) {
			return false
		}
		joints = joints[n:]
		from = end
	}
	return true
}

// unwrapLines returns text without line breaks and indentation, and the offsets in the result where
// the breaks were.
func unwrapLines(text string) (string, []int) {
	if strings.IndexByte(text, '\n') < 0 {
		return text, nil
	}
	out := make([]byte, 0, len(text))
	var joints []int
	for line := range strings.Lines(text) {
		if len(out) > 0 {
			joints = append(joints, len(out))
		}
		out = append(out, strings.Trim(line, " \t\r\n")...)
	}
	return string(out), joints
}

// eachPossibleValueOfRun calls fn for the possible values in run, which has no spaces and starts at
// offset at. They start and end at its ends, next to punctuation, and at joints, where lines were
// joined. It returns false if fn did.
func eachPossibleValueOfRun(run string, at int, joints []int, fn func(value string) bool) bool {
	var starts, ends []int
	for i := 0; i <= len(run); i++ {
		joint := i == 0 || i == len(run)
		for len(joints) > 0 && joints[0] <= at+i {
			joint = joint || joints[0] == at+i
			joints = joints[1:]
		}
		switch {
		case joint:
			starts, ends = append(starts, i), append(ends, i)
		default:
			before, after := run[i-1], run[i]
			if !isWordByte(before) && (isWordByte(after) || opensValue(before)) {
				starts = append(starts, i)
			}
			if !isWordByte(after) && (isWordByte(before) || closesValue(after)) {
				ends = append(ends, i)
			}
		}
	}
	for _, s := range starts {
		for len(ends) > 0 && ends[0]-s < minValue {
			ends = ends[1:]
		}
		for _, e := range ends[:min(len(ends), maxEnds)] {
			if e-s > maxWord {
				break
			}
			if lex.HasDigit(run[s:e]) && !fn(run[s:e]) {
				return false
			}
		}
	}
	return true
}

// opensValue reports whether a value after c may start with punctuation.
func opensValue(c byte) bool { return strings.IndexByte("\"'`=:(<[{,;", c) >= 0 }

// closesValue reports whether a value before c may end with punctuation.
func closesValue(c byte) bool { return strings.IndexByte("\"'`@)>]},;.!?", c) >= 0 }

// isWordByte reports whether c is a letter, a digit or part of a character outside ASCII.
func isWordByte(c byte) bool { return c >= utf8.RuneSelf || lex.IsAlnum(c) }
