package windows

import (
	"strconv"
	"strings"
)

// expression reads operands and the operators between them.
func (r *reader) expression(s string, i int) (flow, int) {
	if r.depth >= maxDepth || !r.spend(0) {
		return unsure(), len(s)
	}
	r.depth++
	defer func() { r.depth-- }()
	v, i := r.operand(s, i)
	for i < len(s) && r.spend(0) {
		j := skip(s, i, " \t")
		if j >= len(s) {
			return v, j
		}
		op, n := operator(s, j)
		if op == "" {
			return v, j
		}
		n = skip(s, n, " \t\n")
		if n >= len(s) {
			return r.apply(op, v, flow{}), n
		}
		w, end := r.operand(s, n)
		if op != "," && op[0] == '-' && len(op) > 1 { // a list binds closer: -f 'a','b'
			w, end = r.commaList(w, s, end)
		}
		v = r.apply(op, v, w)
		i = min(max(end, n+1), len(s))
	}
	return v, i
}

// commaList reads the rest of a list that w begins.
func (r *reader) commaList(w flow, s string, i int) (flow, int) {
	for r.spend(0) {
		j := skip(s, i, " ")
		if j >= len(s) || s[j] != ',' {
			break
		}
		j++
		j = skip(s, j, " ")
		if j >= len(s) {
			break
		}
		next, end := r.operand(s, j)
		w, i = r.apply(",", w, next), min(max(end, j+1), len(s))
	}
	return w, i
}

// operator returns the operator at i and where its right side begins.
func operator(s string, i int) (string, int) {
	switch s[i] {
	case '+', '*', '/', '%', '=':
		return s[i : i+1], i + 1
	case ',':
		return ",", i + 1
	case '-':
		j := i + 1
		for j < len(s) && letter(s[j]) {
			j++
		}
		if j == i+1 {
			return "-", j
		}
		return lower(s[i:j]), j
	}
	return "", i
}

// apply computes what an operator gives.
func (r *reader) apply(op string, v, w flow) flow {
	switch op {
	case "+":
		return joined(v, w)
	case ",":
		if len(v.items) > 256 {
			return v.from(w)
		}
		out := flow{items: v.items[:len(v.items):len(v.items)]}
		if len(out.items) == 0 {
			out.items = []string{v.text}
		}
		if len(w.items) > 0 {
			out.items = append(out.items, w.items...)
		} else {
			out.items = append(out.items, w.text)
		}
		out.text = strings.Join(out.items, " ")
		return out.from(v).from(w)
	case "-join":
		return literal(strings.Join(listOf(v), w.text)).from(v)
	case "-f":
		return format(v, listOf(w))
	case "-replace", "-creplace", "-ireplace":
		parts := listOf(w)
		if len(parts) == 0 {
			return v
		}
		to := ""
		if len(parts) > 1 {
			to = parts[1]
		}
		if parts[0] != "" {
			v.text = strings.ReplaceAll(v.text, parts[0], to)
		}
		return v
	case "-split", "-csplit":
		if w.text != "" {
			v.items = strings.SplitN(v.text, w.text, 256)
		}
		return v
	case "-as":
		return v
	}
	return unsure().from(v).from(w)
}

func listOf(v flow) []string {
	if len(v.items) > 0 {
		return v.items
	}
	return []string{v.text}
}

func joined(v, w flow) flow {
	if len(v.items) > 0 {
		out := v
		out.items = append(v.items[:len(v.items):len(v.items)], listOf(w)...)
		return out.from(w)
	}
	if len(v.text)+len(w.text) > 64<<10 {
		return unsure().from(v).from(w)
	}
	return literal(v.text + w.text).from(v).from(w)
}

// format fills {0} and its kin.
func format(v flow, args []string) flow {
	var b strings.Builder
	s := v.text
	for i := 0; i < len(s); i++ {
		if s[i] == '{' {
			if end := strings.IndexByte(s[i:], '}'); end > 0 {
				in, _, _ := strings.Cut(s[i+1:i+end], ":")
				if n, err := strconv.Atoi(in); err == nil {
					if n >= 0 && n < len(args) {
						b.WriteString(args[n])
					} else {
						b.WriteString(hole)
					}
					i += end
					continue
				}
			}
		}
		b.WriteByte(s[i])
	}
	return literal(b.String()).from(v)
}

// operand reads a value with the parts and calls behind it.
func (r *reader) operand(s string, i int) (flow, int) {
	v, i := r.primary(s, i)
	for i < len(s) && r.spend(0) {
		switch {
		case s[i] == '.' && i+1 < len(s) && letter(s[i+1]) && v.class != "word":
			name, n := memberName(s, i+1)
			if n < len(s) && s[n] == '(' {
				in, end := nested(s, n)
				v, i = r.method(v, name, r.arguments(in), s[max(0, i-40):end]), end
			} else {
				v, i = member(v, name), n
			}
		case strings.HasPrefix(s[i:], "::"):
			name, n := memberName(s, i+2)
			if n < len(s) && s[n] == '(' {
				in, end := nested(s, n)
				v, i = r.static(v.text, name, r.arguments(in), s[max(0, i-40):end]), end
			} else {
				v, i = flow{text: hole, class: v.text + "::" + name}, n
			}
		case s[i] == '[' && v.class != "word":
			in, end := nested(s, i)
			v, i = r.index(v, in), end
		default:
			return v, i
		}
	}
	return v, i
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
		if !expressive(in[i:]) {
			w, n := r.word(in, i)
			args = append(args, w.flow)
			i = min(max(n, i+1), len(in))
			continue
		}
		var v flow
		from := i
		v, i = r.sum(in, i)
		args = append(args, v)
		if i == from {
			i++
		}
	}
	return args
}

// sum is an expression that ends at a comma.
func (r *reader) sum(s string, i int) (flow, int) {
	v, i := r.operand(s, i)
	for i < len(s) && r.spend(0) {
		j := skip(s, i, " ")
		if j >= len(s) || s[j] == ',' {
			return v, j
		}
		op, n := operator(s, j)
		if op == "" || n >= len(s) {
			return v, j
		}
		n = skip(s, n, " ")
		if n >= len(s) {
			return v, n
		}
		w, end := r.operand(s, n)
		v, i = r.apply(op, v, w), min(max(end, n+1), len(s))
	}
	return v, i
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

// signed reads a value behind a sign or an operator that has nothing before it.
func (r *reader) signed(s string, i int) (flow, int) {
	r.depth++
	defer func() { r.depth-- }()
	switch next := at(s, i+1); {
	case digit(next):
		j := i + 1
		for j < len(s) && digit(s[j]) {
			j++
		}
		return literal(s[i:j]), j
	case s[i] == '-' && letter(next): // -join $x
		op, n := operator(s, i)
		n = skip(s, n, " ")
		v, end := r.primary(s, n)
		if op == "-join" {
			v = literal(strings.Join(listOf(v), "")).from(v)
		}
		return v, min(max(end, n), len(s))
	}
	return r.primary(s, i+1)
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
