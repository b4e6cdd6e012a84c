package resolve

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// arithm works out an arithmetic expression. It reports false when the result is
// not known; assignments in it are then to something not known.
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

// number works out an expression and says whose output is in it.
func (w *expander) number(x syntax.ArithmExpr) (n int64, from []*shell.Call, ok bool) {
	was := w.sum
	w.sum = nil
	n, ok = w.arithm(x)
	from, w.sum = w.sum, was
	return n, from, ok
}

// operand is the number that a word names: a number, or a variable that holds one.
func (w *expander) operand(text string, depth int) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	if syntax.ValidName(text) {
		return w.variableNumber(text, depth)
	}
	if n, ok := parsedNumber(text); ok {
		return n, true
	}
	w.evaluated(text, 0)
	return 0, false
}

// parsedNumber is a number as shells write it: 12, 0x1f, 2#101.
func parsedNumber(text string) (int64, bool) {
	base, digits, ok := strings.Cut(text, "#")
	if !ok {
		n, err := strconv.ParseInt(text, 0, 64)
		return n, err == nil
	}
	b, err := strconv.Atoi(base)
	if err != nil || b < 2 || b > 36 {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, b, 64)
	return n, err == nil
}

func (w *expander) variableNumber(text string, depth int) (int64, bool) {
	if depth > maxEvaluations {
		w.tooMuch()
		return 0, false
	}
	v := w.st.find(text)
	if v == nil {
		return 0, false
	}
	if w.sum = addFrom(w.sum, v.word.From); !v.word.Known() {
		return 0, false
	}
	return w.operand(v.word.Text, depth+1)
}

func (w *expander) unary(x *syntax.UnaryArithm) (int64, bool) {
	n, ok := w.arithm(x.X)
	switch x.Op {
	case syntax.Not:
		return truth(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	case syntax.Minus:
		return -n, ok
	case syntax.Inc, syntax.Dec:
		by := int64(1)
		if x.Op == syntax.Dec {
			by = -1
		}
		w.setNumber(x.X, n+by, ok)
		if !x.Post {
			n += by
		}
	}
	return n, ok
}

// setNumber sets the variable that an expression names.
func (w *expander) setNumber(x syntax.ArithmExpr, n int64, ok bool) {
	word, is := x.(*syntax.Word)
	if !is {
		return
	}
	name := word.Lit()
	if name == "" && len(word.Parts) == 1 {
		if pe, isParam := word.Parts[0].(*syntax.ParamExp); isParam && pe.Param != nil {
			name = pe.Param.Value
		}
	}
	if !syntax.ValidName(name) {
		return
	}
	if ok {
		w.set(name, shell.Word{Text: strconv.FormatInt(n, 10)})
	} else {
		w.set(name, shell.Word{Text: hole, From: w.sum})
	}
}

func (w *expander) binary(x *syntax.BinaryArithm) (int64, bool) {
	if x.Op == syntax.TernQuest {
		cond, known := w.arithm(x.X)
		arms, ok := x.Y.(*syntax.BinaryArithm)
		if !ok {
			return 0, false
		}
		a, aok := w.arithm(arms.X)
		b, bok := w.arithm(arms.Y)
		if !known {
			return 0, false
		}
		if cond != 0 {
			return a, aok
		}
		return b, bok
	}
	if op, ok := assignment(x.Op); ok {
		b, known := w.arithm(x.Y)
		if op != 0 {
			a, aok := w.arithm(x.X)
			b, ok = calculate(op, a, b)
			known = known && aok && ok
		}
		w.setNumber(x.X, b, known)
		return b, known
	}
	a, aok := w.arithm(x.X)
	b, bok := w.arithm(x.Y)
	if x.Op == syntax.Comma {
		return b, bok
	}
	n, ok := calculate(x.Op, a, b)
	return n, ok && aok && bok
}

// assignment is the operator within an assignment; none for a plain one.
func assignment(op syntax.BinAritOperator) (syntax.BinAritOperator, bool) {
	switch op {
	case syntax.Assgn:
		return 0, true
	case syntax.AddAssgn:
		return syntax.Add, true
	case syntax.SubAssgn:
		return syntax.Sub, true
	case syntax.MulAssgn:
		return syntax.Mul, true
	case syntax.QuoAssgn:
		return syntax.Quo, true
	case syntax.RemAssgn:
		return syntax.Rem, true
	case syntax.AndAssgn:
		return syntax.And, true
	case syntax.OrAssgn:
		return syntax.Or, true
	case syntax.XorAssgn:
		return syntax.Xor, true
	case syntax.ShlAssgn:
		return syntax.Shl, true
	case syntax.ShrAssgn:
		return syntax.Shr, true
	}
	return 0, false
}

func calculate(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return -a * truth(op == syntax.Quo), b == -1
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Pow:
		return power(a, b)
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl:
		return a << (uint64(b) & 63), true
	case syntax.Shr:
		return a >> (uint64(b) & 63), true
	}
	return compare(op, a, b)
}

func compare(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
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
	case syntax.AndArit:
		return truth(a != 0 && b != 0), true
	case syntax.OrArit:
		return truth(a != 0 || b != 0), true
	}
	return 0, false
}

func power(a, b int64) (int64, bool) {
	if b < 0 || b > 63 {
		return 0, false
	}
	n := int64(1)
	for range b {
		n *= a
	}
	return n, true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// again expands a text a second time, as the shell does with prompts and with
// the subscripts that a value holds.
func (w *expander) again(text string) shell.Word {
	if !strings.ContainsAny(text, "$`\\") {
		return shell.Word{Text: text}
	}
	if w.depth >= maxDepth || !w.pay(len(text)) || len(text) > smallText && measure(text) < len(text) {
		w.tooMuch()
		return shell.Word{Text: hole}
	}
	w.steps -= 50 // reading costs more than looking
	if w.parser == nil {
		w.parser = parsers.Get().(*syntax.Parser)
	}
	doc, err := w.parser.Document(strings.NewReader(text))
	if err != nil || doc == nil {
		w.opaque(brief(text), "cannot be read, because the shell expands it twice")
		w.untold(brief(text), "cannot be read, because the shell expands it twice")
		return shell.Word{Text: hole}
	}
	w.depth++
	f := fields{w: w, whole: true, open: true}
	for _, p := range doc.Parts {
		f.part(p, true)
	}
	w.depth--
	return f.word()
}

// evaluated walks what runs when a text is worked out as a number: it may have an
// array's subscript, or name a variable that has one, and a subscript may hold
// commands. (( x )) with x='a[$(rm y)]' runs rm.
func (w *expander) evaluated(text string, depth int) {
	if depth > maxEvaluations || !w.step() {
		w.tooMuch()
		return
	}
	for i := 0; i < len(text); {
		if !startsName(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (startsName(text[i]) || text[i] >= '0' && text[i] <= '9') {
			i++
		}
		name := text[start:i]
		if i < len(text) && text[i] == '[' {
			end := subscriptEnd(text, i)
			w.subscript(text[i+1:end], depth)
			i = end
		}
		if v := w.st.find(name); v != nil && v.word.Text != text && strings.ContainsAny(v.word.Text, "[$`_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			w.evaluated(v.word.Text, depth+1)
		}
	}
}

func startsName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// subscriptEnd is where the bracket at i ends.
func subscriptEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// subscript walks what stands between the brackets of an array.
func (w *expander) subscript(text string, depth int) {
	if strings.ContainsAny(text, "$`") {
		text = w.again(text).Text
	}
	if strings.ContainsAny(text, "[_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		w.evaluated(text, depth+1)
	}
}

// subscripted walks what runs when a text names a variable: read 'a[$(x)]'.
func (w *expander) subscripted(text string) {
	if i := strings.IndexByte(text, '['); i > 0 && syntax.ValidName(text[:i]) {
		w.subscript(text[i+1:subscriptEnd(text, i)], 0)
	}
}

// integer walks the value of a variable that holds numbers only.
func (w *expander) integer(name string) {
	if v := w.st.find(name); v != nil && v.integer {
		w.evaluated(v.word.Text, 0)
	}
}

// prompt is a text with what a prompt means in it.
func (w *expander) prompt(text string) shell.Word {
	if !strings.ContainsAny(text, "$`") {
		return shell.Word{Text: text}
	}
	from := len(w.calls)
	// \$ is a sign of prompts, and \[ and \] stand around colours.
	word := w.again(strings.ReplaceAll(text, `\$`, "#"))
	from = min(from, len(w.calls))
	rest := slices.DeleteFunc(w.calls[from:], func(c *shell.Call) bool { return c.Name == "__git_ps1" })
	w.calls = w.calls[:from+len(rest)]
	return word
}

// maxEvaluations bounds values that name values, where a number is wanted.
const maxEvaluations = 16

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
			w.subscripted(w.one(word).Text)
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
