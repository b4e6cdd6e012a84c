package code

import (
	"strconv"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A chain is an operand with the calls, parts and indexes behind it.
type chain struct {
	v    value
	from int    // the index of its first token
	lhs  string // the name that an assignment to it would bind, or ""
}

// calls takes the result of a call.
func (c *chain) calls(v value) { c.v, c.lhs = v, "" }

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
	switch {
	case t.is(".") || t.is("?."):
		return r.member(c)
	case t.is("(") && !(breaks && r.lang == python):
		r.i++
		c.calls(r.callParens(c.v, c.from))
	case t.is("[") && !breaks:
		r.i++
		c.v, c.lhs = r.index(c.v), ""
	case c.v.form == name && !breaks && r.tagged(t):
		c.calls(r.callString(c.v, c.from))
	default:
		if c.v.form == name {
			r.holds(&c.v, c.from)
		}
		r.lhs = c.lhs
		return false
	}
	return true
}

// member reads the part of a thing behind a dot.
func (r *reader) member(c *chain) bool {
	r.i++
	f := r.peek()
	if f.kind != tIdent {
		return f.opens() // ?.(
	}
	r.i++
	c.v = r.attr(c.v, f.text)
	if c.lhs != "" {
		c.lhs = c.v.text
	}
	return true
}

// tagged reports whether the text at the reader is the only argument of the name
// before it: tag`text` of javascript.
func (r *reader) tagged(t *token) bool {
	return (t.kind == tString || t.kind == tInterp) && r.lang == javascript && t.start == r.toks[r.i-1].end
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
		return r.adjacent(textValue(t.text))
	case tInterp:
		return r.adjacent(r.fill(t.text))
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

// adjacent joins strings that stand next to each other.
func (r *reader) adjacent(v value) value {
	if r.lang != python {
		return v
	}
	for t := r.peek(); (t.kind == tString || t.kind == tInterp) && (!t.nl || r.group > 0); t = r.peek() {
		r.i++
		if t.kind == tString {
			v = join(v, textValue(t.text))
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
		return listOf(r.bracketItems("]", false))
	case "{":
		return listOf(r.bracketItems("}", false))
	case "-":
		if n := r.peek(); n.kind == tNumber {
			r.i++
			return value{form: text, text: "-" + number(n.text).text, num: true}
		}
		r.operand()
	case "+", "!", "~", "*", "@", "...", "**":
		return r.operand()
	case ")", "]", "}", ",", ";":
		r.i-- // belongs to the caller
	}
	return value{}
}

// parens reads a group, a tuple or the parameters of an arrow function.
func (r *reader) parens() value {
	if names, end := r.arrow(); end > 0 {
		if r.peek().is("{") && r.elem.form == name && r.actingModule(r.elem.text) { // ({execSync: e}) => …
			r.unresolved("calls a function chosen at run time", r.elem.text)
		}
		r.i = end
		r.bindParams(names, r.elem)
		return r.body()
	}
	items := r.bracketItems(")", false)
	tuple := r.lang == python && r.i > 1 && r.toks[r.i-2].is(",") // (x,)
	if len(items) == 1 && items[0].key == "" && !tuple {
		return items[0]
	}
	return listOf(items)
}

// operand reads an operand of an operand.
func (r *reader) operand() value {
	if r.depth >= maxDepth || r.peek().kind == tEnd {
		return value{}
	}
	r.depth++
	v := r.postfix()
	r.depth--
	return v
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
	case "new", "await", "typeof", "async", "yield", "return", "const", "let", "var", "void", "not", "raise", "throw":
		if r.leads(t.text) {
			return r.led(t.text)
		}
	case "lambda":
		if r.lang == python {
			return r.lambda()
		}
	case "function":
		if n := r.peek(); n.is("(") || n.kind == tIdent || n.is("{") {
			r.i--
			r.define()
			if r.accept("{") {
				r.bracketItems("}", false)
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
	return !n.is("(") || facts.InList("await not return", word) || word == "new" && r.lang == javascript
}

// led reads the operand behind a word that leads to one.
func (r *reader) led(word string) value {
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
	case "__dirname":
		return textValue(".")
	case "self":
		return value{}
	}
	return value{form: name, text: n}
}
