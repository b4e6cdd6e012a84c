package windows

import "strings"

// evalExpression returns the value of the expression at s[i], and the index after it. It joins text at
// + and lists at commas; the results of other operators are unknown. If arg is set, it stops at a
// comma, as in the arguments of a call.
func (r *evaluator) evalExpression(s string, i int, arg bool) (flow, int) {
	if r.depth >= maxDepth || !r.spendBudget(0) {
		return unknownFlow(), len(s)
	}
	r.depth++
	defer func() { r.depth-- }()
	v, i := r.evalOperand(s, i)
	for i < len(s) && r.spendBudget(0) {
		j := skipSet(s, i, " \t")
		if j >= len(s) || arg && s[j] == ',' {
			return v, j
		}
		op, n := operatorAt(s, j)
		if op == "" {
			return v, j
		}
		n = skipSet(s, n, " \t\n")
		if n >= len(s) {
			return computedFlow(v), n
		}
		w, end := r.evalOperand(s, n)
		v = applyOperator(op, v, w)
		i = min(max(end, n+1), len(s))
	}
	return v, i
}

// operatorAt returns the operator at s[i], and the index after it. It returns "" and i if there is
// none.
func operatorAt(s string, i int) (op string, next int) {
	switch s[i] {
	case '+', '*', '/', '%', '=', ',':
		return s[i : i+1], i + 1
	case '-':
		j := i + 1
		for j < len(s) && isLetter(s[j]) {
			j++
		}
		return s[i:j], j
	}
	return "", i
}

// applyOperator returns the result of the operator op on v and w.
func applyOperator(op string, v, w flow) flow {
	switch {
	case op == "+":
		return joinFlows(v, w)
	case op == "," && len(v.items) <= 256:
		out := flow{items: append(itemsOf(v), itemsOf(w)...)}
		out.text = strings.Join(out.items, " ")
		return out.withSourcesOf(v).withSourcesOf(w)
	}
	return computedFlow(v, w)
}

// computedFlow returns an unknown value with the sources of the values in of. It is marked as computed
// if all of them are known.
func computedFlow(of ...flow) flow {
	out := flow{text: placeholder, computed: len(of) > 0}
	for _, v := range of {
		out.computed = out.computed && (v.computed || v.text != "" && !strings.Contains(v.text, placeholder))
		v.computed = false
		out = out.withSourcesOf(v)
	}
	return out
}

// itemsOf returns the items of the list v, or the text of a single value as the only item.
func itemsOf(v flow) []string {
	if len(v.items) > 0 {
		return v.items[:len(v.items):len(v.items)]
	}
	return []string{v.text}
}

// joinFlows returns v + w, which is the concatenation of their text, or the list v with the items of w
// appended.
func joinFlows(v, w flow) flow {
	if len(v.items) > 0 {
		out := v
		out.items = append(itemsOf(v), itemsOf(w)...)
		return out.withSourcesOf(w)
	}
	if len(v.text)+len(w.text) > 64<<10 {
		return unknownFlow().withSourcesOf(v).withSourcesOf(w)
	}
	return literalFlow(v.text + w.text).withSourcesOf(v).withSourcesOf(w)
}

// evalOperand returns the value at s[i], with the members, indexes and method calls after it, and the
// index after those.
func (r *evaluator) evalOperand(s string, i int) (flow, int) {
	v, i := r.evalPrimary(s, i)
	for i < len(s) && r.spendBudget(0) {
		from, of := i, ""
		switch {
		case s[i] == '.' && isLetter(byteAt(s, i+1)) && v.class != "word":
			i++
		case strings.HasPrefix(s[i:], "::"):
			i, of = i+2, v.text
		case s[i] == '[' && v.class != "word":
			_, i = bracketedText(s, i)
			v = indexedValue(v)
			continue
		default:
			return v, i
		}
		var name string
		name, i = memberName(s, i)
		if byteAt(s, i) != '(' {
			v = propertyValue(v, name)
			continue
		}
		in, end := bracketedText(s, i)
		c := &methodCall{on: v, typ: of, name: name, args: r.evalArguments(in), words: s[max(0, from-40):end]}
		v, i = r.evalMethod(c), end
	}
	return v, i
}

// indexedValue returns the value of v[…]. For a listing, it may be any file.
func indexedValue(v flow) flow {
	if len(v.paths) > 0 {
		return v
	}
	return computedFlow(v)
}

// propertyValue returns the value of the property of v.
func propertyValue(v flow, property string) flow {
	switch property {
	case "fullname", "name", "path", "pspath", "basename", "directoryname":
		if len(v.paths) > 0 {
			return v
		}
	case "historysavepath":
		return literalFlow(`~\AppData\Roaming\Microsoft\Windows\PowerShell\PSReadLine\ConsoleHost_history.txt`)
	}
	return unknownFlow().withSourcesOf(v)
}

// memberName returns the name at s[i] in lower case, and the index after it.
func memberName(s string, i int) (name string, next int) {
	j := i
	for j < len(s) && (isLetter(s[j]) || isDigit(s[j]) || s[j] == '_') {
		j++
	}
	return lower(s[i:j]), j
}

// evalArguments returns the values of the arguments in in, the text between the brackets of a call.
func (r *evaluator) evalArguments(in string) []flow {
	var args []flow
	if !r.spendBudget(len(in)) {
		return nil
	}
	for i := 0; i < len(in) && len(args) < 16; {
		if in[i] <= ' ' || in[i] == ',' {
			i++
			continue
		}
		var v flow
		from := i
		if beginsExpression(in[i:]) {
			v, i = r.evalExpression(in, i, true)
		} else {
			var w word
			w, i = r.readWord(in, i)
			v = w.flow
		}
		args = append(args, v)
		i = min(max(i, from+1), len(in))
	}
	return args
}

// evalPrimary returns the value at s[i] without the members after it, and the index after the value.
func (r *evaluator) evalPrimary(s string, i int) (flow, int) {
	if i >= len(s) || r.depth >= maxDepth {
		return unknownFlow(), len(s)
	}
	switch c := s[i]; {
	case c == '\'':
		return readSingleQuoted(s, i)
	case c == '"':
		return r.readDoubleQuoted(s, i)
	case c == '@' && i+1 < len(s):
		return r.readAtExpression(s, i)
	case c == '(':
		in, n := bracketedText(s, i)
		return r.evalBracketed(in), n
	case c == '$' && byteAt(s, i+1) == '(':
		in, n := bracketedText(s, i+1)
		return r.evalBracketed(in), n
	case c == '$':
		name, n := varName(s, i)
		if name == "" {
			return literalFlow("$"), i + 1
		}
		return r.variableValue(name), n
	case c == '[':
		return r.evalCast(s, i)
	case c == '{':
		in, n := bracketedText(s, i)
		return flow{text: in, class: "block"}, n
	case c == '-' || c == '!' || c == ',':
		return r.evalUnary(s, i)
	}
	j := i
	for j < len(s) && s[j] > ' ' && !isOneOf("+,;|)}({'\"=*[&", s[j]) {
		j++
	}
	if j == i {
		return flow{}, i + 1
	}
	return flow{text: s[i:j], literal: true, class: "word"}, j
}

// evalUnary returns the value of the unary operator and its operand at s[i], and the index after them.
func (r *evaluator) evalUnary(s string, i int) (flow, int) {
	r.depth++
	defer func() { r.depth-- }()
	if s[i] == ',' {
		return r.evalPrimary(s, i+1)
	}
	_, n := operatorAt(s, i) // as in -join $x
	n = skipSet(s, max(n, i+1), " ")
	v, end := r.evalPrimary(s, n)
	return computedFlow(v), min(max(end, n), len(s))
}

// evalCast returns the value of [type]value at s[i], or the type itself if no value follows, as in
// [type]::member. It also returns the index after it.
func (r *evaluator) evalCast(s string, i int) (flow, int) {
	in, n := bracketedText(s, i)
	name := strings.TrimPrefix(lower(strings.TrimSpace(in)), "system.")
	if !strings.HasPrefix(s[n:], "::") {
		n = skipSet(s, n, " ")
	}
	if n >= len(s) || !beginsExpression(s[n:]) || r.depth >= maxDepth {
		return flow{text: name, class: "type"}, n
	}
	r.depth++
	v, end := r.evalOperand(s, n)
	r.depth--
	switch name {
	case "string", "object", "array", "string[]":
	case "scriptblock":
		v.class = "block"
	default:
		v = computedFlow(v)
	}
	return v, end
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// evalBracketed returns the value of in, the text between brackets, and adds the effects of the
// commands in it.
func (r *evaluator) evalBracketed(in string) flow {
	if r.depth >= maxDepth || !r.spendBudget(len(in)) {
		r.addLimitExceeded("is nested too deeply to be checked", in)
		return unknownFlow()
	}
	t := strings.TrimSpace(in)
	if t == "" {
		return flow{}
	}
	r.depth++
	defer func() { r.depth-- }()
	if n, ok := r.evalAssignment(t, 0); ok && n >= len(t) {
		name, _ := varName(t, 0)
		return r.variableValue(name)
	}
	if strings.ContainsAny(t, ";\n") || !beginsExpression(t) {
		return r.evalScript(t, flow{})
	}
	v, _ := r.evalValue(t, 0)
	return v
}
