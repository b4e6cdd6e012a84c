package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A chain is an operand with the calls, parts and indexes behind it.
type chain struct {
	v      value
	from   int    // where it begins
	lhs    string // the name that an assignment gives a value; "" = none
	called bool
}

// calls takes the result of a call.
func (c *chain) calls(v value) { c.v, c.lhs, c.called = v, "", true }

// postfix reads an operand with the calls, parts and indexes behind it.
func (r *reader) postfix() value {
	c := chain{from: r.i}
	c.v = r.primary()
	if r.i == c.from+1 && r.toks[c.from].kind == tIdent {
		c.lhs = r.toks[c.from].text
	}
	for r.spend() && r.link(&c) {
	}
	return c.v
}

// link reads what follows an operand, and reports whether more may follow.
func (r *reader) link(c *chain) bool {
	t := r.peek()
	breaks := t.nl && r.group == 0
	bare := c.v.form == name && !breaks // it can take arguments without brackets
	switch {
	case r.dot(t):
		return r.member(c)
	case t.is("(") && !(breaks && r.ends()):
		r.i++
		c.calls(r.callParens(c.v, c.from))
	case t.is("[") && r.indexed(t, breaks):
		r.i++
		c.v, c.lhs = r.index(c.v, "]"), ""
	case t.is("{") && r.lang == perl && r.perlKey():
		r.i++
		c.v, c.lhs = r.index(c.v, "}"), ""
	case bare && r.tagged(t):
		c.calls(r.callString(c.v, c.from))
	case r.block(t, c.v):
		c.lhs = ""
	case bare && !c.called && r.bare(c.v, t):
		c.calls(r.callBare(c.v, c.from))
	default:
		r.settle(c)
		return false
	}
	return true
}

// member reads the part of a thing behind a dot.
func (r *reader) member(c *chain) bool {
	if r.lang == ruby && c.v.form == name && !c.called {
		c.v = r.makes(c.v, c.from)
	}
	r.i++
	f := r.peek()
	switch {
	case f.kind == tIdent || f.kind == tString && r.lang == ruby:
		r.i++
		if r.lang == php && strings.HasPrefix(f.text, "$") { // $a->$b
			c.v = r.lookup(c.v, r.ident(f.text))
		} else {
			c.v = r.attr(c.v, f.text)
		}
		if c.lhs != "" {
			c.lhs = c.v.text
		}
		c.called = false
	default:
		return f.opens() // ?.( and ->[
	}
	return true
}

// indexed reports whether the bracket at the reader holds an index, not a new list.
func (r *reader) indexed(t *token, breaks bool) bool {
	switch r.lang {
	case awk:
		return false
	case perl, php:
		return true
	case ruby:
		return !breaks && !r.spaced(t)
	}
	return !breaks
}

// tagged reports whether the text at the reader is the only argument of the name
// before it: tag`text` of javascript.
func (r *reader) tagged(t *token) bool {
	return (t.kind == tString || t.kind == tInterp) && r.lang == javascript && t.start == r.toks[r.i-1].end
}

// settle ends a chain: a name may run although nothing is passed to it.
func (r *reader) settle(c *chain) {
	if c.v.form == name && !c.called && !r.toks[c.from].is("&") { // &method passes it on
		c.v = r.mention(c.v, c.from)
	}
	if c.v.form == name {
		r.holds(&c.v, c.from)
	}
	r.lhs = c.lhs
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
		if v, ok := r.handleRead(t.text); ok {
			return v
		}
		return r.stdin()
	case tCode:
		r.nested(t.text, r.lang)
		return value{}
	case tNumber:
		return number(t.text)
	case tHole:
		r.unresolved("contains code that checkrein can only partly read", r.snippet(max(r.i-3, 0)))
		return value{}
	case tIdent:
		return r.identifier(t)
	case tOp:
		return r.open(t)
	}
	return value{}
}

// handleRead is perl's <F> and <$f>: a line of what a handle was opened on.
func (r *reader) handleRead(handle string) (value, bool) {
	if r.lang != perl || handle == "" || handle == "STDIN" {
		return value{}, false
	}
	if v, ok := r.vars[handle]; ok && (v.class == "sock" || v.class == "file" || isCommand(v.class)) {
		return value{taint: v.taint, class: v.class}, true
	}
	return value{taint: fromFile | r.out.seen&fromSecret}, true
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
		return r.parens()
	case "[":
		return listOf(r.items("]", false))
	case "{":
		return listOf(r.items("}", false))
	case "-":
		if n := r.peek(); n.kind == tNumber {
			r.i++
			return value{form: text, text: "-" + number(n.text).text, num: true}
		}
		return r.minus()
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
		return r.operand()
	case ")", "]", "}", ",", ";":
		r.i-- // not ours
	}
	return value{}
}

// parens reads a group, a tuple or the parameters of an arrow function.
func (r *reader) parens() value {
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
	return listOf(items)
}

// operand reads an operand of an operand.
func (r *reader) operand() value {
	if r.depth >= maxDepth {
		return value{}
	}
	r.depth++
	v := r.postfix()
	r.depth--
	return v
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
	switch t := r.peek(); {
	case t.kind == tEnd:
	case r.lang == perl && t.kind == tIdent && len(t.text) == 1 && r.depth < maxDepth:
		r.i++
	default:
		r.operand()
	}
	return value{}
}

// listOf is a list that comes from where its items do.
func listOf(items []value) value { return value{form: list, items: items, taint: taintOf(items)} }

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
		if r.leads(t.text) {
			return r.led(t.text)
		}
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

// leads reports whether a word leads to an operand; else it is a name itself.
func (r *reader) leads(word string) bool {
	n := r.peek()
	if n.is("=") || n.is(".") || n.kind == tEnd || n.nl && r.group == 0 {
		return false
	}
	return !n.is("(") || facts.InList("my our await not return", word) || word == "new" && r.lang == javascript
}

// led reads the operand behind a word that leads to one.
func (r *reader) led(word string) value {
	if (word == "my" || word == "our") && r.peek().is("(") && r.targets() || r.depth >= maxDepth {
		return value{}
	}
	v := r.operand()
	if word == "typeof" {
		r.looked(r.i - 1)
		return value{}
	}
	return v
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
		if r.lang == perl && n == "@ARGV" || r.lang == ruby {
			return value{form: name, text: n}
		}
	case "__import__":
		return value{form: name, text: "__import__"}
	}
	return value{form: name, text: n}
}
