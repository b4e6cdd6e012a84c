package expand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// applyExpansion applies the operators of pe to its value v, as in ${x:0:2}, ${x#p} and ${x/a/b}. A
// word whose result is not known becomes a placeholder.
func (w *Expander) applyExpansion(pe *syntax.ParamExp, v *value) {
	if pe.Slice != nil {
		w.applySlice(pe, v)
		return
	}
	if pe.Exp == nil && pe.Repl == nil || pe.Exp != nil && pe.Exp.Op <= syntax.AssignUnsetOrNull && pe.Exp.Op >= syntax.AlternateUnset {
		return
	}
	var word, with shell.Word
	if pe.Exp != nil {
		word = w.expandPattern(pe.Exp.Word)
	} else {
		word, with = w.expandPattern(pe.Repl.Orig), w.ExpandWord(pe.Repl.With)
	}
	if v.is == foreign {
		return
	}
	words := make([]shell.Word, len(v.words))
	for i, from := range v.words {
		words[i] = from
		words[i].From = AddSources(from.From, with.From)
		text, ok := "", from.IsKnown() && word.IsKnown() && with.IsKnown() && len(from.Text)*(len(with.Text)+1) <= MaxOutput && w.Env.SpendBytes(len(from.Text))
		switch {
		case !ok:
		case pe.Repl != nil:
			text, ok = replacePattern(from.Text, word.Text, with.Text, pe.Repl.All)
		default:
			if word.Text == "P" {
				w.Env.WalkReexpanded(from.Text)
			}
			text, ok = applyParamOperator(pe.Exp.Op, from.Text, word.Text)
		}
		if words[i].Text = text; ok && w.Env.SpendBytes(len(text)) {
			continue
		}
		if words[i].Text = placeholder; len(words[i].From) == 0 {
			words[i].From = []*shell.Call{OpaqueSource}
		}
	}
	v.words = words
}

// expandPattern expands word, which is a pattern. It escapes the special characters in quoted parts.
func (w *Expander) expandPattern(word *syntax.Word) shell.Word {
	if word == nil {
		return shell.Word{}
	}
	var b strings.Builder
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
			continue
		}
		f := fieldBuilder{w: w, noSplit: true}
		f.addPart(p, false)
		text := string(f.buf)
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			for i := range len(text) {
				if strings.IndexByte(`*?[\`, text[i]) >= 0 {
					b.WriteByte('\\')
				}
				b.WriteByte(text[i])
			}
		default:
			b.WriteString(text)
		}
	}
	return shell.Word{Text: b.String()}
}

// applyParamOperator returns the result of the operator op with the argument arg on text. It reports
// false for operators that are not supported.
func applyParamOperator(op syntax.ParExpOperator, text, arg string) (string, bool) {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return trimPattern(op, text, arg)
	case syntax.UpperAll:
		return strings.ToUpper(text), arg == ""
	case syntax.LowerAll:
		return strings.ToLower(text), arg == ""
	case syntax.OtherParamOps:
		return strings.ToLower(text), arg == "L"
	}
	return "", false
}

// applySlice applies the slice of pe, as in ${x:offset:length}, to v, which is a string or a list.
func (w *Expander) applySlice(pe *syntax.ParamExp, v *value) {
	off, ok := int64(0), true
	if pe.Slice.Offset != nil {
		off, _, ok = w.EvalNumber(pe.Slice.Offset)
	}
	n, nok := int64(1)<<40, true
	if pe.Slice.Length != nil {
		n, _, nok = w.EvalNumber(pe.Slice.Length)
	}
	if ok && nok && off == 0 && n == 1 && !v.many && alwaysStartsWithSlash(pe.Param) {
		v.setScalar(shell.Word{Text: "/"}, present)
		return
	}
	if v.is == foreign {
		v.setScalar(shell.Word{Text: placeholder, From: []*shell.Call{OpaqueSource}}, present)
		return
	}
	if v.many {
		w.sliceList(pe, v, off, n, ok && nok)
		return
	}
	word := v.joinWords()
	if !ok || !nok || !word.IsKnown() {
		word.Text = placeholder
		word.From = AddSource(word.From[:len(word.From):len(word.From)], OpaqueSource)
		v.setScalar(word, present)
		return
	}
	rs := []rune(word.Text)
	lo, hi := sliceBounds(off, n, int64(len(rs)))
	word.Text = string(rs[lo:hi])
	v.setScalar(word, present)
}

// alwaysStartsWithSlash reports whether the value of the variable name always begins with a slash.
// Attackers write / as ${HOME:0:1}.
func alwaysStartsWithSlash(name *syntax.Lit) bool {
	return name != nil && slices.Contains([]string{"HOME", "PATH", "PWD", "OLDPWD", "SHELL"}, name.Value)
}

// sliceList applies a slice with the offset off and the length n to the list v. If ok is false, these
// are not known, and v becomes the joined list.
func (w *Expander) sliceList(pe *syntax.ParamExp, v *value, off, n int64, ok bool) {
	if !ok {
		v.setScalar(Join(v.words, " "), present)
		return
	}
	if pe.Param.Value == "@" || pe.Param.Value == "*" {
		if off > 0 {
			off-- // $1 has the index 1
		} else if off == 0 {
			v.words = slices.Insert(slices.Clone(v.words), 0, shell.Word{Text: "bash"})
		}
	}
	lo, hi := sliceBounds(off, n, int64(len(v.words)))
	v.words = v.words[lo:hi]
}

// sliceBounds returns the bounds of a slice with the offset off and the length n in a string or list
// of the given size. A negative offset counts from the end, and a negative n is an end position that
// counts from the end.
func sliceBounds(off, n, size int64) (lo, hi int64) {
	if off < 0 {
		if off += size; off < 0 {
			return 0, 0
		}
	}
	lo = min(off, size)
	if n < 0 {
		hi = size + n
	} else {
		hi = min(size, lo+n)
	}
	return lo, max(lo, hi)
}
