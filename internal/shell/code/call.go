package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// callParens reads the arguments of a call and makes it.
func (r *reader) callParens(v value, from int) value {
	elem, piped := r.elem, r.piped
	r.elem, r.piped = r.given(v), nil
	if (r.lang == php || r.lang == python && r.peek().word("lambda")) && r.quiet == 0 && v.form == name {
		r.elem = r.mapsOver(v.text)
	}
	args := r.items(")", true)
	r.elem = elem
	if piped != nil { // x |> f(y)
		args = append([]value{*piped}, args...)
	}
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
	if mod, ok := strings.CutSuffix(v.text, ".then"); ok && r.lang == javascript { // import('fs').then(fs => …)
		return value{form: name, text: mod, taint: v.taint}
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

// callString reads tag`text` of javascript.
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
	if r.lang == javascript && v.text == "$" { // zx and bun
		return r.shellText(arg, from)
	}
	return r.call(v, []value{arg}, from)
}

// bare reports whether arguments without brackets follow a name.
func (r *reader) bare(v value, t *token) bool {
	switch r.lang {
	case perl, ruby, php:
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
		if (t.text == "\\" || t.text == "@" || t.text == "{" && facts.InList("map exec system print printf say", v.text)) && r.lang == perl {
			break
		}
		return false
	default:
		return false
	}
	if strings.HasPrefix(v.text, "$") || strings.HasPrefix(v.text, "@") || strings.HasPrefix(v.text, "%") {
		return false
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
	if r.lang == perl && (v.text == "exec" || v.text == "system") && r.peek().is("{") {
		return r.execAs(from)
	}
	var args []value
	to := toNone
	if r.lang == perl {
		to = r.handle(v.text)
	}
	for r.spend() {
		at := r.i
		key := r.key("", true)
		a := r.item(r.expr(), key)
		args = append(args, a)
		if r.i == at || !r.accept(",") {
			break
		}
		if len(args) >= 1024 {
			r.note(shell.Exceeds("", "calls a function with more arguments than checkrein can check"))
			break
		}
	}
	switch {
	case to == toSock:
		r.writesTo(args, true, from)
	case to == toOther && r.out.told:
		r.tells(value{text: "print", recv: &value{class: "shell"}}, args)
	}
	return r.call(v, args, from)
}

// execAs is perl's exec {'program'} 'name', words…: the name is only what the program is
// told.
func (r *reader) execAs(from int) value {
	r.i++
	prog := value{}
	if in := r.items("}", false); len(in) == 1 {
		prog = in[0]
	}
	r.accept(",")
	words := []value{prog}
	for r.spend() && len(words) < 1024 {
		at := r.i
		r.expr().each(func(w *value) { words = append(words, *w) })
		if r.i == at || !r.accept(",") {
			break
		}
	}
	if len(words) > 1 {
		words = append(words[:1], words[2:]...)
	}
	return r.argvOf(words, from)
}

// What perl prints to.
const (
	toNone = iota
	toSock
	toOther
)

// handle steps over what perl prints to, or the program that it runs under
// another name, and says what it is.
func (r *reader) handle(fn string) int {
	t, next := r.peek(), r.ahead(1)
	v := value{}
	switch {
	case t.is("{") && fn != "map": // print {$s} …, exec {'program'} words
		r.i++
		if in := r.items("}", false); len(in) == 1 {
			v = in[0]
		}
	case t.kind != tIdent || !facts.InList("print printf say exec system open", fn):
		return toNone
	case next.kind != tString && next.kind != tInterp && next.kind != tShell && next.kind != tGlob && (next.kind != tIdent || facts.InList("x eq ne if unless for foreach and or", next.text)):
		return toNone
	case strings.HasPrefix(t.text, "$"):
		r.i++
		v = r.ident(t.text)
	case strings.ToUpper(t.text) == t.text && !strings.HasPrefix(t.text, "@"):
		r.i++
		if t.text == "STDOUT" || t.text == "STDERR" {
			return toNone
		}
		if r.out.remote {
			return toSock
		}
	default:
		return toNone
	}
	if v.class == "sock" {
		return toSock
	}
	return toOther
}

// block reads a ruby block behind a call. Its parameter is an element of what the call
// goes over.
func (r *reader) block(t *token, v value) bool {
	if r.lang != ruby || t.nl {
		return false
	}
	brace := t.is("{")
	if !brace && !t.word("do") {
		return false
	}
	one := element(r.blockOver(v))
	r.i++
	if r.accept("|") {
		for n := 0; n < 12 && !r.accept("|") && r.peek().kind != tEnd; n++ {
			if p := r.peek(); p.kind == tIdent {
				r.bind(p.text, one)
			}
			r.i++
		}
	} else {
		r.bind("it", one)
		r.bind("_1", one)
	}
	if brace {
		r.items("}", false)
	}
	return true
}

// blockOver is what a call with a block behind it goes over.
func (r *reader) blockOver(v value) value {
	over := v
	if v.recv != nil {
		over = *v.recv
	}
	if v.form != name {
		return over
	}
	if facts.InList("then tap yield_self", v.text[strings.LastIndexByte(v.text, '.')+1:]) { // given all of it
		over = value{form: list, items: []value{over}, taint: over.taint}
	}
	out := r.mention(v, r.i-1)
	if out.glob {
		over = out
	}
	return over
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
	v = r.callee(v, from)
	if v.form != name {
		return value{taint: v.taint | taintOf(args)}
	}
	v, args, bound := r.through(v, args)
	if bound {
		return v
	}
	if r.tells(v, args) {
		return value{taint: v.taint}
	}
	if of, ok := strings.CutSuffix(v.text, ".get"); ok && len(args) > 0 && (strings.HasSuffix(of, "__dict__") || strings.HasSuffix(of, "()")) {
		return r.lookup(value{form: name, text: of}, args[0]) // os.__dict__.get('system')
	}
	e, ok := r.entry(v.text)
	if !ok {
		return r.callUnlisted(v, args, from)
	}
	if acting(e.op) {
		r.reached(&v, from)
	} else if e.op < lastPlace && !(e.op == opSame && len(args) == 1 && args[0].form == name && r.acts(&args[0])) { // promisify(f) is f
		r.passes(v, args, from)
	}
	out := r.apply(&e, v, args, from)
	out.key = ""
	return out
}

// callee is the name of the function that a call of v calls.
func (r *reader) callee(v value, from int) value {
	byText := func(s string) value { return value{form: name, text: strings.ReplaceAll(s, "::", ".")} }
	if n := len(v.items); v.form == list && n > 0 {
		last := v.items[n-1]
		switch {
		case last.form == name && (r.lang == perl && n == 1 || r.lang == javascript && n > 1): // &{\&system}('x'), (0, eval)('x')
			v = last
		case r.lang == perl && n == 1 && last.isKnown(): // &{"system"}('x')
			v = byText(last.text)
		}
	}
	if v.taint&dynamic != 0 {
		r.unresolved("calls a function chosen at run time", r.snippet(from))
	}
	if (r.lang == php || r.lang == perl) && v.isKnown() { // $f = 'system'; $f('x')
		v = byText(v.text)
	}
	return v
}

// through takes off the ways to call a function as an object. Bound is one that
// waits for its call.
func (r *reader) through(v value, args []value) (_ value, _ []value, bound bool) {
	switch r.lang {
	case javascript:
		v, args = throughCall(v, args)
	case ruby: // instance_method(:system).bind_call(self, 'x')
		if n, ok := strings.CutSuffix(v.text, ".bind_call"); ok && len(args) > 0 {
			v.text, args = n, args[1:]
		} else if n, ok := strings.CutSuffix(v.text, ".bind"); ok {
			v.text, bound = n, true
		}
	case php:
		if n, ok := strings.CutSuffix(v.text, ".invokeArgs"); ok && len(args) > 0 {
			v.text, args = n, args[0].items
		}
	}
	return v, args, bound
}

// callUnlisted calls a function that the tables do not know.
func (r *reader) callUnlisted(v value, args []value, from int) value {
	if strings.HasSuffix(v.text, "globals") || strings.HasSuffix(v.text, "locals") || strings.HasSuffix(v.text, "vars") {
		return r.namespace(v.text, args)
	}
	r.cloud(v.text, from)
	r.passes(v, args, from)
	t := taintOf(args) | v.taint
	if v.recv != nil {
		t |= v.recv.taint
	}
	t |= r.hidden(v, args, from)
	if n := r.canonical(v.text); v.recv == nil && !knowsFunction(r.lang, n) {
		r.unread("calls an unknown function: "+n, r.snippet(from))
	}
	return value{taint: t}
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
	if r.lang == ruby || e.at == self && v.recv != nil {
		return r.call(v, nil, from)
	}
	switch e.op {
	case opFork:
		return r.call(v, nil, from)
	case opDel, opRmdir, opEval, opRead:
		if r.peek().is("{") { // eval { … }
			return v
		}
		return r.call(v, []value{r.ident("$_")}, from)
	}
	return v
}
