package builtin

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// AddContext returns a verdict that gives text to the model; the zero Verdict if text is empty.
func AddContext(text string) checkrein.Verdict {
	if text == "" {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Context: []string{text}}
}

// AppendParagraph returns a verdict that replaces a reply with itself and a paragraph, which may be
// empty.
func AppendParagraph(reply, paragraph string) checkrein.Verdict {
	reply = strings.TrimRight(reply, " \t\r\n")
	if reply != "" && paragraph != "" {
		reply += "\n\n"
	}
	return checkrein.Verdict{Output: rawjson.Quote(reply + paragraph)}
}

// ValidUTF8 returns b with invalid bytes replaced, so that it can be sent as JSON.
func ValidUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Truncate shortens text to at most limit bytes, between two characters, and notes that on a line of
// its own.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "\n... (truncated)"
}

// QuoteIfOdd returns a name for use within a line. A name that could end the line is quoted: the name
// of a file must not be able to add lines to a text.
func QuoteIfOdd(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, breaksLine) {
		return name
	}
	return strconv.Quote(name)
}

// breaksLine reports whether r could end a line or control a terminal.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// Tail returns the end of a text within both limits, in whole characters and, if one fits, whole
// lines.
func Tail(s string, size, lines int) string {
	if len(s) > size {
		s = s[len(s)-max(size, 0):]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
		if at := strings.IndexByte(s, '\n'); at >= 0 && at < len(s)-1 {
			s = s[at+1:]
		}
	}
	at := len(s)
	if strings.HasSuffix(s, "\n") {
		at--
	}
	for range lines {
		if at = strings.LastIndexByte(s[:at], '\n'); at < 0 {
			return s
		}
	}
	return s[at+1:]
}
