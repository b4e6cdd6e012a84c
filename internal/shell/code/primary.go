package code

import (
	"strconv"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A chain is an operand with the calls, attributes and indexes after it.
type chain struct {
	v    value
	from int    // the index of its first token
	lhs  string // the name that an assignment to it would bind, or ""
}

// setResult replaces the value by the result of a call.
func (c *chain) setResult(v value) { c.v, c.lhs = v, "" }

// postfix reads an operand with the calls, attributes and indexes after it.
func (r *reader) postfix() value {
	c := chain{from: r.i}
	c.v = r.primary()
	if r.i == c.from+1 && r.toks[c.from].kind == tIdent {
		c.lhs = r.toks[c.from].text
	}
	for r.spendStep() && r.readSuffix(&c) {
	}
	return c.v
}

// readSuffix reads a call, attribute or index, and reports whether there was one.
func (r *reader) readSuffix(c *chain) bool {
	t := r.peek()
	breaks := t.nl && r.group == 0
	switch {
	case t.isOp(".") || t.isOp("?."):
		return r.readMember(c)
	case t.isOp("(") && !(breaks && r.lang == python):
		r.i++
		c.setResult(r.callParens(c.v, c.from))
	case t.isOp("[") && !breaks:
		r.i++
		c.v, c.lhs = r.readIndex(c.v), ""
	case c.v.form == name && !breaks && r.isTemplateTag(t):
		c.setResult(r.callTemplate(c.v, c.from))
	default:
		if c.v.form == name {
			r.noteMention(&c.v, c.from)
		}
		r.lhs = c.lhs
		return false
	}
	return true
}

// readMember reads the attribute after a dot. It reports whether more suffixes may follow.
func (r *reader) readMember(c *chain) bool {
	r.i++
	f := r.peek()
	if f.kind != tIdent {
		return f.isOpening() // ?.(
	}
	r.i++
	c.v = r.attribute(c.v, f.text)
	if c.lhs != "" {
		c.lhs = c.v.text
	}
	return true
}

// isTemplateTag reports whether t is a template that follows its tag: tag`text` in JavaScript.
func (r *reader) isTemplateTag(t *token) bool {
	return (t.kind == tString || t.kind == tInterp) && r.lang == javascript && t.start == r.toks[r.i-1].end
}

// primary reads an operand without suffixes.
func (r *reader) primary() value {
	t := r.peek()
	if t.kind == tEnd {
		return value{}
	}
	r.i++
	switch t.kind {
	case tString:
		return r.joinAdjacent(textValue(t.text))
	case tInterp:
		return r.joinAdjacent(r.interpolate(t.text))
	case tNumber:
		return numberValue(t.text)
	case tPlaceholder:
		r.addUnresolved("contains code that checkrein can only partly read", r.snippet(max(r.i-3, 0)))
		return value{}
	case tIdent:
		return r.readIdentifier(t)
	case tOp:
		return r.readOpening(t)
	}
	return value{}
}

// joinAdjacent appends the string literals that follow v directly, as Python does.
func (r *reader) joinAdjacent(v value) value {
	if r.lang != python {
		return v
	}
	for t := r.peek(); (t.kind == tString || t.kind == tInterp) && (!t.nl || r.group > 0); t = r.peek() {
		r.i++
		if t.kind == tString {
			v = concat(v, textValue(t.text))
		} else {
			v = concat(v, r.interpolate(t.text))
		}
	}
	return v
}

// numberValue returns the value of a number literal, in decimal if possible.
func numberValue(s string) value {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return value{form: text, text: strconv.FormatInt(n, 10), num: true}
	}
	return value{form: text, text: s, num: true}
}

// readOpening reads the operand that begins with the bracket or unary operator t.
func (r *reader) readOpening(t *token) value {
	switch t.text {
	case "(":
		return r.readParens()
	case "[":
		return listOf(r.bracketItems("]", false))
	case "{":
		return listOf(r.bracketItems("}", false))
	case "-":
		if n := r.peek(); n.kind == tNumber {
			r.i++
			return value{form: text, text: "-" + numberValue(n.text).text, num: true}
		}
		r.operand()
	case "+", "!", "~", "*", "@", "...", "**":
		return r.operand()
	case ")", "]", "}", ",", ";":
		r.i-- // belongs to the caller
	}
	return value{}
}

// readParens reads a group, a tuple, or an arrow function that begins with its parameters.
func (r *reader) readParens() value {
	if names, end := r.arrowParams(); end > 0 {
		if r.peek().isOp("{") && r.elem.form == name && r.moduleHasEffects(r.elem.text) { // ({execSync: e}) => …
			r.addUnresolved("calls a function chosen at run time", r.elem.text)
		}
		r.i = end
		r.bindParams(names, r.elem)
		return r.readFunctionBody()
	}
	items := r.bracketItems(")", false)
	tuple := r.lang == python && r.i > 1 && r.toks[r.i-2].isOp(",") // (x,)
	if len(items) == 1 && items[0].key == "" && !tuple {
		return items[0]
	}
	return listOf(items)
}

// operand reads the operand of a unary operator.
func (r *reader) operand() value {
	if r.depth >= maxDepth || r.peek().kind == tEnd {
		return value{}
	}
	r.depth++
	v := r.postfix()
	r.depth--
	return v
}

// listOf returns a list with the items and their taint.
func listOf(items []value) value { return value{form: list, items: items, taint: taintOf(items)} }

// taintOf returns the taint of the items, without those of nested lists.
func taintOf(items []value) (t taint) {
	for i := range items {
		t |= items[i].taint
	}
	return t
}

// readIdentifier reads the operand that begins with the name or keyword t.
func (r *reader) readIdentifier(t *token) value {
	switch t.text {
	case "new", "await", "typeof", "async", "yield", "return", "const", "let", "var", "void", "not", "raise", "throw":
		if r.isPrefixKeyword(t.text) {
			return r.readPrefixed(t.text)
		}
	case "lambda":
		if r.lang == python {
			return r.readLambda()
		}
	case "function":
		if n := r.peek(); n.isOp("(") || n.kind == tIdent || n.isOp("{") {
			r.i--
			r.readFunctionHead()
			if r.accept("{") {
				r.bracketItems("}", false)
			}
			return value{}
		}
	}
	if r.lang == javascript && r.peek().isOp("=>") {
		r.i++
		r.bind(t.text, r.elem)
		return r.readFunctionBody()
	}
	return r.identValue(t.text)
}

// isPrefixKeyword reports whether word is used as a keyword before an operand, and not as a name.
func (r *reader) isPrefixKeyword(word string) bool {
	n := r.peek()
	if n.isOp("=") || n.isOp(".") || n.kind == tEnd || n.nl && r.group == 0 {
		return false
	}
	return !n.isOp("(") || facts.InList("await not return", word) || word == "new" && r.lang == javascript
}

// readPrefixed reads the operand after a keyword.
func (r *reader) readPrefixed(word string) value {
	v := r.operand()
	if word == "typeof" {
		r.dropMentions(r.i - 1)
		return value{}
	}
	return v
}

// identValue returns the value of the name n.
func (r *reader) identValue(n string) value {
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
