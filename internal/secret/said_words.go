package secret

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// What is told as the value of a secret that nothing names.
const (
	mostWord = 1024 // how long it is
	mostEnds = 32   // how many parts begin at one place
)

// Said calls fn for each part of a text that may be the value of a secret although nothing
// there tells so: a password by itself, between quotes, in an address, glued to other words,
// wrapped over lines. fn returns false to stop. It reports whether all were told.
func Said(text string, fn func(value string) bool) bool {
	if !lex.HasDigit(text) {
		return true
	}
	if !saidIn(text, fn) {
		return false
	}
	if strings.IndexByte(text, '\\') < 0 {
		return true
	}
	return saidIn(unescaped(text), fn)
}

// unescaped is a text without the backslashes that languages write in values and next to them.
func unescaped(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\/`, `/`, `\n`, "\n", `\r`, "\r", `\t`, "\t", "\\\r\n", "\n", "\\\n", "\n").Replace(text)
}

func saidIn(text string, fn func(value string) bool) bool {
	text, joints := unwrapped(text)
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
		if end-from >= leastValue && lex.HasDigit(text[from:end]) && !saidRun(text[from:end], from, joints[:n], fn) {
			return false
		}
		joints = joints[n:]
		from = end
	}
	return true
}

// unwrapped is a text without its line breaks and what indents lines, and where they were.
func unwrapped(text string) (string, []int) {
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

// saidRun recognises the parts of a run without blanks. They begin and end with it, next to a sign,
// and where lines were joined.
func saidRun(run string, at int, joints []int, fn func(value string) bool) bool {
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
			if !inWord(before) && (inWord(after) || valueOpens(before)) {
				starts = append(starts, i)
			}
			if !inWord(after) && (inWord(before) || valueCloses(after)) {
				ends = append(ends, i)
			}
		}
	}
	for _, s := range starts {
		for len(ends) > 0 && ends[0]-s < leastValue {
			ends = ends[1:]
		}
		for _, e := range ends[:min(len(ends), mostEnds)] {
			if e-s > mostWord {
				break
			}
			if lex.HasDigit(run[s:e]) && !fn(run[s:e]) {
				return false
			}
		}
	}
	return true
}

// valueOpens and valueCloses tell the signs next to which a value may have a sign of its own.
func valueOpens(c byte) bool  { return strings.IndexByte("\"'`=:(<[{,;", c) >= 0 }
func valueCloses(c byte) bool { return strings.IndexByte("\"'`@)>]},;.!?", c) >= 0 }

// inWord reports whether a byte is a letter or a digit, or of a character outside ASCII.
func inWord(c byte) bool { return c >= utf8.RuneSelf || lex.IsAlnum(c) }
