package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// expr reads an expression up to a comma, a closing bracket or the end of the
// statement.
func (r *reader) expr() value {
	if r.depth >= maxDepth || !r.spend() {
		if r.depth >= maxDepth {
			r.out.steps = 0
			r.spend()
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
			w, more := r.wordOperator(t, v)
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
		v = r.binary(t.text, v, lhs)
		r.lhs = ""
	}
}

// wordOperator reads an operator that is a word.
func (r *reader) wordOperator(t *token, v value) (value, bool) {
	if t.nl && r.group == 0 {
		return v, false
	}
	switch t.text {
	case "and", "or":
		r.i++
		return either(v, r.expr()), true
	case "in", "is", "instanceof", "not":
		if t.text == "not" && !r.ahead(1).word("in") {
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
		if r.peek().word("else") {
			r.i++
			return either(v, r.expr()), true
		}
		return v, true
	}
	return v, false
}

// binary reads the right side of an operator.
func (r *reader) binary(op string, v value, lhs string) value {
	switch op {
	case "=", ":=", "||=", "??=":
		from := r.i
		w := r.expr()
		r.assigns(v, w, from)
		r.bind(lhs, w)
		return w
	case "+=":
		w := join(v, r.expr())
		r.bind(lhs, w)
		return w
	case "?":
		a := r.expr()
		if r.accept(":") {
			return either(a, r.expr())
		}
		return a
	case "||", "??", "&&":
		return either(v, r.term())
	case "+":
		w := r.term()
		if v.form != text && v.form != list && v.form != choice && w.form != text && w.form != list {
			return value{taint: v.taint | w.taint}
		}
		return join(r.plain(v), r.plain(w))
	}
	w := r.term()
	return value{taint: r.plain(v).taint | r.plain(w).taint}
}

// term reads operands with the operators that bind closer than a sum.
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

// plain turns a name that is used as a value into what it holds.
func (r *reader) plain(v value) value {
	if v.form != name {
		return v
	}
	v, _ = r.nameValue(v)
	return v
}

// items reads what stands between brackets, and goes behind the closing one. The
// opening one is already taken.
func (r *reader) items(closing string, args bool) []value {
	group := r.group
	if closing == "}" && r.lang != python {
		r.group = 0
	} else {
		r.group++
	}
	defer func() { r.group = group }()
	if r.lang == python {
		if out, ok := r.comprehension(closing); ok {
			if args {
				return []value{listOf(out)}
			}
			return out
		}
	}
	var out []value
	fresh := true
	for r.spend() {
		switch t := r.peek(); {
		case r.accept(closing) || t.kind == tEnd:
			return out
		case r.accept(",") || r.accept(";"):
			fresh = true
		case t.closes(): // unbalanced brackets; the caller handles them
			if closing != "}" {
				return out
			}
			r.i++
		default:
			v, keyed := r.oneItem(closing, args)
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

// oneItem reads an argument, or an entry with its key, or a statement in braces.
func (r *reader) oneItem(closing string, args bool) (v value, keyed bool) {
	t, at := r.peek(), r.i
	key := r.key(closing, args)
	statement := closing == "}" && key == ""
	if statement {
		v, _ = r.statement()
	} else {
		v = r.expr()
	}
	if r.i == at {
		r.i++
	}
	v = r.item(v, key)
	if statement && r.lang == javascript && r.i == at+1 && t.kind == tIdent { // {name}
		v.key = t.text
	}
	return v, key != ""
}

// item is a value as an argument or an entry under a key.
func (r *reader) item(v value, key string) value {
	if v.form == name {
		v, _ = r.nameValue(v)
	}
	v.key = key
	switch strings.ToLower(key) {
	case "headers", "auth", "cookies", "authorization", "cookie", "x-api-key", "x-auth-token", "private-token", "params", "query", "searchparams", "qs":
		v.taint = v.login()
	}
	return v
}

// login is the taint of what is given where people log in: headers, of which only
// some are there for it, and the like.
func (v *value) login() (t taint) {
	if v.form != list || len(v.items) == 0 {
		return v.taint.login()
	}
	for i := range v.items {
		one := &v.items[i]
		head := one.key
		if head == "" && one.form == text {
			head, _, _ = strings.Cut(one.text, ":")
		}
		if head == "" || facts.ForCredential(head) {
			t |= one.taint.login()
		} else {
			t |= one.taint
		}
	}
	return t
}

func (t taint) login() taint {
	if t&fromSetting != 0 {
		return t&^fromSetting | fromLogin
	}
	return t
}

// key takes the name of an argument or an entry.
func (r *reader) key(closing string, args bool) string {
	t, n := r.peek(), r.ahead(1)
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

// comprehension reads `expr for x in list` between brackets: the list first, then
// the expression for each of its elements.
func (r *reader) comprehension(closing string) ([]value, bool) {
	at := r.loopAhead()
	if at < 0 {
		return nil, false
	}
	from := r.i
	r.i = at
	r.quiet++
	over := r.headList()
	r.quiet--
	var out []value
	count := 1
	if over.form == text && !over.glob && over.class == "" && len(over.text) <= 2048 { // the characters of a text
		over = split(over, known(""))
	}
	if over.form == list && len(over.items) > 0 {
		count = len(over.items)
	}
	names := r.out.names
	for k := 0; k < count && k < 2048 && r.spend(); k++ {
		e := element(over)
		if over.form == list && k < len(over.items) {
			e = over.items[k]
		}
		if len(names) == 1 {
			r.bind(names[0], e)
		} else {
			r.unpack(names, names, e, false)
		}
		r.i = from
		out = append(out, r.item(r.expr(), ""))
	}
	if over.form != list && len(out) == 1 && out[0].form == text {
		out[0].glob = out[0].glob || over.glob
	}
	r.rest(closing)
	return out, true
}

// loopAhead is where the `for` of a comprehension is; negative = there is none.
func (r *reader) loopAhead() int {
	level := 0
	for n := 0; n < 160; n++ {
		t := r.ahead(n)
		switch {
		case t.kind == tEnd:
			return -1
		case t.opens():
			level++
		case t.closes():
			if level--; level < 0 {
				return -1
			}
		case level == 0 && n > 0 && t.word("for"):
			return r.i + n
		}
	}
	return -1
}
