package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// FindPrivateKey finds a private key between its BEGIN and END lines. The lines may be those of a
// file, or of a string in code with \n between them.
func FindPrivateKey(f *search.Finder, rule, start, end int) {
	s := f.Text
	if f.IsCovered(start) {
		return
	}
	head := KeyHeaderEnd(s, end)
	if head < 0 {
		return
	}
	body := ReadKeyLines(s, head)
	if body.key < leastKey {
		return // a mention or a stand-in, not a key
	}
	to := body.End
	if at := keyBlockEnd(f, head); at >= 0 {
		to = at
	} else if start+lex.KeyReach > len(s) {
		f.SetPending(start)
	}
	f.Add(rule, start, to)
}

const (
	leastKey = 32  // minimum bytes of a key
	maxHint  = 100 // maximum bytes of a BEGIN or END line
)

// KeyHeaderEnd returns the offset where a BEGIN line ends that continues at i with PRIVATE KEY or
// OpenVPN's STATIC KEY. It returns -1 if the line announces no such key.
func KeyHeaderEnd(s string, i int) int {
	line := upperLine(s[i:min(len(s), i+maxHint)])
	kind := "PRIVATE KEY"
	at := strings.Index(line, kind)
	if at < 0 {
		kind = "OPENVPN STATIC KEY"
		at = strings.Index(line, kind)
	}
	if at < 0 {
		return -1
	}
	i += at + len(kind)
	i = lex.Skip(s, i, min(len(s), i+8), func(c byte) bool { return lex.IsUpper(c) || lex.IsDigit(c) || c == ' ' })
	dashes := lex.Skip(s, i, min(len(s), i+8), func(c byte) bool { return c == '-' })
	if dashes-i < 4 {
		return -1
	}
	return dashes
}

// upperLine returns the first line of s in upper case.
func upperLine(s string) string {
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		s = s[:at]
	}
	return strings.ToUpper(s)
}

// keyBlockEnd returns the offset where the END line after i ends, or -1. It records in f.NoEnd how far
// there is no END line, so that this text is not searched again.
func keyBlockEnd(f *search.Finder, i int) int {
	from := max(i, f.NoEnd)
	most := min(len(f.Text), i+lex.KeyReach)
	if from >= most {
		return -1
	}
	at := indexEndLine(f.Text[from:most])
	if at < 0 {
		f.NoEnd = max(from, most-len("-----END"))
		return -1
	}
	at += from
	if next := strings.Index(f.Text[i:at], "-----BEGIN"); next >= 0 {
		return -1 // the END line belongs to the next block
	}
	return endLineEnd(f.Text, at)
}

// endLineEnd returns the offset where the line at i, which starts with -----END, ends.
func endLineEnd(s string, i int) int {
	i += len("-----END")
	if to := strings.Index(s[i:min(len(s), i+maxHint)], "-----"); to >= 0 {
		i += to + len("-----")
	}
	return i
}

// indexEndLine returns the index of -----END in s, in upper or lower case, or -1.
func indexEndLine(s string) int {
	if at := strings.Index(s, "-----END"); at >= 0 {
		return at
	}
	return strings.Index(s, "-----end")
}

// A keyBody is a run of lines of key material.
type keyBody struct {
	End  int // the end of the last line
	key  int // the number of key bytes in the lines
	Stop int // the offset at which reading stopped
	Safe int // more text cannot change the lines up to this offset
}

// LineReach is the maximum number of bytes of a line that are read.
const LineReach = 2 * lex.MaxValue

// ReadKeyLines reads the base64 lines from i, and the header lines of old PEM files, however they are
// indented, quoted or joined. Reading can resume at the end of any line.
func ReadKeyLines(s string, i int) keyBody {
	n := keyBody{End: i, Safe: i}
	for i < len(s) {
		i = lex.Skip(s, i, min(len(s), i+lex.MaxValue), isKeyLineSeparator)
		if at := skipLineJoint(s, i); at > i {
			i = at
			continue
		}
		to := lex.Skip(s, i, min(len(s), i+lex.KeyReach), lex.IsBase64)
		if to == i {
			if n.key > 0 && strings.HasPrefix(s[i:], "-----END") {
				n.End = endLineEnd(s, i)
			}
			break
		}
		if isKeyHeader(s, to) && to-i < 20 {
			if to = lineEnd(s, to); to-i > 120 {
				break
			}
			i = to
			continue
		}
		if to-i < 16 && !isLastLine(s, i, to) {
			break // prose
		}
		n.key += to - i
		n.End = to
		if to+LineReach <= len(s) {
			n.Safe = to
		}
		i = to
	}
	n.Stop = i
	return n
}

// isKeyHeader reports whether the name of a PEM header ends at i, or after a hyphen at i: Proc-Type:
// 4,ENCRYPTED.
func isKeyHeader(s string, i int) bool {
	if i < len(s) && s[i] == '-' {
		i = lex.Skip(s, i, min(len(s), i+16), isSchemeByte)
	}
	return i+1 < len(s) && s[i] == ':' && s[i+1] == ' '
}

// isLastLine reports whether the short base64 text s[i:to] may be the last line of a key: it is
// padded, or at most a closing quote or the END line follows on the same line.
func isLastLine(s string, i, to int) bool {
	if s[i] == '=' || s[to-1] == '=' {
		return true
	}
	at := lex.Skip(s, to, min(len(s), to+8), lex.IsBlank)
	return at >= len(s) || s[at] == '\n' || s[at] == '\r' || s[at] == '-' || s[at] == '\\' || lex.IsQuote(s[at])
}

// isKeyLineSeparator reports whether c may be between two lines of a key.
func isKeyLineSeparator(c byte) bool {
	return lex.IsSpace(c) || lex.IsQuote(c) || c == ',' || c == '|' || c == '>' || c == '#' || c == '*'
}

// skipLineJoint returns the offset after the escaped line end or the string concatenation at i, or i
// if there is neither.
func skipLineJoint(s string, i int) int {
	switch {
	case i+1 < len(s) && s[i] == '\\' && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't' || lex.IsQuote(s[i+1]) || s[i+1] == '\\' || lex.IsSpace(s[i+1])):
		return i + 2
	case i+1 < len(s) && (s[i] == '+' || s[i] == '.') && lex.IsSpace(s[i+1]):
		return i + 1
	}
	return i
}

// lineEnd returns the offset of the next newline, real or escaped as \n, from i, or of the limit of a
// value.
func lineEnd(s string, i int) int {
	for k := i; k < min(len(s), i+lex.MaxValue); k++ {
		if s[k] == '\n' || s[k] == '\\' && k+1 < len(s) && s[k+1] == 'n' {
			return k
		}
	}
	return min(len(s), i+lex.MaxValue)
}

// FindPuTTYKey finds the private lines of a PuTTY key file.
func FindPuTTYKey(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsBlank(c) || lex.IsDigit(c) || c == '\r' })
	if strings.HasPrefix(s[at:], `\r\n`) {
		at += len(`\r`)
	}
	if lineEnd(s, at) != at {
		return
	}
	at = skipLineJoint(s, lex.Skip(s, at, min(len(s), at+4), lex.IsSpace))
	body := ReadKeyLines(s[:min(len(s), at+lex.LongReach)], at)
	if body.Stop+LineReach > len(s) {
		f.SetPending(start)
	}
	if body.key >= leastKey {
		f.Add(rule, at, body.End)
	}
}
