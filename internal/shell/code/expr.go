package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// readExpr reads an expression up to a comma, a bracket or the end of the statement, and returns its
// value. Beyond maxDepth or the step budget, it skips a token and returns an unknown value.
func (r *reader) readExpr() value {
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
	v := r.readTerm()
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

// readWordOperator reads the operator t if it is a word such as and or in, together with its right
// operand. It returns the result for the left operand v. It reports false, and reads nothing, if t is
// not such an operator.
func (r *reader) readWordOperator(t *token, v value) (value, bool) {
	if t.nl && r.group == 0 {
		return v, false
	}
	switch t.text {
	case "and", "or":
		r.i++
		return choiceOf(v, r.readExpr()), true
	case "in", "is", "instanceof", "not":
		if t.text == "not" && !r.peekAt(1).isWord("in") {
			return v, false
		}
		r.i++
		w := r.readTerm()
		return value{taint: v.taint | w.taint}, true
	case "if":
		if r.lang != python {
			return v, false
		}
		r.i++
		r.readExpr()
		if r.peek().isWord("else") {
			r.i++
			return choiceOf(v, r.readExpr()), true
		}
		return v, true
	}
	return v, false
}

// readBinary reads the right operand of op and returns the result. Lhs is the name that the left
// operand v consists of, or "". An assignment binds it.
func (r *reader) readBinary(op string, v value, lhs string) value {
	switch op {
	case "=", ":=", "||=", "??=":
		from := r.i
		w := r.readExpr()
		r.recordSentAssignment(v, w, from)
		r.bind(lhs, w)
		return w
	case "+=":
		w := concat(v, r.readExpr())
		r.bind(lhs, w)
		return w
	case "?":
		a := r.readExpr()
		if r.accept(":") {
			return choiceOf(a, r.readExpr())
		}
		return a
	case "||", "??", "&&":
		return choiceOf(v, r.readTerm())
	case "+":
		w := r.readTerm()
		if v.form != text && v.form != list && v.form != choice && w.form != text && w.form != list {
			return value{taint: v.taint | w.taint}
		}
		return concat(r.resolveName(v), r.resolveName(w))
	}
	w := r.readTerm()
	return value{taint: r.resolveName(v).taint | r.resolveName(w).taint}
}

// readTerm reads operands joined by *, / or %, and returns the result.
func (r *reader) readTerm() value {
	v := r.readPostfix()
	for {
		t := r.peek()
		if t.kind != tOp || t.nl && r.lang == python && r.group == 0 || t.text != "*" && t.text != "/" && t.text != "%" {
			return v
		}
		r.i++
		w := r.readPostfix()
		r.lhs = ""
		switch {
		case t.text == "*" && v.form == list: // a repeated list, as in [f] * 3, has the same items
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

// resolveName returns the value of the well-known name v, or v itself if it is anything else.
func (r *reader) resolveName(v value) value {
	if v.form != name {
		return v
	}
	v, _ = r.knownNameValue(v)
	return v
}

// readBracketItems reads the items up to and including the closing bracket, and returns their values.
// The opening bracket has already been read. Args is set for the arguments of a call.
func (r *reader) readBracketItems(closing string, args bool) []value {
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
		case t.isClosing(): // unbalanced brackets, which the caller handles
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

// readItem reads an argument, a list item or map entry with its key, or a statement in braces. Keyed
// is false if it has no key.
func (r *reader) readItem(closing string, args bool) (v value, keyed bool) {
	t, at := r.peek(), r.i
	key := r.readKey(closing, args)
	statement := closing == "}" && key == ""
	if statement {
		v, _ = r.readStatement()
	} else {
		v = r.readExpr()
	}
	if r.i == at {
		r.i++
	}
	v = r.withKey(v, key)
	if statement && r.lang == javascript && r.i == at+1 && t.kind == tIdent { // {name} is short for {name: name}
		v.key = t.text
	}
	return v, key != ""
}

// withKey returns v as the argument or entry with the given key. Where the key is a place for
// credentials, such as headers, it adjusts the taint.
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

// credentialTaint returns the taint of v in a place for credentials, such as headers. It replaces
// fromSetting by fromLogin, except in items whose key cannot carry credentials.
func (v *value) credentialTaint() (t taint) {
	if v.form != list || len(v.items) == 0 {
		return v.taint.asCredential()
	}
	for i := range v.items {
		one := &v.items[i]
		head := one.key
		if head == "" && one.form == text {
			head, _, _ = strings.Cut(one.text, ":")
		}
		if head == "" || facts.IsCredentialName(head) {
			t |= one.taint.asCredential()
		} else {
			t |= one.taint
		}
	}
	return t
}

// asCredential returns t with fromSetting replaced by fromLogin.
func (t taint) asCredential() taint {
	if t&fromSetting != 0 {
		return t&^fromSetting | fromLogin
	}
	return t
}

// readKey reads the keyword of an argument or the key of a map entry, with the sign after it. It
// returns "", and reads nothing, if there is none.
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

// readComprehension reads a comprehension, `expr for x in list`, up to its closing bracket and returns
// its items. It reads the list first, and then the expression once for each element. It reports false,
// and reads nothing, if there is no comprehension.
func (r *reader) readComprehension(closing string) ([]value, bool) {
	at := r.findComprehensionFor()
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
	if over.form == text && !over.glob && over.class == "" && len(over.text) <= 2048 { // a loop over the characters of a string
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
		out = append(out, r.withKey(r.readExpr(), ""))
	}
	if over.form != list && len(out) == 1 && out[0].form == text {
		out[0].glob = out[0].glob || over.glob
	}
	r.readToClosing(closing)
	return out, true
}

// findComprehensionFor returns the index of the `for` token of the comprehension that begins at the
// next token, or -1 if there is none.
func (r *reader) findComprehensionFor() int {
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
