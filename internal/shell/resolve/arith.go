package resolve

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// arithm evaluates an arithmetic expression. It reports false when the result is unknown;
// assignments in it are then to something unknown.
func (w *expander) arithm(x syntax.ArithmExpr) (int64, bool) {
	if !w.step() {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		word := w.one(x)
		w.sum = addFrom(w.sum, word.From)
		return w.operand(word.Text, 0)
	case *syntax.ParenArithm:
		return w.arithm(x.X)
	case *syntax.UnaryArithm:
		return w.unary(x)
	case *syntax.BinaryArithm:
		return w.binary(x)
	case *syntax.FlagsArithm:
		if x.X != nil {
			w.arithm(x.X)
		}
	}
	return 0, false
}

// number evaluates an expression and returns the calls whose output is in it.
func (w *expander) number(x syntax.ArithmExpr) (n int64, from []*shell.Call, ok bool) {
	was := w.sum
	w.sum = nil
	n, ok = w.arithm(x)
	from, w.sum = w.sum, was
	return n, from, ok
}

// maxEvaluations bounds variables that name variables where a number is wanted.
const maxEvaluations = 16

// operand is the number that a word names: a number, or a variable that holds one.
func (w *expander) operand(text string, depth int) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	v := w.st.find(text)
	if v == nil || depth > maxEvaluations {
		w.evaluated(text)
		return 0, false
	}
	if w.sum = addFrom(w.sum, v.word.From); !v.word.Known() {
		return 0, false
	}
	return w.operand(v.word.Text, depth+1)
}

func (w *expander) unary(x *syntax.UnaryArithm) (int64, bool) {
	n, ok := w.arithm(x.X)
	by := int64(1)
	switch x.Op {
	case syntax.Plus:
		return n, ok
	case syntax.Minus:
		return -n, ok
	case syntax.Dec:
		by = -1
	case syntax.Inc:
	default:
		return 0, false
	}
	w.setNumber(x.X, n+by, ok)
	if !x.Post {
		n += by
	}
	return n, ok
}

// setNumber sets the variable that an expression names.
func (w *expander) setNumber(x syntax.ArithmExpr, n int64, ok bool) {
	word, is := x.(*syntax.Word)
	if !is || !syntax.ValidName(word.Lit()) {
		return
	}
	if ok {
		w.set(word.Lit(), shell.Word{Text: strconv.FormatInt(n, 10)})
	} else {
		w.set(word.Lit(), shell.Word{Text: hole, From: w.sum})
	}
}

func (w *expander) binary(x *syntax.BinaryArithm) (int64, bool) {
	var a int64
	known := true
	if x.Op != syntax.Assgn {
		a, known = w.arithm(x.X)
	}
	b, bKnown := w.arithm(x.Y)
	n, ok := calculate(x.Op, a, b)
	ok = ok && known && bKnown
	if isAssignment(x.Op) {
		w.setNumber(x.X, n, ok)
	}
	return n, ok
}

func isAssignment(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Eql, syntax.Neq, syntax.Leq, syntax.Geq:
		return false
	}
	return strings.HasSuffix(op.String(), "=")
}

// calculate applies the operators that counting needs. The result of others is unknown.
func calculate(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Assgn, syntax.Comma:
		return b, true
	case syntax.Add, syntax.AddAssgn:
		return a + b, true
	case syntax.Sub, syntax.SubAssgn:
		return a - b, true
	case syntax.Mul, syntax.MulAssgn:
		return a * b, true
	case syntax.Quo, syntax.QuoAssgn:
		return a / max(b, 1), b > 0
	case syntax.Rem, syntax.RemAssgn:
		return a % max(b, 1), b > 0
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.Geq:
		return truth(a >= b), true
	}
	return 0, false
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// evaluated walks a text that is evaluated as a number, or names a variable: a subscript in
// it may run commands. (( x )) with x='a[$(rm y)]' runs rm. A name in it may be that of any
// variable.
func (w *expander) evaluated(text string) {
	w.subscript(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && startsName(byte(r)) }) {
		for i := range w.st.vars {
			w.subscript(w.st.vars[i].word.Text)
		}
	}
}

// subscript walks what stands behind the first bracket of a text.
func (w *expander) subscript(text string) {
	if _, rest, ok := strings.Cut(text, "["); ok {
		w.expandAgain(rest)
	}
}

func startsName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// expandAgain walks the commands in a text that the shell expands once more, such as a
// prompt.
func (w *expander) expandAgain(text string) {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") || strings.Contains(text, "__git_ps1") {
		return
	}
	if w.depth >= maxDepth || !w.pay(len(text)) || len(text) > smallText && measure(text) < len(text) {
		w.tooMuch()
		return
	}
	w.steps -= 50 // reading costs more than looking
	doc, err := syntax.NewParser().Document(strings.NewReader(strings.ReplaceAll(text, `\$`, "#")))
	if err != nil {
		w.opaque(brief(text), "cannot be read, because the shell expands it twice")
		w.untold(brief(text), "cannot be read, because the shell expands it twice")
		return
	}
	w.depth++
	w.one(doc)
	w.depth--
}

func (w *expander) test(x syntax.TestExpr, depth int) {
	if depth > maxNesting || !w.step() {
		w.tooMuch()
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		w.one(x)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.evaluated(w.one(word).Text)
			return
		}
		w.test(x.X, depth+1)
	case *syntax.BinaryTest:
		if x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr {
			w.testNumber(x.X)
			w.testNumber(x.Y)
			return
		}
		w.test(x.X, depth+1)
		w.test(x.Y, depth+1)
	case *syntax.ParenTest:
		w.test(x.X, depth+1)
	}
}

// testNumber walks one side of -eq and its kin, which is arithmetic.
func (w *expander) testNumber(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.operand(w.one(word).Text, 0)
	}
}
