package code

import (
	"strconv"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A chain is an operand with the calls, attributes and indexes that follow it.
type chain struct {
	v    value
	from int    // the index of its first token
	lhs  string // the name that an assignment to it would bind, or ""
}

// setResult sets the value of c to v, the result of a call. Nothing can be assigned to it, so it
// clears c.lhs.
func (c *chain) setResult(v value) { c.v, c.lhs = v, "" }

// readPostfix reads an operand with the calls, attributes and indexes that follow it, and returns the
// result.
func (r *reader) readPostfix() value {
	c := chain{from: r.i}
	c.v = r.readPrimary()
	if r.i == c.from+1 && r.toks[c.from].kind == tIdent {
		c.lhs = r.toks[c.from].text
	}
	for r.spendStep() && r.readSuffix(&c) {
	}
	return c.v
}

// readSuffix reads a call, attribute or index and applies it to c. It reports false if there is none.
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
	case c.v.form == name && !breaks && r.isTaggedTemplate(t):
		c.setResult(r.callTemplate(c.v, c.from))
	default:
		if c.v.form == name {
			r.recordMention(&c.v, c.from)
		}
		r.lhs = c.lhs
		return false
	}
	return true
}

// readMember reads a dot and the attribute after it. It reports whether another suffix may follow.
func (r *reader) readMember(c *chain) bool {
	r.i++
	f := r.peek()
	if f.kind != tIdent {
		return f.isOpening() // a call or index, as in f?.(x)
	}
	r.i++
	c.v = r.attribute(c.v, f.text)
	if c.lhs != "" {
		c.lhs = c.v.text
	}
	return true
}

// isTaggedTemplate reports whether t is a JavaScript template that directly follows its tag, as in
// tag`text`.
func (r *reader) isTaggedTemplate(t *token) bool {
	return (t.kind == tString || t.kind == tInterp) && r.lang == javascript && t.start == r.toks[r.i-1].end
}

// readPrimary reads an operand without suffixes and returns its value.
func (r *reader) readPrimary() value {
	t := r.peek()
	if t.kind == tEnd {
		return value{}
	}
	r.i++
	switch t.kind {
	case tString:
		return r.concatAdjacent(textValue(t.text))
	case tInterp:
		return r.concatAdjacent(r.interpolate(t.text))
	case tNumber:
		return numberValue(t.text)
	case tPlaceholder:
		r.addUnresolvedEffect("contains code that checkrein can only partly read", r.snippet(max(r.i-3, 0)))
		return value{}
	case tIdent:
		return r.readIdentifier(t)
	case tOp:
		return r.readPrefix(t)
	}
	return value{}
}

// concatAdjacent returns v with the string literals that directly follow it appended, as Python does.
// In other languages, it returns v.
func (r *reader) concatAdjacent(v value) value {
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

// numberValue returns the value of the number literal s, in decimal if it is an integer.
func numberValue(s string) value {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return value{form: text, text: strconv.FormatInt(n, 10), num: true}
	}
	return value{form: text, text: s, num: true}
}

// readPrefix reads the operand that begins with the bracket or unary operator t, which has already
// been read.
func (r *reader) readPrefix(t *token) value {
	switch t.text {
	case "(":
		return r.readParens()
	case "[":
		return listOf(r.readBracketItems("]", false))
	case "{":
		return listOf(r.readBracketItems("}", false))
	case "-":
		if n := r.peek(); n.kind == tNumber {
			r.i++
			return value{form: text, text: "-" + numberValue(n.text).text, num: true}
		}
		r.readOperand()
	case "+", "!", "~", "*", "@", "...", "**":
		return r.readOperand()
	case ")", "]", "}", ",", ";":
		r.i-- // the caller reads it
	}
	return value{}
}

// readParens reads a parenthesized expression, a tuple, or an arrow function, after its opening
// parenthesis.
func (r *reader) readParens() value {
	if names, end := r.arrowParams(); end > 0 {
		if r.peek().isOp("{") && r.elem.form == name && r.isHarmfulModule(r.elem.text) { // the callback picks functions, as in ({execSync: e}) => …
			r.addUnresolvedEffect("calls a function chosen at run time", r.elem.text)
		}
		r.i = end
		r.bindCallbackParams(names, r.elem)
		return r.readFunctionBody()
	}
	items := r.readBracketItems(")", false)
	tuple := r.lang == python && r.i > 1 && r.toks[r.i-2].isOp(",") // a tuple of one item, as in (x,)
	if len(items) == 1 && items[0].key == "" && !tuple {
		return items[0]
	}
	return listOf(items)
}

// readOperand reads the operand of a unary operator or keyword, and returns its value.
func (r *reader) readOperand() value {
	if r.depth >= maxDepth || r.peek().kind == tEnd {
		return value{}
	}
	r.depth++
	v := r.readPostfix()
	r.depth--
	return v
}

// listOf returns a list of items with their combined taint.
func listOf(items []value) value { return value{form: list, items: items, taint: taintOf(items)} }

// taintOf returns the combined taint of items, without that of nested items.
func taintOf(items []value) (t taint) {
	for i := range items {
		t |= items[i].taint
	}
	return t
}

// readIdentifier reads the operand that begins with the identifier or keyword t, which has already
// been read.
func (r *reader) readIdentifier(t *token) value {
	switch t.text {
	case "new", "await", "typeof", "async", "yield", "return", "const", "let", "var", "void", "not", "raise", "throw":
		if r.isPrefixKeyword(t.text) {
			return r.readKeywordOperand(t.text)
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
				r.readBracketItems("}", false)
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

// isPrefixKeyword reports whether word, which has just been read, is a keyword before an operand and
// not an identifier.
func (r *reader) isPrefixKeyword(word string) bool {
	n := r.peek()
	if n.isOp("=") || n.isOp(".") || n.kind == tEnd || n.nl && r.group == 0 {
		return false
	}
	return !n.isOp("(") || facts.InList("await not return", word) || word == "new" && r.lang == javascript
}

// readKeywordOperand reads the operand after the keyword word and returns its value, which is unknown
// for typeof.
func (r *reader) readKeywordOperand(word string) value {
	v := r.readOperand()
	if word == "typeof" {
		r.dropMentions(r.i - 1)
		return value{}
	}
	return v
}

// identValue returns the value of the variable n, or n as a name if it is not bound.
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
