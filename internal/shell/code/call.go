package code

import "strings"

// callParens reads the arguments of a call of v up to the closing parenthesis, applies the call, and
// returns its result.
func (r *reader) callParens(v value, from int) value {
	elem := r.elem
	r.elem = r.callbackArg(v)
	if r.lang == python && r.peek().isWord("lambda") && r.quiet == 0 && v.form == name {
		r.elem = r.lambdaArg(v.text)
	}
	args := r.readBracketItems(")", true)
	r.elem = elem
	return r.call(v, args, from)
}

// callbackArg returns the value that the function v passes to a callback among its arguments, such as
// an element of the list that v is a method of.
func (r *reader) callbackArg(v value) value {
	if v.form != name {
		return value{}
	}
	if v.recv != nil {
		return loopElement(*v.recv)
	}
	if mod, ok := strings.CutSuffix(v.text, ".then"); ok && r.lang == javascript { // as in import('fs').then(fs => …)
		return value{form: name, text: mod, taint: v.taint}
	}
	e, _ := findFunction(r.lang, v.text)
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

// callTemplate reads the template after the tag v, as in tag`text` in JavaScript, applies the call,
// and returns its result.
func (r *reader) callTemplate(v value, from int) value {
	t := r.peek()
	r.i++
	arg := textValue(t.text)
	if t.kind == tInterp {
		arg = r.interpolate(t.text)
	}
	if v.text == "$" { // zx and bun run the template as a shell command
		return r.addCommandLine(arg, from)
	}
	return r.call(v, []value{arg}, from)
}

// call applies a call of v with args: it adds the effects that the tables list, and returns the
// result. From is the index of the call's first token.
func (r *reader) call(v value, args []value, from int) value {
	if v.form == choice {
		out := value{}
		for i := range v.items {
			if v.items[i].form == name {
				out = r.call(v.items[i], args, from)
			}
		}
		return out
	}
	v = r.resolveCallee(v, from)
	if v.form != name {
		return value{taint: v.taint | taintOf(args)}
	}
	if r.lang == javascript {
		v, args = unwrapCall(v, args)
	}
	if r.addShellInput(v, args) {
		return value{taint: v.taint}
	}
	if of, ok := strings.CutSuffix(v.text, ".get"); ok && len(args) > 0 && (strings.HasSuffix(of, "__dict__") || strings.HasSuffix(of, "()")) {
		return r.itemAt(value{form: name, text: of}, args[0]) // as in os.__dict__.get('system')
	}
	e, ok := r.findEntry(v.text)
	if !ok {
		return r.callUnlisted(v, args, from)
	}
	if isHarmfulOp(e.op) {
		r.recordIndirectCall(&v, from)
	} else if e.op < lastPlace && !(e.op == opSame && len(args) == 1 && args[0].form == name && r.isHarmfulFunction(&args[0])) { // promisify(f) acts as f
		r.addHarmfulArgs(v, args, from)
	}
	out := r.applyOp(&e, v, args, from)
	out.key = ""
	return out
}

// resolveCallee returns the function that a call of v calls. It adds an effect if the function is
// chosen at run time.
func (r *reader) resolveCallee(v value, from int) value {
	if n := len(v.items); v.form == list && n > 1 && v.items[n-1].form == name && r.lang == javascript { // as in (0, eval)('x')
		v = v.items[n-1]
	}
	if v.taint&dynamic != 0 {
		r.addUnresolvedEffect("calls a function chosen at run time", r.snippet(from))
	}
	return v
}

// callUnlisted applies a call of v, which the tables do not list, and returns its result.
func (r *reader) callUnlisted(v value, args []value, from int) value {
	if strings.HasSuffix(v.text, "globals") || strings.HasSuffix(v.text, "locals") || strings.HasSuffix(v.text, "vars") {
		return r.namespaceValue(v.text, args)
	}
	r.addIfCloudDelete(v.text, from)
	r.addHarmfulArgs(v, args, from)
	t := taintOf(args) | v.taint
	if v.recv != nil {
		t |= v.recv.taint
	}
	t |= r.followHiddenCall(v, args, from)
	if n := r.canonicalName(v.text); v.recv == nil && !isHarmlessFunction(r.lang, n) {
		r.addUnreadEffect("calls an unknown function: "+n, r.snippet(from))
	}
	return value{taint: t}
}
