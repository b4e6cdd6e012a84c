package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// evalArithm evaluates an arithmetic expression. It reports false if the result is unknown; variables
// that it assigns are then unknown.
func (w *Expander) evalArithm(x syntax.ArithmExpr) (int64, bool) {
	if !w.Env.SpendStep() {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		word := w.Word(x)
		w.numberFrom = AddFrom(w.numberFrom, word.From)
		return w.evalOperand(word.Text, 0)
	case *syntax.ParenArithm:
		return w.evalArithm(x.X)
	case *syntax.UnaryArithm:
		return w.evalUnary(x)
	case *syntax.BinaryArithm:
		return w.evalBinary(x)
	case *syntax.FlagsArithm:
		if x.X != nil {
			w.evalArithm(x.X)
		}
	}
	return 0, false
}

// EvalNumber evaluates an arithmetic expression and returns the calls whose output it uses. ok is
// false if the result is unknown.
func (w *Expander) EvalNumber(x syntax.ArithmExpr) (n int64, from []*shell.Call, ok bool) {
	was := w.numberFrom
	w.numberFrom = nil
	n, ok = w.evalArithm(x)
	from, w.numberFrom = w.numberFrom, was
	return n, from, ok
}

// maxEvaluations bounds chains of variables that name variables in arithmetic.
const maxEvaluations = 16

// evalOperand returns the value of a word: a number, or a variable that holds one.
func (w *Expander) evalOperand(text string, depth int) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	v := w.Env.Variable(text)
	if v == nil || depth > maxEvaluations {
		w.WalkSubscripts(text)
		return 0, false
	}
	if w.numberFrom = AddFrom(w.numberFrom, v.Word.From); !v.Word.IsKnown() {
		return 0, false
	}
	return w.evalOperand(v.Word.Text, depth+1)
}

func (w *Expander) evalUnary(x *syntax.UnaryArithm) (int64, bool) {
	n, ok := w.evalArithm(x.X)
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
	w.assignNumber(x.X, n+by, ok)
	if !x.Post {
		n += by
	}
	return n, ok
}

// assignNumber sets the variable that an expression names; if ok is false, to a placeholder.
func (w *Expander) assignNumber(x syntax.ArithmExpr, n int64, ok bool) {
	word, is := x.(*syntax.Word)
	if !is || !syntax.ValidName(word.Lit()) {
		return
	}
	if ok {
		w.Env.Assign(word.Lit(), shell.Word{Text: strconv.FormatInt(n, 10)})
	} else {
		w.Env.Assign(word.Lit(), shell.Word{Text: placeholder, From: w.numberFrom})
	}
}

func (w *Expander) evalBinary(x *syntax.BinaryArithm) (int64, bool) {
	var a int64
	known := true
	if x.Op != syntax.Assgn {
		a, known = w.evalArithm(x.X)
	}
	b, bKnown := w.evalArithm(x.Y)
	n, ok := applyOperator(x.Op, a, b)
	ok = ok && known && bKnown
	if isAssignment(x.Op) {
		w.assignNumber(x.X, n, ok)
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

// applyOperator applies the operators that counting needs. The result of others is unknown.
func applyOperator(op syntax.BinAritOperator, a, b int64) (int64, bool) {
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
		return boolNumber(a == b), true
	case syntax.Neq:
		return boolNumber(a != b), true
	case syntax.Lss:
		return boolNumber(a < b), true
	case syntax.Gtr:
		return boolNumber(a > b), true
	case syntax.Leq:
		return boolNumber(a <= b), true
	case syntax.Geq:
		return boolNumber(a >= b), true
	}
	return 0, false
}

func boolNumber(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// WalkSubscripts walks the commands in the subscripts of a text that is evaluated as a number or names
// a variable: (( x )) with x='a[$(rm y)]' runs rm. A name in the text may be that of any variable.
func (w *Expander) WalkSubscripts(text string) {
	w.walkSubscript(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && startsName(byte(r)) }) {
		for _, v := range w.Env.Variables() {
			w.walkSubscript(v.Word.Text)
		}
	}
}

// walkSubscript walks what follows the first bracket of a text.
func (w *Expander) walkSubscript(text string) {
	if _, rest, ok := strings.Cut(text, "["); ok {
		w.Env.WalkReexpanded(rest)
	}
}

func startsName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// WalkTest walks the words of [[ … ]].
func (w *Expander) WalkTest(x syntax.TestExpr, depth int) {
	if depth > maxNesting || !w.Env.SpendStep() {
		w.Env.ReportLimit()
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		w.Word(x)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.WalkSubscripts(w.Word(word).Text)
			return
		}
		w.WalkTest(x.X, depth+1)
	case *syntax.BinaryTest:
		if x.Op >= syntax.TsEql && x.Op <= syntax.TsGtr {
			w.walkTestNumber(x.X)
			w.walkTestNumber(x.Y)
			return
		}
		w.WalkTest(x.X, depth+1)
		w.WalkTest(x.Y, depth+1)
	case *syntax.ParenTest:
		w.WalkTest(x.X, depth+1)
	}
}

// walkTestNumber walks one side of -eq and similar operators, which is arithmetic.
func (w *Expander) walkTestNumber(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.evalOperand(w.Word(word).Text, 0)
	}
}
