package code

import (
	"strconv"
	"strings"
)

// postfix reads an operand with the calls, parts and indexes behind it.
func (r *reader) postfix() value {
	from := r.i
	v := r.primary()
	lhs := ""
	if r.i == from+1 && r.toks[from].kind == tIdent {
		lhs = r.toks[from].text
	}
	called := false
	for r.spend() {
		t := r.peek()
		breaks := t.nl && r.group == 0
		switch {
		case r.dot(t):
			if r.lang == ruby && v.form == name && !called {
				v = r.makes(v, from)
			}
			r.i++
			f := r.peek()
			switch {
			case f.kind == tIdent || f.kind == tString && r.lang == ruby:
				r.i++
				if r.lang == php && strings.HasPrefix(f.text, "$") { // $a->$b
					v = r.lookup(v, r.ident(f.text))
				} else {
					v = r.attr(v, f.text)
				}
				if lhs != "" {
					lhs = v.text
				}
				called = false
			case f.is("!") && r.lang == java && v.form == text: // scala's "cmd".!
				for r.accept("!") {
				}
				v = r.shellText(v, from)
				called = true
			case f.is("(") || f.is("[") || f.is("{"): // ?.( and ->[
			case r.lang == perl && t.text == "->" || f.is("*"):
				return v
			default:
				return v
			}
		case t.is("(") && !(breaks && r.ends()):
			r.i++
			v = r.callParens(v, from)
			lhs, called = "", true
		case t.is("[") && !(breaks && r.lang != perl && r.lang != php) && r.lang != awk && !(r.lang == ruby && r.spaced(t)):
			r.i++
			if r.i >= len(r.toks) {
				return v
			}
			v = r.index(v, "]")
			lhs = ""
		case t.is("{") && r.lang == perl && r.perlKey():
			r.i++
			v = r.index(v, "}")
			lhs = ""
		case (t.kind == tString || t.kind == tInterp) && v.form == name && !breaks && (r.lang == lua || r.lang == javascript && t.start == r.toks[r.i-1].end):
			v = r.callString(v, from)
			lhs, called = "", true
		case t.is("{") && r.lang == lua && v.form == name && !breaks:
			r.i++
			v = r.call(v, []value{{form: list, items: r.items("}", false)}}, from)
			called = true
		case r.block(t, v):
			lhs = ""
		case !called && v.form == name && !breaks && r.bare(v, t):
			v = r.callBare(v, from)
			lhs, called = "", true
		default:
			if v.form == name && !called && !r.toks[from].is("&") { // &method passes it on
				v = r.mention(v, from)
			}
			if v.form == name {
				r.holds(&v, from)
			}
			r.lhs = lhs
			return v
		}
	}
	return v
}

// makes calls a function of ruby that makes a connection, so that what follows is
// a method of it: UDPSocket.new.send.
func (r *reader) makes(v value, from int) value {
	e, ok := find(r.lang, v.text)
	if !ok {
		return v
	}
	switch e.op {
	case opSocket, opConnect, opSftp, opEnvAll, opHome, opCwd, opTmp:
		return r.call(v, nil, from)
	}
	return v
}

// spaced reports whether a space stands before the token.
func (r *reader) spaced(t *token) bool {
	return r.i > 0 && t.start > r.toks[r.i-1].end
}

// dot reports whether the token joins a thing and its part.
func (r *reader) dot(t *token) bool {
	if t.kind != tOp {
		return false
	}
	switch t.text {
	case ".":
		return r.lang != perl && r.lang != php && r.lang != awk
	case "?.", "::", "?->":
		return true
	case "->":
		return r.lang == perl || r.lang == php
	case ":":
		return r.lang == lua && r.ahead(1).kind == tIdent && (r.ahead(2).is("(") || r.ahead(2).kind == tString)
	case "&":
		return r.lang == ruby && r.ahead(1).is(".")
	}
	return false
}

// perlKey reports whether the brace at the reader is the key of a variable.
func (r *reader) perlKey() bool {
	prev := &r.toks[r.i-1]
	if prev.is("->") {
		return true
	}
	return prev.end == r.peek().start && (prev.is("]") || prev.is("}") || prev.kind == tIdent && strings.HasPrefix(prev.text, "$"))
}

// primary reads an operand.
func (r *reader) primary() value {
	t := r.peek()
	if t.kind == tEnd {
		return value{}
	}
	r.i++
	switch t.kind {
	case tString:
		return r.adjacent(known(t.text))
	case tInterp:
		return r.adjacent(r.fill(t.text))
	case tShell:
		return r.shellText(r.fill(t.text), r.i-1)
	case tWords:
		v := value{form: list}
		for w := range strings.FieldsSeq(t.text) {
			if len(v.items) < 256 {
				v.items = append(v.items, known(w))
			}
		}
		return v
	case tGlob:
		if strings.ContainsAny(t.text, "*?./~[{") {
			v := r.fill(t.text)
			v.glob = true
			return v
		}
		if v, ok := r.vars["@ARGV"]; ok && r.lang == perl {
			return r.readsArgs(v)
		}
		return r.stdin()
	case tCode:
		r.nested(t.text, r.lang)
		return value{}
	case tNumber:
		return number(t.text)
	case tHole:
		r.unresolved("part of the code is not known", r.snippet(max(r.i-3, 0)))
		return value{}
	case tIdent:
		return r.identifier(t)
	case tOp:
		return r.open(t)
	}
	return value{}
}

// adjacent joins strings that stand next to each other.
func (r *reader) adjacent(v value) value {
	if r.lang != python && r.lang != ruby {
		return v
	}
	for t := r.peek(); (t.kind == tString || t.kind == tInterp) && (!t.nl || r.group > 0); t = r.peek() {
		if r.lang == ruby && r.src[t.start] == ':' {
			break
		}
		r.i++
		if t.kind == tString {
			v = join(v, known(t.text))
		} else {
			v = join(v, r.fill(t.text))
		}
	}
	return v
}

func number(s string) value {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return value{form: text, text: strconv.FormatInt(n, 10), num: true}
	}
	return value{form: text, text: s, num: true}
}

// open reads what a bracket or a sign begins.
func (r *reader) open(t *token) value {
	switch t.text {
	case "(":
		if names, end := r.arrow(); end > 0 {
			r.pattern(r.elem)
			r.i = end
			r.bindParams(names, r.elem)
			return r.body()
		}
		items := r.items(")", false)
		tuple := r.lang == python && r.i > 1 && r.toks[r.i-2].is(",") // (x,)
		if len(items) == 1 && items[0].key == "" && !tuple {
			return items[0]
		}
		return value{form: list, items: items, taint: taintOf(items)}
	case "[":
		items := r.items("]", false)
		return value{form: list, items: items, taint: taintOf(items)}
	case "{":
		items := r.items("}", false)
		return value{form: list, items: items, taint: taintOf(items)}
	case "-":
		if n := r.peek(); n.kind == tNumber {
			r.i++
			return value{form: text, text: "-" + number(n.text).text, num: true}
		}
		return r.minus()
	case "->":
		if r.lang == ruby {
			return r.lambdaRuby()
		}
	case "+", "!", "~", "\\", "&", "*", "@", "%", "$", "...", "**", "^":
		if r.peek().kind == tEnd || r.depth >= maxDepth {
			return value{}
		}
		if r.lang == perl && t.text == "*" && r.peek().kind == tIdent && r.ahead(1).is("=") { // *x = \&system
			as := r.peek().text
			r.i += 2
			v := r.expr()
			r.bind(as, v)
			return v
		}
		if r.lang == php && t.text == "$" && r.peek().is("{") {
			return r.variableVariable()
		}
		r.depth++
		v := r.postfix()
		r.depth--
		return v
	case ")", "]", "}", ",", ";":
		r.i-- // not ours
	}
	return value{}
}

// variableVariable reads ${"name"} of php, and a value that is given to it.
func (r *reader) variableVariable() value {
	r.i++
	in := r.items("}", false)
	if len(in) != 1 || !in[0].isKnown() {
		return value{taint: dynamic}
	}
	n := "$" + in[0].text
	if !r.accept("=") {
		return r.ident(n)
	}
	v := r.expr()
	r.bind(n, v)
	return v
}

// minus reads what stands behind a sign; perl asks about files with -e $f.
func (r *reader) minus() value {
	if r.peek().kind == tEnd || r.depth >= maxDepth {
		return value{}
	}
	if t := r.peek(); r.lang == perl && t.kind == tIdent && len(t.text) == 1 {
		r.i++
		return value{}
	}
	r.depth++
	r.postfix()
	r.depth--
	return value{}
}

func taintOf(items []value) (t taint) {
	for i := range items {
		t |= items[i].taint
	}
	return t
}

// identifier reads what a name begins.
func (r *reader) identifier(t *token) value {
	switch t.text {
	case "new", "await", "typeof", "async", "yield", "return", "my", "our", "local", "const", "let", "var", "void", "not", "raise",
		"throw", "lazy", "try", "val":
		if n := r.peek(); n.is("(") && t.text != "my" && t.text != "our" && (t.text != "new" || r.lang != javascript) && t.text != "await" && t.text != "not" && t.text != "return" || n.is("=") || n.is(".") ||
			n.kind == tEnd || n.nl && r.group == 0 {
			break
		}
		if r.peek().is("(") && (t.text == "my" || t.text == "our") && r.targets() || r.depth >= maxDepth {
			return value{}
		}
		r.depth++
		v := r.postfix()
		r.depth--
		if t.text == "typeof" {
			r.looked(r.i - 1)
			return value{}
		}
		return v
	case "lambda":
		if r.lang == python {
			return r.lambda()
		}
	case "function", "fn", "sub", "func":
		if n := r.peek(); n.is("(") || n.kind == tIdent || n.is("{") {
			r.i--
			r.define()
			if r.accept("{") {
				r.items("}", false)
			}
			return value{}
		}
	case "do":
		if r.lang == perl && r.accept("{") { // the value of a block
			if in := r.items("}", false); len(in) > 0 {
				return in[len(in)-1]
			}
			return value{}
		}
	}
	if r.lang == javascript && r.peek().is("=>") {
		r.i++
		r.bind(t.text, r.elem)
		return r.body()
	}
	return r.ident(t.text)
}

// ident is what a name stands for.
func (r *reader) ident(n string) value {
	if v, ok := r.vars[n]; ok {
		return v
	}
	switch n {
	case "__dirname", "__DIR__":
		return known(".")
	case "self", "$this":
		return value{}
	case "@ARGV", "$argv", "ARGV", "ARGS":
		if r.lang == perl && n == "@ARGV" || r.lang == ruby || r.lang == julia {
			return value{form: name, text: n}
		}
	case "__import__":
		return value{form: name, text: "__import__"}
	}
	return value{form: name, text: n}
}
