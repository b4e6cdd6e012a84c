package code

import (
	"strconv"
	"strings"
)

// applyText computes texts, as far as their parts are known.
func (r *reader) applyText(e *entry, v value, args []value) value {
	s := r.textSubject(e, v, args)
	all := s.taint | taintOf(args) | v.taint
	switch e.op {
	case opSame, opPairs:
		if strings.HasPrefix(e.name, "byte") && s.form == list {
			return value{taint: all}
		}
		if s.form == unknown {
			s.taint = all
		}
		return s
	case opJoinArgs, opTextJoin, opListJoin:
		return joinTexts(e.op, v, args, all)
	case opComputed: // php and perl can call what a text names
		return value{taint: all | dynamic}
	case opMe:
		return value{class: "me"}
	case opRange:
		if n := positional(args, len(args)-1, ""); n.num && len(n.text) > 3 {
			r.out.endless = true
		}
		return value{}
	}
	if s.form != text {
		return value{taint: all}
	}
	s.taint = all
	return r.applyKnown(e, s, args)
}

// textSubject is the text that a function works on, the first of those that it may be.
func (r *reader) textSubject(e *entry, v value, args []value) value {
	s := subject(e, v, args)
	if s.form == choice && len(s.items) > 0 && e.op != opListJoin && e.op != opTextJoin {
		t := s.taint
		s = s.items[0]
		s.taint |= t
	}
	return s
}

// applyKnown computes a text from another one that is known.
func (r *reader) applyKnown(e *entry, s value, args []value) value {
	switch e.op {
	case opSplit:
		s = split(s, positional(args, 0, "sep"))
	case opFormat:
		s = braceFormat(s, args)
	case opSprintf:
		s = percentFormat(s, value{form: list, items: args[min(1, len(args)):]})
	}
	return s
}

// joinTexts joins lists and arguments.
func joinTexts(o op, v value, args []value, t taint) value {
	sep, items := known(""), args
	switch o {
	case opTextJoin:
		if v.recv != nil {
			sep = *v.recv
		}
	case opListJoin:
		if v.recv != nil {
			items = []value{*v.recv}
		}
		sep = positional(args, 0, "")
		if len(args) == 0 {
			sep = known("")
		}
	case opJoinArgs:
		if len(args) > 0 {
			sep, items = args[0], args[1:]
		}
	}
	out := known("")
	out.taint = t
	n := 0
	for i := range items {
		if items[i].key == "sep" || items[i].key == "collapse" {
			continue
		}
		if items[i].form == text && (o == opTextJoin || o == opListJoin) {
			return items[i] // the characters of a text, joined by nothing
		}
		items[i].each(func(x *value) {
			if n > 0 {
				out = join(out, sep)
			}
			out = join(out, *x)
			n++
		})
		if len(out.text) > maxText {
			return value{taint: t}
		}
	}
	return out
}

func split(s, sep value) value {
	out := value{form: list, taint: s.taint}
	if sep.form != text {
		for w := range strings.FieldsSeq(s.text) {
			out.items = append(out.items, known(w))
			if len(out.items) > 1024 {
				break
			}
		}
		return out
	}
	parts := strings.SplitN(s.text, sep.text, 1024)
	for _, w := range parts {
		out.items = append(out.items, known(w))
	}
	return out
}

// braceFormat fills {} {0} {name}.
func braceFormat(s value, args []value) value {
	out := value{form: text, taint: s.taint | taintOf(args), glob: s.glob}
	var b strings.Builder
	n := 0
	for i := 0; i < len(s.text); i++ {
		c := s.text[i]
		if c != '{' || i+1 < len(s.text) && s.text[i+1] == '{' {
			b.WriteByte(c)
			if c == '{' || c == '}' && i+1 < len(s.text) && s.text[i+1] == '}' {
				i++
			}
			continue
		}
		end := strings.IndexByte(s.text[i:], '}')
		if end < 0 {
			b.WriteString(s.text[i:])
			break
		}
		in := s.text[i+1 : i+end]
		i += end
		if cut := strings.IndexAny(in, ":!"); cut >= 0 {
			in = in[:cut]
		}
		var a value
		if k, err := strconv.Atoi(in); err == nil {
			a = positional(args, k, "")
		} else if in == "" {
			a = positional(args, n, "")
			n++
		} else {
			a, _ = keyed(args, in)
		}
		out.glob = out.glob || a.glob
		b.WriteString(a.str())
	}
	if out.text = b.String(); len(out.text) > maxText {
		return value{taint: out.taint}
	}
	return out
}

// percentFormat fills %s and its kin.
func percentFormat(v, w value) value {
	args := []value{w}
	if w.form == list {
		args = w.items
	}
	out := value{form: text, taint: v.taint | w.taint, glob: v.glob || w.glob}
	var b strings.Builder
	n := 0
	for i := 0; i < len(v.text); i++ {
		c := v.text[i]
		if c != '%' || i+1 >= len(v.text) {
			b.WriteByte(c)
			continue
		}
		i++
		if v.text[i] == '%' {
			b.WriteByte('%')
			continue
		}
		for i < len(v.text)-1 && !isLetter(v.text[i]) {
			i++
		}
		if n < len(args) && v.text[i] == 'c' && args[n].num {
			k, _ := strconv.Atoi(args[n].text)
			b.WriteRune(rune(k))
		} else if n < len(args) {
			b.WriteString(args[n].str())
			out.taint |= args[n].taint
			out.glob = out.glob || args[n].glob
		} else {
			b.WriteString(holeText)
		}
		n++
	}
	out.text = b.String()
	if len(out.text) > maxText {
		return value{taint: out.taint}
	}
	return out
}
