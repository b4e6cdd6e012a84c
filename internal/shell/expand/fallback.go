package expand

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// fallback adds ${x:-word} and its kin. It reports false when the value itself is
// to be added.
func (f *fields) fallback(e *syntax.Expansion, v *value, pe *syntax.ParamExp, quoted bool) bool {
	null := false
	switch e.Op {
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.AlternateUnsetOrNull, syntax.ErrorUnsetOrNull:
		null = v.is == present && v.text().Text == ""
	}
	missing := v.is != present || null
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if v.maybe {
			f.w.Alts = max(f.w.Alts, 1)
			missing = f.w.Env.Choice() == 1
		}
		if missing {
			f.within(e.Word, quoted)
		}
		return missing
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if missing {
			if pe.Param != nil && syntax.ValidName(pe.Param.Value) {
				f.w.Env.Assign(pe.Param.Value, f.w.Word(e.Word))
			}
			f.within(e.Word, quoted)
		}
		return missing
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !missing {
			f.within(e.Word, quoted)
		} else if v.is == foreign {
			// It is most likely unset, but the environment may have it.
			f.w.Alts = max(f.w.Alts, 1)
			if f.w.Env.Choice() == 1 {
				f.within(e.Word, quoted)
			}
		}
		return true
	}
	return false
}

// within adds a word that stands inside an expansion. What is not quoted in it
// is split.
func (f *fields) within(word *syntax.Word, quoted bool) {
	if word == nil {
		return
	}
	for i, p := range word.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			f.part(p, quoted)
			continue
		}
		if quoted {
			f.open = true
			f.buf = unescape(f.buf, lit.Value, "$`\"\\}")
			continue
		}
		text := lit.Value
		if i == 0 {
			text = f.tilde(text, len(word.Parts) == 1)
		}
		f.value(shell.Word{Text: string(unescape(nil, text, "$`\"'\\} *?"))}, false)
	}
}

func (f *fields) length(v *value) {
	if v.is == foreign {
		f.unknown(nil)
		return
	}
	f.open = true
	if v.many {
		f.buf = appendInt(f.buf, int64(len(v.words)))
	} else if word := v.text(); word.IsKnown() {
		f.buf = appendInt(f.buf, int64(len([]rune(word.Text))))
	} else {
		f.unknown(nil)
	}
}
