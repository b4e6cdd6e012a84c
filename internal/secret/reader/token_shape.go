package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// FindToken finds a token that starts with the anchor.
func FindToken(f *search.Finder, rule, start, end int) {
	if from, to := matchToken(f, rule, start, end); to > from {
		f.Add(rule, from, to)
	}
}

// FindAWSKeyID finds an AWS access key id, and the secret key directly after it.
func FindAWSKeyID(f *search.Finder, rule, start, end int) {
	if from, to := matchToken(f, rule, start, end); to > from {
		f.Add(rule, from, to)
		addAWSSecretAfter(f, to)
	}
}

// matchToken returns the span of the token with the anchor at start, including the text of r.Before in
// front of it, if any. If the rule has Inside, the span begins after the anchor. The span is empty if
// the text does not match the rule.
func matchToken(f *search.Finder, rule, start, end int) (from, to int) {
	r := &rules.Table[rule]
	if from = tokenStart(f, r, start); from < 0 {
		return 0, 0
	}
	if to = shapeEnd(f, r, start); to < 0 {
		return 0, 0
	}
	if r.Demands&rules.Loose == 0 && (!lex.ClosesWord(f.Text, to) || isInBlob(f.Text, from, to)) {
		return 0, 0
	}
	if r.Demands&rules.Inside != 0 {
		from = end
	}
	if !r.Accepts(f.Text[from:to]) {
		return 0, 0
	}
	return from, to
}

// tokenStart returns the offset where the token with the anchor at i starts, or -1 if none can start
// there.
func tokenStart(f *search.Finder, r *rules.Rule, i int) int {
	if r.Demands&rules.Long != 0 && f.IsCovered(i) {
		return -1
	}
	from := i
	if r.Before != "" {
		from = lex.MatchBefore(r.Before, f.Text, i)
	}
	if from < 0 || r.Demands&rules.Loose == 0 && !lex.OpensWord(f.Text, from) {
		return -1
	}
	return from
}

// shapeEnd returns the offset where the shape of r that starts with the anchor at i ends, or -1 if it
// does not match.
func shapeEnd(f *search.Finder, r *rules.Rule, i int) int {
	reach := lex.Window
	if r.Demands&rules.Long != 0 {
		reach = lex.LongReach
		if f.TokenEnd(i) == len(f.Text) {
			f.SetPending(i)
		}
	}
	text := f.Text[:min(len(f.Text), i+reach)]
	if i+lex.MaxValue < len(text) && r.Before == "" && r.Demands&rules.Checksum == 0 && hasLowEntropy(r, text[i:i+lex.MaxValue]) {
		return -1
	}
	to := lex.MatchShape(r.Shape, text, i)
	if to >= 0 && r.Demands&rules.Loose != 0 {
		to = lex.Skip(text, to, min(len(text), to+lex.MaxValue), lex.IsWordByte)
	}
	return to
}

// hasLowEntropy reports whether a long token that starts with head has too little entropy for r.
// Checking only the head avoids reading many overlapping tokens.
func hasLowEntropy(r *rules.Rule, head string) bool {
	return r.Least > 0 && r.Demands&(rules.Loose|rules.Inside) == rules.Loose && value.Entropy(head)*10 < float64(r.Least) && lex.MatchShape(r.Shape, head, 0) == len(head)
}

// isInBlob reports whether s[i:end] is part of a longer base64 text, to which a +, / or - joins it.
func isInBlob(s string, i, end int) bool {
	if i < 2 || s[i-1] != '+' && s[i-1] != '/' && s[i-1] != '-' || !lex.IsAlnum(s[i-2]) {
		return false
	}
	if s[i-1] == '-' {
		from := lex.SkipBack(s, i, max(0, i-64), lex.IsURLBase64)
		return !value.ReadsLikeWords(s[from : i-1])
	}
	if end < len(s) && (s[end] == '+' || s[end] == '/') {
		return true
	}
	from := lex.SkipBack(s, i, max(0, i-64), lex.IsBase64)
	return i-from >= 12 && !value.ReadsLikeWords(s[from:i])
}
