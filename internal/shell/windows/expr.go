package windows

import "strings"

// evalExpression reads operands and the operators between them. It joins texts at + and lists at
// commas; the results of other operators are unknown. If arg is set, it stops at a comma, as for an
// argument of a call.
func (r *reader) evalExpression(s string, i int, arg bool) (flow, int) {
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

// operatorAt returns the operator at s[i], and the index of its right side.
func operatorAt(s string, i int) (string, int) {
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

// applyOperator returns the result of an operator.
func applyOperator(op string, v, w flow) flow {
	switch {
	case op == "+":
		return joinFlows(v, w)
	case op == "," && len(v.items) <= 256:
		out := flow{items: append(listOf(v), listOf(w)...)}
		out.text = strings.Join(out.items, " ")
		return out.withSourcesOf(v).withSourcesOf(w)
	}
	return computedFlow(v, w)
}

// computedFlow returns an unknown value that is computed from others.
func computedFlow(of ...flow) flow {
	out := flow{text: placeholder, computed: len(of) > 0}
	for _, v := range of {
		out.computed = out.computed && (v.computed || v.text != "" && !strings.Contains(v.text, placeholder))
		v.computed = false
		out = out.withSourcesOf(v)
	}
	return out
}

// listOf returns the items of a list, or the text of a single value.
func listOf(v flow) []string {
	if len(v.items) > 0 {
		return v.items[:len(v.items):len(v.items)]
	}
	return []string{v.text}
}

// joinFlows returns the concatenation of two texts, or a list with more items.
func joinFlows(v, w flow) flow {
	if len(v.items) > 0 {
		out := v
		out.items = append(listOf(v), listOf(w)...)
		return out.withSourcesOf(w)
	}
	if len(v.text)+len(w.text) > 64<<10 {
		return unknownFlow().withSourcesOf(v).withSourcesOf(w)
	}
	return literalFlow(v.text + w.text).withSourcesOf(v).withSourcesOf(w)
}

// evalOperand reads a value with the members and calls after it.
func (r *reader) evalOperand(s string, i int) (flow, int) {
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
			v = indexValue(v)
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

// indexValue returns an indexed item of v; of a listing it may be any file.
func indexValue(v flow) flow {
	if len(v.paths) > 0 {
		return v
	}
	return computedFlow(v)
}

// propertyValue returns a property of a value.
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
func memberName(s string, i int) (string, int) {
	j := i
	for j < len(s) && (isLetter(s[j]) || isDigit(s[j]) || s[j] == '_') {
		j++
	}
	return lower(s[i:j]), j
}

// evalArguments returns the arguments between the brackets of a call.
func (r *reader) evalArguments(in string) []flow {
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

// evalPrimary reads a value without the members after it.
func (r *reader) evalPrimary(s string, i int) (flow, int) {
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
		return r.evalTyped(s, i)
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
	return flow{text: s[i:j], fixed: true, class: "word"}, j
}

// evalUnary reads a value after a unary operator.
func (r *reader) evalUnary(s string, i int) (flow, int) {
	r.depth++
	defer func() { r.depth-- }()
	if s[i] == ',' {
		return r.evalPrimary(s, i+1)
	}
	_, n := operatorAt(s, i) // -join $x
	n = skipSet(s, max(n, i+1), " ")
	v, end := r.evalPrimary(s, n)
	return computedFlow(v), min(max(end, n), len(s))
}

// evalTyped reads [type]value, or the type of [type]::member.
func (r *reader) evalTyped(s string, i int) (flow, int) {
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

// isDigit reports whether c is a digit.
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// evalBracketed returns the value of the text between brackets.
func (r *reader) evalBracketed(in string) flow {
	if r.depth >= maxDepth || !r.spendBudget(len(in)) {
		r.addExceeds("is nested too deeply to be checked", in)
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
