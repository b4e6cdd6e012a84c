package code

import "strings"

// applyTextOp returns the result of a function on strings or lists, as far as the operands are known.
func (r *reader) applyTextOp(e *entry, v value, args []value) value {
	s := r.textSubjectArg(e, v, args)
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
	case opTextJoin, opListJoin:
		return joinTexts(e.op, v, args, all)
	case opMe:
		return value{class: "me"}
	case opRange:
		if n := namedOrNthArg(args, len(args)-1, ""); n.num && len(n.text) > 3 {
			r.out.endless = true
		}
		return value{}
	}
	if s.form != text {
		return value{taint: all}
	}
	s.taint = all
	if e.op == opSplit {
		return splitText(s, namedOrNthArg(args, 0, "sep"))
	}
	return fillFormat(s, "{}", "{", args)
}

// textSubjectArg returns the argument or receiver that the function v works on, or its first
// alternative if it is a choice and the operation is not a join.
func (r *reader) textSubjectArg(e *entry, v value, args []value) value {
	s := subjectArg(e, v, args)
	if s.form == choice && len(s.items) > 0 && e.op != opListJoin && e.op != opTextJoin {
		t := s.taint
		s = s.items[0]
		s.taint |= t
	}
	return s
}

// joinTexts returns the result of the join operation o, with the taint t. The items and the separator
// are the receiver of v and args, or the other way round.
func joinTexts(o op, v value, args []value, t taint) value {
	sep, items := textValue(""), args
	switch o {
	case opTextJoin:
		if v.recv != nil {
			sep = *v.recv
		}
	case opListJoin:
		if v.recv != nil {
			items = []value{*v.recv}
		}
		sep = namedOrNthArg(args, 0, "")
		if len(args) == 0 {
			sep = textValue("")
		}
	}
	out := textValue("")
	out.taint = t
	n := 0
	for i := range items {
		if items[i].form == text && (o == opTextJoin || o == opListJoin) {
			return items[i] // joins the characters of a string
		}
		items[i].eachLeaf(func(x *value) {
			if n > 0 {
				out = concat(out, sep)
			}
			out = concat(out, *x)
			n++
		})
		if len(out.text) > maxText {
			return value{taint: t}
		}
	}
	return out
}

// fillFormat returns the format s with successive marks replaced by args. If sign, which begins a
// format verb, is still left in the result, the text from there on is unknown.
func fillFormat(s value, mark, sign string, args []value) value {
	out := value{form: text, text: s.text, taint: s.taint | taintOf(args), glob: s.glob}
	for i := range args {
		out.glob = out.glob || args[i].glob
		out.text = strings.Replace(out.text, mark, args[i].str(), 1)
	}
	if i := strings.Index(out.text, sign); i >= 0 {
		out.text = out.text[:i] + placeholder
	}
	if len(out.text) > maxText {
		return value{taint: out.taint}
	}
	return out
}

// splitText returns the list of the parts of s between separators, at most about 1024. If sep is not
// known, white space separates them.
func splitText(s, sep value) value {
	out := value{form: list, taint: s.taint}
	if sep.form != text {
		for w := range strings.FieldsSeq(s.text) {
			out.items = append(out.items, textValue(w))
			if len(out.items) > 1024 {
				break
			}
		}
		return out
	}
	parts := strings.SplitN(s.text, sep.text, 1024)
	for _, w := range parts {
		out.items = append(out.items, textValue(w))
	}
	return out
}
