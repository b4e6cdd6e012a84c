package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// arithm evaluates an arithmetic expression. It reports false when the result is unknown;
// assignments in it are then to something unknown.
func (w *Expander) arithm(x syntax.ArithmExpr) (int64, bool) {
	if !w.Env.Step() {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		word := w.Word(x)
		w.sum = AddFrom(w.sum, word.From)
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

// Number evaluates an expression and returns the calls whose output is in it.
func (w *Expander) Number(x syntax.ArithmExpr) (n int64, from []*shell.Call, ok bool) {
	was := w.sum
	w.sum = nil
	n, ok = w.arithm(x)
	from, w.sum = w.sum, was
	return n, from, ok
}

// maxEvaluations bounds variables that name variables where a number is wanted.
const maxEvaluations = 16

// operand is the number that a word names: a number, or a variable that holds one.
func (w *Expander) operand(text string, depth int) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	v := w.Env.Variable(text)
	if v == nil || depth > maxEvaluations {
		w.Evaluate(text)
		return 0, false
	}
	if w.sum = AddFrom(w.sum, v.Word.From); !v.Word.IsKnown() {
		return 0, false
	}
	return w.operand(v.Word.Text, depth+1)
}

func (w *Expander) unary(x *syntax.UnaryArithm) (int64, bool) {
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
func (w *Expander) setNumber(x syntax.ArithmExpr, n int64, ok bool) {
	word, is := x.(*syntax.Word)
	if !is || !syntax.ValidName(word.Lit()) {
		return
	}
	if ok {
		w.Env.Assign(word.Lit(), shell.Word{Text: strconv.FormatInt(n, 10)})
	} else {
		w.Env.Assign(word.Lit(), shell.Word{Text: hole, From: w.sum})
	}
}

func (w *Expander) binary(x *syntax.BinaryArithm) (int64, bool) {
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

// Evaluate walks a text that is evaluated as a number, or names a variable: a subscript in
// it may run commands. (( x )) with x='a[$(rm y)]' runs rm. A name in it may be that of any
// variable.
func (w *Expander) Evaluate(text string) {
	w.subscript(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && startsName(byte(r)) }) {
		for _, v := range w.Env.Variables() {
			w.subscript(v.Word.Text)
		}
	}
}

// subscript walks what stands behind the first bracket of a text.
func (w *Expander) subscript(text string) {
	if _, rest, ok := strings.Cut(text, "["); ok {
		w.Env.ExpandAgain(rest)
	}
}

func startsName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Test walks the words of [[ … ]].
func (w *Expander) Test(x syntax.TestExpr, depth int) {
	if depth > maxNesting || !w.Env.Step() {
		w.Env.TooMuch()
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		w.Word(x)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.Evaluate(w.Word(word).Text)
			return
		}
		w.Test(x.X, depth+1)
	case *syntax.BinaryTest:
		if x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr {
			w.testNumber(x.X)
			w.testNumber(x.Y)
			return
		}
		w.Test(x.X, depth+1)
		w.Test(x.Y, depth+1)
	case *syntax.ParenTest:
		w.Test(x.X, depth+1)
	}
}

// testNumber walks one side of -eq and its kin, which is arithmetic.
func (w *Expander) testNumber(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.operand(w.Word(word).Text, 0)
	}
}
