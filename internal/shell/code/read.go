package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A reader reads code once, from front to back, and tracks the values of variables. It does not
// evaluate conditions: any statement may run.
type reader struct {
	job     *job
	out     *result
	lang    lang
	src     string
	toks    []token
	i       int // the index of the next token
	depth   int // nesting depth of expressions
	level   int // nesting depth of code within code, such as the argument of eval
	group   int // nesting depth of brackets in which a newline does not end a statement
	quiet   int // greater than 0 while looking ahead, when calls add no effects
	vars    map[string]value
	defined map[string]bool // functions and classes that the code defines
	stars   []string        // modules imported with *
	dir     value           // the working directory that the code changed to
	elem    value           // the value that the next callback is called with
	lhs     string          // the dotted name that the last operand consists of, or ""
}

// Limits on the work for one piece of code.
const (
	maxDepth  = 80    // nesting depth of expressions
	maxLevel  = 6     // nesting depth of code within code
	maxVars   = 512   // variables
	stepsBase = 20000 // steps for any code
	stepsEach = 6     // further steps for each byte of code
)

// readProgram reads all statements of src, which may be nested in the code that r reads, and returns
// the value of the last expression.
func (r *reader) readProgram(src string, l lang) value {
	src = strings.TrimPrefix(src, "\ufeff")
	src0, toks0, i0, lang0, depth0, group0 := r.src, r.toks, r.i, r.lang, r.depth, r.group
	r.src, r.toks, r.i, r.lang, r.depth, r.group = src, tokenize(src, l), 0, l, 0, 0
	r.level++
	last := value{}
	for r.peek().kind != tEnd {
		at := r.i
		if v, ok := r.readStatement(); ok {
			last = v
		}
		if r.i == at {
			r.i++
		}
	}
	if r.level--; r.level == 0 {
		r.addUncalledMentions()
	}
	r.src, r.toks, r.i, r.lang, r.depth, r.group = src0, toks0, i0, lang0, depth0, group0
	return last
}

// readNestedCode reads code within other code, such as the argument of eval, and returns the value of
// its last expression. It adds an effect and returns an unknown value if src is nested too deeply or
// unknown.
func (r *reader) readNestedCode(src string, l lang) value {
	if r.level >= maxLevel {
		r.addUnresolvedEffect("contains code that is nested too deeply to be checked", src)
		return value{}
	}
	if strings.Contains(src, placeholder) && strings.Trim(src, placeholder+" \n;") == "" {
		r.addUnresolvedEffect("runs code built at run time", src)
		return value{}
	}
	return r.readProgram(src, l)
}

// peek returns the next token without consuming it.
func (r *reader) peek() *token { return &r.toks[r.i] }

// peekAt returns the token n positions after the next one, or the last token if there are fewer.
func (r *reader) peekAt(n int) *token {
	if r.i+n < len(r.toks) {
		return &r.toks[r.i+n]
	}
	return &r.toks[len(r.toks)-1]
}

// isOpening reports whether t is an opening bracket.
func (t *token) isOpening() bool { return t.isOp("(") || t.isOp("[") || t.isOp("{") }

// isClosing reports whether t is a closing bracket.
func (t *token) isClosing() bool { return t.isOp(")") || t.isOp("]") || t.isOp("}") }

// isOp reports whether t is the operator op.
func (t *token) isOp(op string) bool { return t.kind == tOp && t.text == op }

// isWord reports whether t is the identifier or keyword w.
func (t *token) isWord(w string) bool { return t.kind == tIdent && t.text == w }

// accept consumes the next token if it is the operator op, and reports whether it is.
func (r *reader) accept(op string) bool {
	if r.peek().isOp(op) {
		r.i++
		return true
	}
	return false
}

// spendStep takes a step from the budget. Once the budget is used up, it returns false, and adds an
// effect the first time, because the rest of the code is not read.
func (r *reader) spendStep() bool {
	if r.out.steps <= 0 {
		if !r.out.spent {
			r.out.spent = true
			r.out.addEffect(shell.LimitEffect("", "contains code too long to be checked"))
		}
		return false
	}
	r.out.steps--
	return true
}

// snippet returns the source from the token at index from up to the last token read, shortened for
// display.
func (r *reader) snippet(from int) string {
	if from >= len(r.toks) {
		return ""
	}
	start, end := int(r.toks[from].start), int(r.toks[max(r.i-1, from)].end)
	if end < start || end > len(r.src) {
		return ""
	}
	return facts.ShortFirstLine(r.src[start:end])
}

// bind sets the variable to, which may be a dotted name, to v. It ignores "" and "_".
func (r *reader) bind(to string, v value) {
	if to == "" || to == "_" {
		return
	}
	if r.vars == nil {
		r.vars = make(map[string]value, 8)
	}
	if _, ok := r.vars[to]; !ok && len(r.vars) >= maxVars {
		r.out.addEffect(shell.LimitEffect("", "contains code with more names than checkrein can follow"))
		return
	}
	v.key = ""
	r.vars[to] = v
}

// readStatement reads a statement, or the expression that follows its keyword. It reports false if the
// statement has no value.
func (r *reader) readStatement() (value, bool) {
	if !r.spendStep() {
		r.i = len(r.toks) - 1
		return value{}, false
	}
	t := r.peek()
	if t.kind == tOp && (t.text == ";" || t.text == ",") {
		r.i++
		return value{}, false
	}
	if t.kind == tIdent && r.readKeyword(t) {
		return value{}, false
	}
	if r.readMultiAssignment() {
		return value{}, false
	}
	v := r.readExpr()
	if r.peek().isWord("as") && r.peekAt(1).kind == tIdent {
		r.bind(r.peekAt(1).text, v)
		r.i += 2
	}
	return v, true
}

// readKeyword reads the keyword t at the beginning of a statement, with the head of an import, loop or
// function. It returns false if t is not used as a keyword.
func (r *reader) readKeyword(t *token) bool {
	switch t.text {
	case "import":
		return r.readImport()
	case "from":
		return r.lang == python && r.readFromImport()
	case "for":
		return r.readForLoop()
	case "def", "function":
		return r.readFunctionHead()
	case "while":
		r.out.endless = true
		return r.skipToken()
	case "if", "elif", "else", "return", "do", "try", "except", "finally", "catch", "with", "async", "await", "const", "let", "var",
		"new", "class", "pass", "global", "nonlocal", "export", "default", "static", "del", "yield", "throw", "raise", "case", "switch",
		"not", "and", "or", "assert", "print":
		if next := r.peekAt(1); next.isOp("(") || next.isOp("=") || next.isOp(".") {
			return false // here the word is the name of a function or variable
		}
		return r.skipToken()
	}
	return false
}

// skipToken skips a token and returns true.
func (r *reader) skipToken() bool {
	r.i++
	return true
}

// readMultiAssignment reads an assignment to several names, such as a, b = x or {a, b: c} = x. It
// returns false if the next tokens are not such an assignment.
func (r *reader) readMultiAssignment() bool {
	open := r.peek()
	closing := ""
	n := 0
	switch {
	case open.isOp("{"):
		closing, n = "}", 1
	case open.isOp("["):
		closing, n = "]", 1
	case open.isOp("("):
		closing, n = ")", 1
	case open.kind == tIdent && r.peekAt(1).isOp(",") && r.group == 0 && r.lang != javascript:
	default:
		return false
	}
	var names [8]string
	var keys [8]string
	count := 0
	for ; n < 40; n++ {
		t := r.peekAt(n)
		switch {
		case t.kind == tIdent && count < len(names):
			names[count], keys[count] = t.text, t.text
			if c := r.peekAt(n + 1); c.isOp(":") && r.peekAt(n+2).kind == tIdent {
				names[count] = r.peekAt(n + 2).text
				n += 2
			}
			count++
		case t.isOp(","):
		case closing != "" && t.isOp(closing) && r.peekAt(n+1).isOp("="):
			r.i += n + 2
			r.bindAssigned(names[:count], keys[:count], closing)
			return true
		case closing == "" && (t.isOp("=") || t.isOp(":=")):
			r.i += n + 1
			r.bindAssigned(names[:count], keys[:count], closing)
			return true
		default:
			return false
		}
	}
	return false
}

// bindAssigned reads the right side of an assignment to several names and binds the names.
// Closing is the bracket that ends the list of names, or "".
func (r *reader) bindAssigned(names, keys []string, closing string) {
	v := r.readExpr()
	if r.peek().isOp(",") && r.group == 0 {
		l := value{form: list, items: []value{v}}
		for r.accept(",") {
			l.items = append(l.items, r.readExpr())
		}
		v = l
	}
	r.bindUnpacked(names, keys, v, closing == "}")
}

// bindUnpacked binds each of names to its part of v: the attribute in keys if byKey is set, or else
// the item at its position.
func (r *reader) bindUnpacked(names, keys []string, v value, byKey bool) {
	for i, n := range names {
		switch {
		case byKey:
			r.bind(n, r.attribute(v, keys[i]))
		case v.form == list && i < len(v.items):
			r.bind(n, v.items[i])
		case v.form == choice && len(v.items) > 0 && v.items[0].form == list && i < len(v.items[0].items):
			r.bind(n, v.items[0].items[i])
		case v.form == text && v.glob && len(names) > 1:
			r.bind(n, v)
		default:
			r.bind(n, value{taint: v.taint, class: v.class})
		}
	}
}
