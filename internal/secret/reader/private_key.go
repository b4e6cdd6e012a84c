package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// LookKeyBlock reads a private key between its BEGIN and END lines. The lines
// may be those of a file, or of a string in code with \n between them.
func LookKeyBlock(f *search.Finder, rule, start, end int) {
	s := f.Text
	if f.IsCovered(start) {
		return
	}
	head := HeadEnd(s, end)
	if head < 0 {
		return
	}
	body := KeyLines(s, head)
	if body.key < leastKey {
		return // only talked about, or a stand-in
	}
	to := body.End
	if at := blockEnd(f, head); at >= 0 {
		to = at
	} else if start+lex.KeyReach > len(s) {
		f.SetPending(start)
	}
	f.Add(rule, start, to)
}

const (
	leastKey = 32  // bytes of a key
	maxHint  = 100 // bytes between BEGIN and PRIVATE KEY
)

// HeadEnd returns the end of a line that goes on, behind BEGIN, with a PRIVATE
// KEY or the static key of OpenVPN, or -1.
func HeadEnd(s string, i int) int {
	line := foldable(s[i:min(len(s), i+maxHint)])
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

// foldable returns the line of s, which is short, up to its end.
func foldable(s string) string {
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		s = s[:at]
	}
	return strings.ToUpper(s)
}

// blockEnd returns where the END line ends that follows i, or -1. A text
// without one is not searched again.
func blockEnd(f *search.Finder, i int) int {
	from := max(i, f.NoEnd)
	most := min(len(f.Text), i+lex.KeyReach)
	if from >= most {
		return -1
	}
	at := indexEnd(f.Text[from:most])
	if at < 0 {
		f.NoEnd = max(from, most-len("-----END"))
		return -1
	}
	at += from
	if next := strings.Index(f.Text[i:at], "-----BEGIN"); next >= 0 {
		return -1 // the end of another one
	}
	return endLine(f.Text, at)
}

// endLine returns the end of the line at i that starts with -----END.
func endLine(s string, i int) int {
	i += len("-----END")
	if to := strings.Index(s[i:min(len(s), i+maxHint)], "-----"); to >= 0 {
		i += to + len("-----")
	}
	return i
}

func indexEnd(s string) int {
	if at := strings.Index(s, "-----END"); at >= 0 {
		return at
	}
	return strings.Index(s, "-----end")
}

// lines is a run of lines of key material.
type lines struct {
	End  int // of the last one
	key  int // how many bytes of the key were in them
	Stop int // where it was seen that no more follow
	Safe int // up to here nothing that follows the text can change them
}

// LineReach is how far a line is looked at.
const LineReach = 2 * lex.MaxValue

// KeyLines reads lines of base64, and the header lines of old PEM files, from i
// on, however they are indented, quoted or joined. It can go on from the end
// of any line.
func KeyLines(s string, i int) lines {
	n := lines{End: i, Safe: i}
	for i < len(s) {
		i = lex.Skip(s, i, min(len(s), i+lex.MaxValue), isJoint)
		if at := joint(s, i); at > i {
			i = at
			continue
		}
		to := lex.Skip(s, i, min(len(s), i+lex.KeyReach), lex.IsBase64)
		if to == i {
			if n.key > 0 && strings.HasPrefix(s[i:], "-----END") {
				n.End = endLine(s, i)
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

// isKeyHeader reports whether a name ends at i, as in Proc-Type: 4,ENCRYPTED.
func isKeyHeader(s string, i int) bool {
	if i < len(s) && s[i] == '-' {
		i = lex.Skip(s, i, min(len(s), i+16), isScheme)
	}
	return i+1 < len(s) && s[i] == ':' && s[i+1] == ' '
}

// isLastLine reports whether a short piece of base64 may end a key: nothing
// but its own checksum or end line follows on the line.
func isLastLine(s string, i, to int) bool {
	if s[i] == '=' || s[to-1] == '=' {
		return true
	}
	at := lex.Skip(s, to, min(len(s), to+8), lex.IsBlank)
	return at >= len(s) || s[at] == '\n' || s[at] == '\r' || s[at] == '-' || s[at] == '\\' || lex.IsQuote(s[at])
}

// isJoint reports whether a byte may stand between lines of a key.
func isJoint(c byte) bool {
	return lex.IsSpace(c) || lex.IsQuote(c) || c == ',' || c == '|' || c == '>' || c == '#' || c == '*'
}

// joint steps over an escaped end of line, or the + between two strings.
func joint(s string, i int) int {
	switch {
	case i+1 < len(s) && s[i] == '\\' && (s[i+1] == 'n' || s[i+1] == 'r' || s[i+1] == 't' || lex.IsQuote(s[i+1]) || s[i+1] == '\\' || lex.IsSpace(s[i+1])):
		return i + 2
	case i+1 < len(s) && (s[i] == '+' || s[i] == '.') && lex.IsSpace(s[i+1]):
		return i + 1
	}
	return i
}

func lineEnd(s string, i int) int {
	for k := i; k < min(len(s), i+lex.MaxValue); k++ {
		if s[k] == '\n' || s[k] == '\\' && k+1 < len(s) && s[k+1] == 'n' {
			return k
		}
	}
	return min(len(s), i+lex.MaxValue)
}

// LookPutty reads the private lines of a key of PuTTY.
func LookPutty(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+8), func(c byte) bool { return lex.IsBlank(c) || lex.IsDigit(c) || c == '\r' })
	if strings.HasPrefix(s[at:], `\r\n`) {
		at += len(`\r`)
	}
	if lineEnd(s, at) != at {
		return
	}
	at = joint(s, lex.Skip(s, at, min(len(s), at+4), lex.IsSpace))
	body := KeyLines(s[:min(len(s), at+lex.LongReach)], at)
	if body.Stop+LineReach > len(s) {
		f.SetPending(start)
	}
	if body.key >= leastKey {
		f.Add(rule, at, body.End)
	}
}
