package reader

import (
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

const (
	maxHead  = 2048 // maximum bytes of the header of a JWT
	leastJWT = 8    // minimum bytes of its header, and of its body
)

// FindJWT finds the JSON web token around the anchor .ey, which is where its body starts.
func FindJWT(f *search.Finder, rule, start, end int) {
	s := f.Text
	if s[end-2:end] != "ey" {
		return
	}
	from := lex.SkipBack(s, start, max(0, start-maxHead), lex.IsURLBase64)
	if start-from < leastJWT || s[from:from+2] != "ey" && !trimJWTHead(s, &from, start) || !isJWTHeader(s[from:start]) {
		return
	}
	most := min(len(s), start+lex.LongReach)
	if f.TokenEnd(start) == len(s) {
		f.SetPending(from)
	}
	body := jwtPartEnd(s, start+1, most)
	if body-start-1 < leastJWT || body >= most || s[body] != '.' {
		return
	}
	to := jwtPartEnd(s, body+1, most)
	for n := 0; n < 2 && to < most && s[to] == '='; n++ {
		to++
	}
	if head := s[from:start]; value.IsFiller(head) || value.Entropy(head[:min(len(head), lex.MaxValue)]) < 3 {
		return
	}
	f.Add(rule, from, to)
}

// isJWTHeader reports whether head is the start of a JSON object in base64, or is at least long and
// random like one.
func isJWTHeader(head string) bool {
	if head[2] == 'J' {
		var buf [6]byte
		plain := decode.Decode64(buf[:0], head[:8])
		return plain[0] == '{' && plain[1] == '"' && decode.IsText(plain)
	}
	n := value.CountBytes(head)
	return len(head) >= 17 && n.Digits > 0 && n.Uppers > 0 && n.Lowers > 0 && !value.ReadsLikeWords(head)
}

// trimJWTHead moves from to the eyJ with which the token starts, if other text is joined to the token,
// as in Bearer_eyJ… or \neyJ…. It reports false if there is no eyJ.
func trimJWTHead(s string, from *int, end int) bool {
	for i := *from; i+leastJWT <= end; i++ {
		if s[i] == 'e' && s[i+1] == 'y' && s[i+2] == 'J' && (!lex.IsAlnum(s[i-1]) || lex.OpensWord(s, i)) {
			*from = i
			return true
		}
	}
	return false
}

// jwtPartEnd returns the offset where the part of a token that starts at i ends. It accepts standard
// base64 too, with slashes that some programs escape.
func jwtPartEnd(s string, i, most int) int {
	for i < most && (lex.IsURLBase64(s[i]) || s[i] == '/' || s[i] == '+' || s[i] == '\\' && i+1 < most && s[i+1] != 'n' && s[i+1] != 'r' && isJWTByte(s[i+1])) {
		i++
	}
	return i
}

func isJWTByte(c byte) bool { return lex.IsURLBase64(c) || c == '/' }
