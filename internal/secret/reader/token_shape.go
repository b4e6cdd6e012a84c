package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// LookShape looks for a token that starts with the anchor.
func LookShape(f *search.Finder, rule, start, end int) {
	if from, to := tokenAt(f, rule, start, end); to > from {
		f.Add(rule, from, to)
	}
}

// LookAWSID looks for the id of a key, and for the key beside it.
func LookAWSID(f *search.Finder, rule, start, end int) {
	if from, to := tokenAt(f, rule, start, end); to > from {
		f.Add(rule, from, to)
		addAWSPair(f, to)
	}
}

// tokenAt returns where the token is that starts with the anchor, or has the shape
// before in front of it; nothing where there is none.
func tokenAt(f *search.Finder, rule, start, end int) (from, to int) {
	r := &rules.Table[rule]
	if from = tokenStart(f, r, start); from < 0 {
		return 0, 0
	}
	if to = shapeEnd(f, r, start); to < 0 {
		return 0, 0
	}
	if r.Demands&rules.Loose == 0 && (!lex.ClosesWord(f.Text, to) || insideBlob(f.Text, from, to)) {
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

// tokenStart returns where the token starts whose anchor is at i, or -1.
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

// shapeEnd returns where the shape ends that starts with the anchor at i, or -1.
func shapeEnd(f *search.Finder, r *rules.Rule, i int) int {
	reach := lex.Window
	if r.Demands&rules.Long != 0 {
		reach = lex.LongReach
		if f.TokenEnd(i) == len(f.Text) {
			f.SetPending(i)
		}
	}
	text := f.Text[:min(len(f.Text), i+reach)]
	if i+lex.MaxValue < len(text) && r.Before == "" && r.Demands&rules.Checksum == 0 && isDull(r, text[i:i+lex.MaxValue]) {
		return -1
	}
	to := lex.MatchShape(r.Shape, text, i)
	if to >= 0 && r.Demands&rules.Loose != 0 {
		to = lex.Skip(text, to, min(len(text), to+lex.MaxValue), lex.IsWord)
	}
	return to
}

// isDull reports whether a token that is longer than head, which it starts with,
// has too little in it. It spares reading all of many that overlap.
func isDull(r *rules.Rule, head string) bool {
	return r.Least > 0 && r.Demands&(rules.Loose|rules.Inside) == rules.Loose && value.Entropy(head)*10 < float64(r.Least) && lex.MatchShape(r.Shape, head, 0) == len(head)
}

// insideBlob reports whether the token from i to end is only a part of a longer
// text in base64: signs join it to more of that.
func insideBlob(s string, i, end int) bool {
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
