package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// expr reads an expression up to a comma, a closing bracket or the end of the statement, and returns
// its value.
func (r *reader) expr() value {
	if r.depth >= maxDepth || !r.spendStep() {
		if r.depth >= maxDepth {
			r.out.steps = 0
			r.spendStep()
		}
		r.i = min(r.i+1, len(r.toks)-1)
		return value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	v := r.term()
	for {
		lhs := r.lhs
		t := r.peek()
		if t.kind == tIdent {
			w, more := r.readWordOperator(t, v)
			if !more {
				return v
			}
			v = w
			continue
		}
		if t.kind != tOp || t.nl && r.lang == python && r.group == 0 {
			return v
		}
		switch t.text {
		case ")", "]", "}", ",", ";", ":", "(", "[", "{", "=>", "->":
			return v
		}
		r.i++
		v = r.readBinary(t.text, v, lhs)
		r.lhs = ""
	}
}

// readWordOperator reads an operator that is a word, such as and, with its right operand. It reports
// false if t is none.
func (r *reader) readWordOperator(t *token, v value) (value, bool) {
	if t.nl && r.group == 0 {
		return v, false
	}
	switch t.text {
	case "and", "or":
		r.i++
		return choiceOf(v, r.expr()), true
	case "in", "is", "instanceof", "not":
		if t.text == "not" && !r.peekAt(1).isWord("in") {
			return v, false
		}
		r.i++
		w := r.term()
		return value{taint: v.taint | w.taint}, true
	case "if":
		if r.lang != python {
			return v, false
		}
		r.i++
		r.expr()
		if r.peek().isWord("else") {
			r.i++
			return choiceOf(v, r.expr()), true
		}
		return v, true
	}
	return v, false
}

// readBinary reads the right operand of op and returns the result. Lhs is the name that the left
// operand v consists of, or "".
func (r *reader) readBinary(op string, v value, lhs string) value {
	switch op {
	case "=", ":=", "||=", "??=":
		from := r.i
		w := r.expr()
		r.recordSentAssignment(v, w, from)
		r.bind(lhs, w)
		return w
	case "+=":
		w := concat(v, r.expr())
		r.bind(lhs, w)
		return w
	case "?":
		a := r.expr()
		if r.accept(":") {
			return choiceOf(a, r.expr())
		}
		return a
	case "||", "??", "&&":
		return choiceOf(v, r.term())
	case "+":
		w := r.term()
		if v.form != text && v.form != list && v.form != choice && w.form != text && w.form != list {
			return value{taint: v.taint | w.taint}
		}
		return concat(r.resolve(v), r.resolve(w))
	}
	w := r.term()
	return value{taint: r.resolve(v).taint | r.resolve(w).taint}
}

// term reads operands joined by *, / and %.
func (r *reader) term() value {
	v := r.postfix()
	for {
		t := r.peek()
		if t.kind != tOp || t.nl && r.lang == python && r.group == 0 || t.text != "*" && t.text != "/" && t.text != "%" {
			return v
		}
		r.i++
		w := r.postfix()
		r.lhs = ""
		switch {
		case t.text == "*" && v.form == list: // [f] * 3
		case t.text == "%" && v.form == text:
			if w.form != list {
				w = listOf([]value{w})
			}
			v = fillFormat(v, "%s", "%", w.items)
		case t.text == "/" && v.class == "Path":
			v = joinPaths([]value{v, w}, true)
			v.class = "Path"
		default:
			v = value{taint: v.taint | w.taint}
		}
	}
}

// resolve returns the value that v holds if v is a name, and v otherwise.
func (r *reader) resolve(v value) value {
	if v.form != name {
		return v
	}
	v, _ = r.knownNameValue(v)
	return v
}

// bracketItems reads the items up to the closing bracket, and the bracket. The opening bracket has
// already been read. Args is set for the arguments of a call.
func (r *reader) bracketItems(closing string, args bool) []value {
	group := r.group
	if closing == "}" && r.lang != python {
		r.group = 0
	} else {
		r.group++
	}
	defer func() { r.group = group }()
	if r.lang == python {
		if out, ok := r.readComprehension(closing); ok {
			if args {
				return []value{listOf(out)}
			}
			return out
		}
	}
	var out []value
	fresh := true
	for r.spendStep() {
		switch t := r.peek(); {
		case r.accept(closing) || t.kind == tEnd:
			return out
		case r.accept(",") || r.accept(";"):
			fresh = true
		case t.isClosing(): // unbalanced brackets; the caller handles them
			if closing != "}" {
				return out
			}
			r.i++
		default:
			v, keyed := r.readItem(closing, args)
			if fresh || keyed {
				out = append(out, v)
				fresh = closing == "}" && !keyed
			} else if n := len(out); n > 0 {
				out[n-1].taint |= v.taint
			}
		}
	}
	return out
}

// readItem reads an argument, an entry with its key, or a statement in braces.
func (r *reader) readItem(closing string, args bool) (v value, keyed bool) {
	t, at := r.peek(), r.i
	key := r.readKey(closing, args)
	statement := closing == "}" && key == ""
	if statement {
		v, _ = r.readStatement()
	} else {
		v = r.expr()
	}
	if r.i == at {
		r.i++
	}
	v = r.withKey(v, key)
	if statement && r.lang == javascript && r.i == at+1 && t.kind == tIdent { // {name}
		v.key = t.text
	}
	return v, key != ""
}

// withKey returns v as an argument or an entry under key.
func (r *reader) withKey(v value, key string) value {
	if v.form == name {
		v, _ = r.knownNameValue(v)
	}
	v.key = key
	switch strings.ToLower(key) {
	case "headers", "auth", "cookies", "authorization", "cookie", "x-api-key", "x-auth-token", "private-token", "params", "query", "searchparams", "qs":
		v.taint = v.credentialTaint()
	}
	return v
}

// credentialTaint returns the taint of v in a place for credentials, such as headers. Headers that do
// not carry credentials keep their taint.
func (v *value) credentialTaint() (t taint) {
	if v.form != list || len(v.items) == 0 {
		return v.taint.credentialTaint()
	}
	for i := range v.items {
		one := &v.items[i]
		head := one.key
		if head == "" && one.form == text {
			head, _, _ = strings.Cut(one.text, ":")
		}
		if head == "" || facts.IsCredentialName(head) {
			t |= one.taint.credentialTaint()
		} else {
			t |= one.taint
		}
	}
	return t
}

// credentialTaint returns t with fromSetting replaced by fromLogin.
func (t taint) credentialTaint() taint {
	if t&fromSetting != 0 {
		return t&^fromSetting | fromLogin
	}
	return t
}

// readKey reads the keyword of an argument or the key of an entry. It returns "" if there is none.
func (r *reader) readKey(closing string, args bool) string {
	t, n := r.peek(), r.peekAt(1)
	if t.kind != tIdent && t.kind != tString && t.kind != tNumber || n.kind != tOp {
		return ""
	}
	ok := false
	switch n.text {
	case ":":
		ok = closing == "}"
	case "=":
		ok = t.kind == tIdent && args && r.lang == python
	}
	if !ok {
		return ""
	}
	r.i += 2
	return t.text
}

// readComprehension reads `expr for x in list` up to the closing bracket: first the list, then the
// expression for each of its elements. It reports false if there is no comprehension.
func (r *reader) readComprehension(closing string) ([]value, bool) {
	at := r.comprehensionFor()
	if at < 0 {
		return nil, false
	}
	from := r.i
	r.i = at
	r.quiet++
	over := r.readForIn()
	r.quiet--
	var out []value
	count := 1
	if over.form == text && !over.glob && over.class == "" && len(over.text) <= 2048 { // the characters of a text
		over = splitText(over, textValue(""))
	}
	if over.form == list && len(over.items) > 0 {
		count = len(over.items)
	}
	names := r.out.names
	for k := 0; k < count && k < 2048 && r.spendStep(); k++ {
		e := loopElement(over)
		if over.form == list && k < len(over.items) {
			e = over.items[k]
		}
		if len(names) == 1 {
			r.bind(names[0], e)
		} else {
			r.bindUnpacked(names, names, e, false)
		}
		r.i = from
		out = append(out, r.withKey(r.expr(), ""))
	}
	if over.form != list && len(out) == 1 && out[0].form == text {
		out[0].glob = out[0].glob || over.glob
	}
	r.readToClosing(closing)
	return out, true
}

// comprehensionFor returns the index of the `for` token of a comprehension, or -1.
func (r *reader) comprehensionFor() int {
	level := 0
	for n := 0; n < 160; n++ {
		t := r.peekAt(n)
		switch {
		case t.kind == tEnd:
			return -1
		case t.isOpening():
			level++
		case t.isClosing():
			if level--; level < 0 {
				return -1
			}
		case level == 0 && n > 0 && t.isWord("for"):
			return r.i + n
		}
	}
	return -1
}
