package windows

import "strings"

// expression reads operands and the operators between them. Texts are joined by + and
// lists by commas; what any other operator yields is not computed. With arg set it ends
// at a comma, as an argument of a call does.
func (r *reader) expression(s string, i int, arg bool) (flow, int) {
	if r.depth >= maxDepth || !r.spend(0) {
		return unsure(), len(s)
	}
	r.depth++
	defer func() { r.depth-- }()
	v, i := r.operand(s, i)
	for i < len(s) && r.spend(0) {
		j := skip(s, i, " \t")
		if j >= len(s) || arg && s[j] == ',' {
			return v, j
		}
		op, n := operator(s, j)
		if op == "" {
			return v, j
		}
		n = skip(s, n, " \t\n")
		if n >= len(s) {
			return computed(v), n
		}
		w, end := r.operand(s, n)
		v = apply(op, v, w)
		i = min(max(end, n+1), len(s))
	}
	return v, i
}

// operator returns the operator at i and where its right side begins.
func operator(s string, i int) (string, int) {
	switch s[i] {
	case '+', '*', '/', '%', '=', ',':
		return s[i : i+1], i + 1
	case '-':
		j := i + 1
		for j < len(s) && letter(s[j]) {
			j++
		}
		return s[i:j], j
	}
	return "", i
}

// apply returns what an operator makes of two values.
func apply(op string, v, w flow) flow {
	switch {
	case op == "+":
		return joined(v, w)
	case op == "," && len(v.items) <= 256:
		out := flow{items: append(listOf(v), listOf(w)...)}
		out.text = strings.Join(out.items, " ")
		return out.from(v).from(w)
	}
	return computed(v, w)
}

// computed returns a value that is made of others in a way that is not followed.
func computed(of ...flow) flow {
	out := flow{text: hole, computed: len(of) > 0}
	for _, v := range of {
		out.computed = out.computed && (v.computed || v.text != "" && !strings.Contains(v.text, hole))
		v.computed = false
		out = out.from(v)
	}
	return out
}

// listOf returns the items of a list, or of a single value.
func listOf(v flow) []string {
	if len(v.items) > 0 {
		return v.items[:len(v.items):len(v.items)]
	}
	return []string{v.text}
}

// joined returns two texts in a row, or a list with more items.
func joined(v, w flow) flow {
	if len(v.items) > 0 {
		out := v
		out.items = append(listOf(v), listOf(w)...)
		return out.from(w)
	}
	if len(v.text)+len(w.text) > 64<<10 {
		return unsure().from(v).from(w)
	}
	return literal(v.text + w.text).from(v).from(w)
}

// operand reads a value with the members and calls behind it.
func (r *reader) operand(s string, i int) (flow, int) {
	v, i := r.primary(s, i)
	for i < len(s) && r.spend(0) {
		from, of := i, ""
		switch {
		case s[i] == '.' && letter(at(s, i+1)) && v.class != "word":
			i++
		case strings.HasPrefix(s[i:], "::"):
			i, of = i+2, v.text
		case s[i] == '[' && v.class != "word":
			_, i = nested(s, i)
			v = part(v)
			continue
		default:
			return v, i
		}
		var name string
		name, i = memberName(s, i)
		if at(s, i) != '(' {
			v = member(v, name)
			continue
		}
		in, end := nested(s, i)
		c := &methodCall{on: v, typ: of, name: name, args: r.arguments(in), words: s[max(0, from-40):end]}
		v, i = r.method(c), end
	}
	return v, i
}

// part returns one of several values; of a listing it may be any.
func part(v flow) flow {
	if len(v.paths) > 0 {
		return v
	}
	return computed(v)
}

// member returns a property of a value.
func member(v flow, property string) flow {
	switch property {
	case "fullname", "name", "path", "pspath", "basename", "directoryname":
		if len(v.paths) > 0 {
			return v
		}
	case "historysavepath":
		return literal(`~\AppData\Roaming\Microsoft\Windows\PowerShell\PSReadLine\ConsoleHost_history.txt`)
	}
	return unsure().from(v)
}

func memberName(s string, i int) (string, int) {
	j := i
	for j < len(s) && (letter(s[j]) || digit(s[j]) || s[j] == '_') {
		j++
	}
	return lower(s[i:j]), j
}

// arguments reads what stands between the brackets of a call.
func (r *reader) arguments(in string) []flow {
	var args []flow
	if !r.spend(len(in)) {
		return nil
	}
	for i := 0; i < len(in) && len(args) < 16; {
		if in[i] <= ' ' || in[i] == ',' {
			i++
			continue
		}
		var v flow
		from := i
		if expressive(in[i:]) {
			v, i = r.expression(in, i, true)
		} else {
			var w word
			w, i = r.word(in, i)
			v = w.flow
		}
		args = append(args, v)
		i = min(max(i, from+1), len(in))
	}
	return args
}

// primary reads a value.
func (r *reader) primary(s string, i int) (flow, int) {
	if i >= len(s) || r.depth >= maxDepth {
		return unsure(), len(s)
	}
	switch c := s[i]; {
	case c == '\'':
		return singleQuoted(s, i)
	case c == '"':
		return r.doubleQuoted(s, i)
	case c == '@' && i+1 < len(s):
		return r.atSign(s, i)
	case c == '(':
		in, n := nested(s, i)
		return r.inside(in), n
	case c == '$' && at(s, i+1) == '(':
		in, n := nested(s, i+1)
		return r.inside(in), n
	case c == '$':
		name, n := varName(s, i)
		if name == "" {
			return literal("$"), i + 1
		}
		return r.variable(name), n
	case c == '[':
		return r.typed(s, i)
	case c == '{':
		in, n := nested(s, i)
		return flow{text: in, class: "block"}, n
	case c == '-' || c == '!' || c == ',':
		return r.signed(s, i)
	}
	j := i
	for j < len(s) && s[j] > ' ' && !oneOf("+,;|)}({'\"=*[&", s[j]) {
		j++
	}
	if j == i {
		return flow{}, i + 1
	}
	return flow{text: s[i:j], fixed: true, class: "word"}, j
}

// signed reads a value behind an operator that has nothing before it.
func (r *reader) signed(s string, i int) (flow, int) {
	r.depth++
	defer func() { r.depth-- }()
	if s[i] == ',' {
		return r.primary(s, i+1)
	}
	_, n := operator(s, i) // -join $x
	n = skip(s, max(n, i+1), " ")
	v, end := r.primary(s, n)
	return computed(v), min(max(end, n), len(s))
}

// typed reads [type]value, and the type of [type]::member.
func (r *reader) typed(s string, i int) (flow, int) {
	in, n := nested(s, i)
	name := strings.TrimPrefix(lower(strings.TrimSpace(in)), "system.")
	if !strings.HasPrefix(s[n:], "::") {
		n = skip(s, n, " ")
	}
	if n >= len(s) || !expressive(s[n:]) || r.depth >= maxDepth {
		return flow{text: name, class: "type"}, n
	}
	r.depth++
	v, end := r.operand(s, n)
	r.depth--
	switch name {
	case "string", "object", "array", "string[]":
	case "scriptblock":
		v.class = "block"
	default:
		v = computed(v)
	}
	return v, end
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// inside is the value of what stands between brackets.
func (r *reader) inside(in string) flow {
	if r.depth >= maxDepth || !r.spend(len(in)) {
		r.exceeds("is nested too deeply to be checked", in)
		return unsure()
	}
	t := strings.TrimSpace(in)
	if t == "" {
		return flow{}
	}
	r.depth++
	defer func() { r.depth-- }()
	if n, ok := r.assignment(t, 0); ok && n >= len(t) {
		name, _ := varName(t, 0)
		return r.variable(name)
	}
	if strings.ContainsAny(t, ";\n") || !expressive(t) {
		return r.psScript(t, flow{})
	}
	v, _ := r.value(t, 0)
	return v
}
