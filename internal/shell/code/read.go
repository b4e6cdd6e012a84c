package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A reader goes through code from front to back, once, and keeps what names
// stand for. It follows no branches: whatever is written may run.
type reader struct {
	job     *job
	out     *result
	lang    lang
	src     string
	toks    []token
	i       int
	depth   int // nesting of expressions
	level   int // nesting of code within code, such as eval
	group   int // nesting of brackets in which a newline does not end a statement
	quiet   int // above 0 while looking ahead: calls add no effects
	vars    map[string]value
	defined map[string]bool // functions and classes that the code defines
	stars   []string        // modules imported with *
	dir     value           // the working directory after chdir
	elem    value           // the argument of the next callback
	lhs     string          // the last expression if it was a plain name, or ""
}

// Limits of the work on one piece of code.
const (
	maxDepth  = 80
	maxLevel  = 6
	maxVars   = 512
	stepsBase = 20000
	stepsEach = 6 // steps for each byte of code
)

// run reads all of a piece of code and returns its last value.
func (r *reader) run(src string, l lang) value {
	src = strings.TrimPrefix(src, "\ufeff")
	src0, toks0, i0, lang0, depth0, group0 := r.src, r.toks, r.i, r.lang, r.depth, r.group
	r.src, r.toks, r.i, r.lang, r.depth, r.group = src, lex(src, l), 0, l, 0, 0
	r.level++
	last := value{}
	for r.peek().kind != tEnd {
		at := r.i
		if v, ok := r.statement(); ok {
			last = v
		}
		if r.i == at {
			r.i++
		}
	}
	if r.level--; r.level == 0 {
		r.letGo()
	}
	r.src, r.toks, r.i, r.lang, r.depth, r.group = src0, toks0, i0, lang0, depth0, group0
	return last
}

// nested reads code that is part of other code.
func (r *reader) nested(src string, l lang) value {
	if r.level >= maxLevel {
		r.unresolved("contains code nested too deeply", src)
		return value{}
	}
	if strings.Contains(src, holeText) && strings.Trim(src, holeText+" \n;") == "" {
		r.unresolved("runs code built at run time", src)
		return value{}
	}
	return r.run(src, l)
}

func (r *reader) peek() *token { return &r.toks[r.i] }

func (r *reader) ahead(n int) *token {
	if r.i+n < len(r.toks) {
		return &r.toks[r.i+n]
	}
	return &r.toks[len(r.toks)-1]
}

// opens and closes report whether the token is a bracket.
func (t *token) opens() bool  { return t.is("(") || t.is("[") || t.is("{") }
func (t *token) closes() bool { return t.is(")") || t.is("]") || t.is("}") }

func (t *token) is(op string) bool  { return t.kind == tOp && t.text == op }
func (t *token) word(w string) bool { return t.kind == tIdent && t.text == w }
func (r *reader) accept(op string) bool {
	if r.peek().is(op) {
		r.i++
		return true
	}
	return false
}

// spend takes a step from the budget. When it is used up, the rest of the code
// counts as not known.
func (r *reader) spend() bool {
	if r.out.steps <= 0 {
		if !r.out.spent {
			r.out.spent = true
			r.out.add(shell.Exceeds("", "contains code too long to be checked"))
		}
		return false
	}
	r.out.steps--
	return true
}

// snippet is the code from a token on, for people.
func (r *reader) snippet(from int) string {
	if from >= len(r.toks) {
		return ""
	}
	start, end := int(r.toks[from].start), int(r.toks[max(r.i-1, from)].end)
	if end < start || end > len(r.src) {
		return ""
	}
	return facts.Short(r.src[start:end])
}

// bind gives a name a value.
func (r *reader) bind(to string, v value) {
	if to == "" || to == "_" {
		return
	}
	if r.vars == nil {
		r.vars = make(map[string]value, 8)
	}
	if _, ok := r.vars[to]; !ok && len(r.vars) >= maxVars {
		r.out.add(shell.Exceeds("", "contains code with more names than checkrein can follow"))
		return
	}
	v.key = ""
	r.vars[to] = v
}

// statement reads one statement, or one expression when it is none that matters.
func (r *reader) statement() (value, bool) {
	if !r.spend() {
		r.i = len(r.toks) - 1
		return value{}, false
	}
	t := r.peek()
	if t.kind == tOp && (t.text == ";" || t.text == ",") {
		r.i++
		return value{}, false
	}
	if t.kind == tIdent && r.keyword(t) {
		return value{}, false
	}
	if r.targets() {
		return value{}, false
	}
	v := r.expr()
	if r.peek().word("as") && r.ahead(1).kind == tIdent {
		r.bind(r.ahead(1).text, v)
		r.i += 2
	}
	return v, true
}

// keyword handles the words that begin a statement. It reports whether it has
// taken them.
func (r *reader) keyword(t *token) bool {
	switch t.text {
	case "import":
		return r.importing()
	case "from":
		return r.lang == python && r.fromImport()
	case "for":
		return r.loop()
	case "def", "function":
		return r.define()
	case "while":
		r.out.endless = true
		return r.skip()
	case "if", "elif", "else", "return", "do", "try", "except", "finally", "catch", "with", "async", "await", "const", "let", "var",
		"new", "class", "pass", "global", "nonlocal", "export", "default", "static", "del", "yield", "throw", "raise", "case", "switch",
		"not", "and", "or", "assert", "print":
		if next := r.ahead(1); next.is("(") || next.is("=") || next.is(".") {
			return false // a call of that name, or a variable
		}
		return r.skip()
	}
	return false
}

func (r *reader) skip() bool {
	r.i++
	return true
}

// targets takes the left side of an assignment to several names.
func (r *reader) targets() bool {
	open := r.peek()
	closing := ""
	n := 0
	switch {
	case open.is("{"):
		closing, n = "}", 1
	case open.is("["):
		closing, n = "]", 1
	case open.is("("):
		closing, n = ")", 1
	case open.kind == tIdent && r.ahead(1).is(",") && r.group == 0 && r.lang != javascript:
	default:
		return false
	}
	var names [8]string
	var keys [8]string
	count := 0
	for ; n < 40; n++ {
		t := r.ahead(n)
		switch {
		case t.kind == tIdent && count < len(names):
			names[count], keys[count] = t.text, t.text
			if c := r.ahead(n + 1); c.is(":") && r.ahead(n+2).kind == tIdent {
				names[count] = r.ahead(n + 2).text
				n += 2
			}
			count++
		case t.is(","):
		case closing != "" && t.is(closing) && r.ahead(n+1).is("="):
			r.i += n + 2
			r.spread(names[:count], keys[:count], closing)
			return true
		case closing == "" && (t.is("=") || t.is(":=")):
			r.i += n + 1
			r.spread(names[:count], keys[:count], closing)
			return true
		default:
			return false
		}
	}
	return false
}

// spread reads the right side of an assignment to several names.
func (r *reader) spread(names, keys []string, closing string) {
	v := r.expr()
	if r.peek().is(",") && r.group == 0 {
		l := value{form: list, items: []value{v}}
		for r.accept(",") {
			l.items = append(l.items, r.expr())
		}
		v = l
	}
	r.unpack(names, keys, v, closing == "}")
}

// unpack gives each name its part of v.
func (r *reader) unpack(names, keys []string, v value, byKey bool) {
	for i, n := range names {
		switch {
		case byKey:
			r.bind(n, r.attr(v, keys[i]))
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
