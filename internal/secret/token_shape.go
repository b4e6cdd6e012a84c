package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// lookShape looks for a token that starts with the anchor.
func (f *finder) lookShape(rule, start, end int) {
	if from, to := f.tokenAt(rule, start, end); to > from {
		f.add(rule, from, to)
	}
}

// lookAWSID looks for the id of a key, and for the key beside it.
func (f *finder) lookAWSID(rule, start, end int) {
	if from, to := f.tokenAt(rule, start, end); to > from {
		f.add(rule, from, to)
		f.awsPair(to)
	}
}

// tokenAt returns where the token is that starts with the anchor, or has the shape
// before in front of it; nothing where there is none.
func (f *finder) tokenAt(rule, start, end int) (from, to int) {
	r := &rules[rule]
	if from = f.tokenStart(r, start); from < 0 {
		return 0, 0
	}
	if to = f.shapeEnd(r, start); to < 0 {
		return 0, 0
	}
	if r.demands&loose == 0 && (!lex.ClosesWord(f.text, to) || insideBlob(f.text, from, to)) {
		return 0, 0
	}
	if r.demands&inside != 0 {
		from = end
	}
	if !r.accepts(f.text[from:to]) {
		return 0, 0
	}
	return from, to
}

// tokenStart returns where the token starts whose anchor is at i, or -1.
func (f *finder) tokenStart(r *rule, i int) int {
	if r.demands&long != 0 && f.covered(i) {
		return -1
	}
	from := i
	if r.before != "" {
		from = lex.MatchBefore(r.before, f.text, i)
	}
	if from < 0 || r.demands&loose == 0 && !lex.OpensWord(f.text, from) {
		return -1
	}
	return from
}

// shapeEnd returns where the shape ends that starts with the anchor at i, or -1.
func (f *finder) shapeEnd(r *rule, i int) int {
	reach := lex.Window
	if r.demands&long != 0 {
		reach = lex.LongReach
		if f.tokenEnd(i) == len(f.text) {
			f.pend(i)
		}
	}
	text := f.text[:min(len(f.text), i+reach)]
	if i+lex.MaxValue < len(text) && r.before == "" && r.demands&checksum == 0 && isDull(r, text[i:i+lex.MaxValue]) {
		return -1
	}
	to := lex.MatchShape(r.shape, text, i)
	if to >= 0 && r.demands&loose != 0 {
		to = lex.Skip(text, to, min(len(text), to+lex.MaxValue), lex.IsWord)
	}
	return to
}

// isDull reports whether a token that is longer than head, which it starts with,
// has too little in it. It spares reading all of many that overlap.
func isDull(r *rule, head string) bool {
	return r.least > 0 && r.demands&(loose|inside) == loose && value.Entropy(head)*10 < float64(r.least) && lex.MatchShape(r.shape, head, 0) == len(head)
}

// insideBlob reports whether the token from i to end is only a part of a longer
// text in base64: signs join it to more of that.
func insideBlob(s string, i, end int) bool {
	if i < 2 || s[i-1] != '+' && s[i-1] != '/' && s[i-1] != '-' || !lex.IsAlnum(s[i-2]) {
		return false
	}
	if s[i-1] == '-' {
		from := lex.Back(s, i, max(0, i-64), lex.IsURLBase64)
		return !value.ReadsLikeWords(s[from : i-1])
	}
	if end < len(s) && (s[end] == '+' || s[end] == '/') {
		return true
	}
	from := lex.Back(s, i, max(0, i-64), lex.IsBase64)
	return i-from >= 12 && !value.ReadsLikeWords(s[from:i])
}
