package expand

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// addOperatorWord adds the word of an expansion such as ${x:-word} or ${x:+word} if the value v calls
// for it. It reports false if the caller must add v itself.
func (f *fieldBuilder) addOperatorWord(e *syntax.Expansion, v *value, pe *syntax.ParamExp, quoted bool) bool {
	null := false
	switch e.Op {
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.AlternateUnsetOrNull, syntax.ErrorUnsetOrNull:
		null = v.is == present && v.joinWords().Text == ""
	}
	missing := v.is != present || null
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if v.mayBeUnset {
			f.w.Alts = max(f.w.Alts, 1)
			missing = f.w.Env.Choice() == 1
		}
		if missing {
			f.addInnerWord(e.Word, quoted)
		}
		return missing
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if missing {
			if pe.Param != nil && syntax.ValidName(pe.Param.Value) {
				f.w.Env.Assign(pe.Param.Value, f.w.ExpandWord(e.Word))
			}
			f.addInnerWord(e.Word, quoted)
		}
		return missing
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !missing {
			f.addInnerWord(e.Word, quoted)
		} else if v.is == foreign {
			// The variable is most likely unset, but the environment may set it.
			f.w.Alts = max(f.w.Alts, 1)
			if f.w.Env.Choice() == 1 {
				f.addInnerWord(e.Word, quoted)
			}
		}
		return true
	}
	return false
}

// addInnerWord adds the word of an expansion such as ${x:-word}. Its unquoted parts are split, unless
// the whole expansion is quoted.
func (f *fieldBuilder) addInnerWord(word *syntax.Word, quoted bool) {
	if word == nil {
		return
	}
	for i, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			f.addPart(p, quoted)
			continue
		}
		if quoted {
			f.started = true
			f.buf = appendUnescaped(f.buf, lit.Value, "$`\"\\}")
			continue
		}
		text := lit.Value
		if i == 0 {
			text = f.addTilde(text, len(word.Parts) == 1)
		}
		f.addValue(shell.Word{Text: string(appendUnescaped(nil, text, "$`\"'\\} *?"))}, false)
	}
}

// addLength adds the length of v, as in ${#x}: the number of words of a list, or of characters of a
// string.
func (f *fieldBuilder) addLength(v *value) {
	if v.is == foreign {
		f.addUnknown(nil)
		return
	}
	f.started = true
	if v.many {
		f.buf = appendInt(f.buf, int64(len(v.words)))
	} else if word := v.joinWords(); word.IsKnown() {
		f.buf = appendInt(f.buf, int64(len([]rune(word.Text))))
	} else {
		f.addUnknown(nil)
	}
}
