package expand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// evalArithm evaluates the arithmetic expression x, including its assignments. It reports false if the
// result is not known; variables that x assigns are then unknown, too.
func (w *Expander) evalArithm(x syntax.ArithmExpr) (int64, bool) {
	if !w.Env.SpendStep() {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		word := w.ExpandWord(x)
		w.numberFrom = AddSources(w.numberFrom, word.From)
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

// EvalNumber evaluates the arithmetic expression x, including its assignments. From are the calls
// whose output the result depends on. Ok is false if the result is not known.
func (w *Expander) EvalNumber(x syntax.ArithmExpr) (n int64, from []*shell.Call, ok bool) {
	was := w.numberFrom
	w.numberFrom = nil
	n, ok = w.evalArithm(x)
	from, w.numberFrom = w.numberFrom, was
	return n, from, ok
}

// maxEvaluations is the maximum length of a chain of variables that name other variables in
// arithmetic.
const maxEvaluations = 16

// evalOperand returns the value of text, which is a number or the name of a variable that holds such a
// text. Depth is the number of variables followed so far. It reports false if the value is not known.
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
	if w.numberFrom = AddSources(w.numberFrom, v.Word.From); !v.Word.IsKnown() {
		return 0, false
	}
	return w.evalOperand(v.Word.Text, depth+1)
}

// evalUnary evaluates an expression with a unary operator, such as -x or x++.
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

// assignNumber assigns n to the variable that x names, or a placeholder if ok is false. It does
// nothing if x is not a variable.
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

// evalBinary evaluates an expression with a binary operator, such as x+1 or x=1.
func (w *Expander) evalBinary(x *syntax.BinaryArithm) (int64, bool) {
	var a int64
	known := true
	if x.Op != syntax.Assgn {
		a, known = w.evalArithm(x.X)
	}
	b, bKnown := w.evalArithm(x.Y)
	n, ok := applyBinaryOperator(x.Op, a, b)
	ok = ok && known && bKnown
	if isAssignment(x.Op) {
		w.assignNumber(x.X, n, ok)
	}
	return n, ok
}

// isAssignment reports whether op assigns to its left operand.
func isAssignment(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Eql, syntax.Neq, syntax.Leq, syntax.Geq:
		return false
	}
	return strings.HasSuffix(op.String(), "=")
}

// applyBinaryOperator returns the result of op for a and b. It supports the operators that counters
// need, and reports false for others and for a divisor that is not positive.
func applyBinaryOperator(op syntax.BinAritOperator, a, b int64) (int64, bool) {
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
		return boolToInt(a == b), true
	case syntax.Neq:
		return boolToInt(a != b), true
	case syntax.Lss:
		return boolToInt(a < b), true
	case syntax.Gtr:
		return boolToInt(a > b), true
	case syntax.Leq:
		return boolToInt(a <= b), true
	case syntax.Geq:
		return boolToInt(a >= b), true
	}
	return 0, false
}

// boolToInt returns 1 for true and 0 for false.
func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// WalkSubscripts walks the commands in the subscripts of text, which the shell evaluates as a number
// or as the name of a variable. For example, (( x )) with x='a[$(rm y)]' runs rm. If text contains a
// name, it also walks the subscripts in the values of all variables.
func (w *Expander) WalkSubscripts(text string) {
	w.walkSubscript(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && isNameStart(byte(r)) }) {
		for _, v := range w.Env.Variables() {
			w.walkSubscript(v.Word.Text)
		}
	}
}

// walkSubscript walks the commands after the first [ in text.
func (w *Expander) walkSubscript(text string) {
	if _, rest, ok := strings.Cut(text, "["); ok {
		w.Env.WalkReexpanded(rest)
	}
}

// isNameStart reports whether a variable name may begin with c.
func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// WalkTest walks the commands in the words of x, a [[ … ]] condition. Depth is the nesting depth of x.
func (w *Expander) WalkTest(x syntax.TestExpr, depth int) {
	if depth > maxNesting || !w.Env.SpendStep() {
		w.Env.ReportLimit()
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		w.ExpandWord(x)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.WalkSubscripts(w.ExpandWord(word).Text)
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

// walkTestNumber walks the commands in x, an operand of -eq or a similar operator, which the shell
// evaluates as arithmetic.
func (w *Expander) walkTestNumber(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.evalOperand(w.ExpandWord(word).Text, 0)
	}
}
