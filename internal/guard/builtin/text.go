package builtin

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// AddContext returns a verdict that adds text to the context of the model, or the zero Verdict if text
// is empty.
func AddContext(text string) checkrein.Verdict {
	if text == "" {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Context: []string{text}}
}

// AppendParagraph returns a verdict that appends paragraph, which may be empty, to reply.
func AppendParagraph(reply, paragraph string) checkrein.Verdict {
	reply = strings.TrimRight(reply, " \t\r\n")
	if reply != "" && paragraph != "" {
		reply += "\n\n"
	}
	return checkrein.Verdict{Output: rawjson.Quote(reply + paragraph)}
}

// ValidUTF8 returns b with invalid bytes replaced, so that it can be encoded as JSON.
func ValidUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Truncate shortens text to at most limit bytes, between two characters, and appends a line that says
// so. It returns shorter text unchanged.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "\n... (truncated)"
}

// QuoteUnprintable returns name for use within a line. It is quoted if it contains characters that
// could end the line, so that the name of a file cannot add lines to a text.
func QuoteUnprintable(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, breaksLine) {
		return name
	}
	return strconv.Quote(name)
}

// breaksLine reports whether r could end a line or control a terminal.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// Tail returns the end of s, with at most size bytes and the given number of lines. It begins with a
// whole character and, if possible, with a whole line.
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
