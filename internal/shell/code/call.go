package code

import "strings"

// callParens reads the arguments of a call and makes it.
func (r *reader) callParens(v value, from int) value {
	elem := r.elem
	r.elem = r.given(v)
	args := r.items(")", true)
	r.elem = elem
	return r.call(v, args, from)
}

// given is what a function that is passed to v will be called with.
func (r *reader) given(v value) value {
	if v.form != name {
		return value{}
	}
	if v.recv != nil {
		return element(*v.recv)
	}
	e, _ := find(r.lang, v.text)
	switch e.op {
	case opGet, opReq, opSend:
		return value{taint: fromNet}
	case opShell, opArgv:
		return value{taint: fromCommand}
	case opRead:
		return value{taint: fromFile}
	}
	return value{taint: v.taint}
}

// callString reads f"text" of lua and tag`text` of javascript.
func (r *reader) callString(v value, from int) value {
	t := r.peek()
	if r.lang == javascript && !strings.HasPrefix(r.src[t.start:], "`") {
		r.i++
		return value{}
	}
	r.i++
	arg := known(t.text)
	if t.kind == tInterp {
		arg = r.fill(t.text)
	}
	return r.call(v, []value{arg}, from)
}

// bare reports whether arguments without brackets follow a name.
func (r *reader) bare(v value, t *token) bool {
	switch r.lang {
	case perl, ruby, java, php, applescript:
	case python:
		if v.text != "exec" && v.text != "print" {
			return false
		}
	default:
		return false
	}
	switch t.kind {
	case tString, tInterp, tShell, tWords, tGlob, tNumber:
	case tIdent:
		switch t.text {
		case "if", "unless", "for", "foreach", "while", "until", "and", "or", "do", "in", "x", "eq", "ne", "then", "end", "as", "is", "else", "not", "of",
			"cmp", "lt", "gt", "le", "ge", "rescue", "instanceof", "import", "from":
			return false
		}
	case tOp:
		if t.text == "[" && r.lang == ruby && r.spaced(t) {
			break
		}
		if (t.text == "\\" || t.text == "@" || t.text == "{" && hasWord("map exec system", v.text)) && r.lang == perl {
			break
		}
		return false
	default:
		return false
	}
	if strings.HasPrefix(v.text, "$") || strings.HasPrefix(v.text, "@") || strings.HasPrefix(v.text, "%") {
		return false
	}
	if r.lang == java || r.lang == applescript {
		return t.kind != tIdent
	}
	return true
}

// callBare reads arguments without brackets and makes the call.
func (r *reader) callBare(v value, from int) value {
	if r.depth >= maxDepth {
		r.i++
		return value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	var args []value
	if hasWord("print printf say exec system open", v.text) && r.lang == perl && r.peek().kind == tIdent && !strings.HasPrefix(r.peek().text, "$") &&
		(r.ahead(1).kind == tString || r.ahead(1).kind == tInterp) && strings.ToUpper(r.peek().text) == r.peek().text {
		r.i++ // a file handle
	}
	if r.peek().is("{") && v.text != "map" { // exec {'program'} words
		r.i++
		r.items("}", false)
	}
	for r.spend() {
		at := r.i
		key := r.key("", true)
		a := r.item(r.expr(), key)
		args = append(args, a)
		if r.i == at || !r.accept(",") || len(args) >= 256 {
			break
		}
	}
	return r.call(v, args, from)
}

// block reads a ruby block behind a call, or a closure of groovy and swift. Its
// parameter is an element of what the call goes over.
func (r *reader) block(t *token, v value) bool {
	if r.lang != ruby && r.lang != java {
		return false
	}
	brace := t.is("{") && !t.nl
	if !brace && !(t.word("do") && r.lang == ruby && !t.nl) {
		return false
	}
	if brace && v.form == text && r.lang == java {
		return false
	}
	over := v
	if v.recv != nil {
		over = *v.recv
	}
	if v.form == name {
		r.mention(v, r.i-1)
	}
	r.i++
	if r.accept("|") {
		for n := 0; n < 12 && !r.accept("|") && r.peek().kind != tEnd; n++ {
			if p := r.peek(); p.kind == tIdent {
				r.bind(p.text, element(over))
			}
			r.i++
		}
	} else {
		r.bind("it", element(over))
		r.bind("_1", element(over))
		if r.lang == java && r.peek().kind == tIdent && r.ahead(1).is("->") {
			r.bind(r.peek().text, element(over))
			r.i += 2
		}
	}
	if brace {
		r.items("}", false)
	}
	return true
}

// call makes a call: it looks the name up and does what the table says.
func (r *reader) call(v value, args []value, from int) value {
	if v.form == choice && len(v.items) > 0 {
		out := value{}
		for i := range v.items {
			if v.items[i].form == name {
				out = r.call(v.items[i], args, from)
			}
		}
		return out
	}
	if v.class == "thunk" {
		v.class = ""
		return v
	}
	if r.lang == perl && v.form == list && len(v.items) == 1 && v.items[0].isKnown() { // &{"system"}('x')
		v = value{form: name, text: v.items[0].text}
	}
	if v.taint&dynamic != 0 {
		r.unresolved("the function that it calls is looked up while it runs", r.snippet(from))
	}
	if v.form == text && r.lang == php && v.isKnown() { // $f = 'system'; $f('x')
		v = value{form: name, text: v.text}
	}
	if v.form != name {
		return value{taint: v.taint | taintOf(args)}
	}
	if r.lang == javascript {
		v, args = throughCall(v, args)
	}
	e, ok := r.entry(v.text)
	if !ok {
		t := taintOf(args) | v.taint
		if v.recv != nil {
			t |= v.recv.taint
		}
		if strings.HasSuffix(v.text, "globals") || strings.HasSuffix(v.text, "locals") || strings.HasSuffix(v.text, "vars") {
			return r.namespace(v.text, args)
		}
		return value{taint: t}
	}
	out := r.apply(&e, v, args, from)
	out.key = ""
	return out
}

// namespace is globals(), vars(os) and the like.
func (r *reader) namespace(fn string, args []value) value {
	if len(args) > 0 && args[0].form == name {
		return args[0]
	}
	return value{form: name, text: fn + "()"}
}

// entry finds what the tables know of a function. A method of a thing that is
// not known is looked up by its own name.
func (r *reader) entry(n string) (entry, bool) {
	n = r.canonical(n)
	if e, ok := find(r.lang, n); ok {
		return e, true
	}
	if i := strings.LastIndexByte(n, '.'); i >= 0 {
		if e, ok := find(r.lang, "*"+n[i:]); ok {
			return e, true
		}
		return entry{}, false
	}
	for _, m := range r.stars {
		if e, ok := find(r.lang, m+"."+n); ok {
			return e, true
		}
	}
	return entry{}, false
}

// canonical takes the ways off by which code names built-in things.
func (r *reader) canonical(n string) string {
	for {
		i := strings.IndexByte(n, '.')
		if i < 0 {
			break
		}
		switch n[:i] {
		case "builtins", "__builtin__", "__builtins__", "global", "globalThis", "window", "Kernel", "CORE", "GLOBAL", "_G", "self", "__main__", "kotlin",
			"groovy":
			n = n[i+1:]
			continue
		case "Object":
			if r.lang == ruby {
				n = n[i+1:]
				continue
			}
		case "process":
			n = strings.TrimPrefix(n, "process.mainModule.")
		case "module", "require":
			if n == "module.require" || n == "require.main.require" {
				return "require"
			}
		case "java":
			if j := strings.LastIndexByte(n[:strings.LastIndexByte(n, '.')], '.'); j > 0 {
				n = n[j+1:]
			}
		case "fs":
			if strings.HasPrefix(n, "fs.promises.") {
				n = "fs." + n[len("fs.promises."):]
			}
		}
		break
	}
	if r.lang == ruby {
		n = strings.TrimSuffix(n, ".call")
	}
	for strings.HasSuffix(n, ".__call__") {
		n = strings.TrimSuffix(n, ".__call__")
	}
	if r.lang == perl {
		n = strings.TrimPrefix(n, "&")
	}
	return n
}

// throughCall takes off f.call(this, …) and f.apply(this, […]).
func throughCall(v value, args []value) (value, []value) {
	if n, ok := strings.CutSuffix(v.text, ".call"); ok && len(args) > 0 {
		v.text, args = n, args[1:]
	} else if n, ok := strings.CutSuffix(v.text, ".apply"); ok && len(args) > 1 {
		v.text, args = n, args[1].items
	} else if n, ok := strings.CutSuffix(v.text, ".bind"); ok && len(args) > 1 {
		v.text, args = n, args[1:]
	}
	return v, args
}

// mention is a name that may run although nothing is passed to it, as in perl
// and ruby.
func (r *reader) mention(v value, from int) value {
	if r.lang != perl && r.lang != ruby || r.peek().is("=") || r.peek().is("=>") {
		return v
	}
	e, ok := r.entry(v.text)
	if !ok {
		return v
	}
	if r.lang == ruby {
		return r.call(v, nil, from)
	}
	switch e.op {
	case opFork:
		return r.call(v, nil, from)
	case opDel, opRmdir, opEval, opRead, opChr, opLower, opUpper:
		if r.peek().is("{") { // eval { … }
			return v
		}
		return r.call(v, []value{r.ident("$_")}, from)
	}
	return v
}
