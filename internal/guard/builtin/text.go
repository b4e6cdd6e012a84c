package builtin

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// AddContext is the verdict that tells the model text, or nothing when it is empty.
func AddContext(text string) checkrein.Verdict {
	if text == "" {
		return checkrein.Verdict{}
	}
	return checkrein.Verdict{Context: []string{text}}
}

// AppendParagraph is the verdict that puts a paragraph AppendParagraph a reply, or only the reply
// when it is empty.
func AppendParagraph(reply, paragraph string) checkrein.Verdict {
	reply = strings.TrimRight(reply, " \t\r\n")
	if reply != "" && paragraph != "" {
		reply += "\n\n"
	}
	return checkrein.Verdict{Output: rawjson.Quote(reply + paragraph)}
}

// ValidUTF8 returns b as UTF-8: what is sent on as JSON had better be.
func ValidUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Truncate shortens text to at most limit bytes, between two characters, and says so
// on a line of its own.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "\n... (truncated)"
}

// QuoteIfOdd returns a name for use within a line. One that could break out of it
// is quoted: whoever names a file must not get to write lines of ours.
func QuoteIfOdd(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, breaksLine) {
		return name
	}
	return strconv.Quote(name)
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// Tail is the end of a text within both limits, on whole characters, and on
// whole lines where one fits.
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
