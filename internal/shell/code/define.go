package code

// readFunctionHead reads the head of a function and binds its parameters to the arguments of the calls
// in this code. It returns false if the next tokens are not the head of a function.
func (r *reader) readFunctionHead() bool {
	if r.lang == python && r.peek().text == "lambda" {
		return false
	}
	if r.peekAt(1).isOp("=") {
		return false
	}
	r.i++
	fn := ""
	if r.peek().kind == tIdent {
		fn = r.peek().text
		r.recordDefinition(fn)
		r.i++
	}
	if !r.peek().isOp("(") {
		return true
	}
	open := r.i + 1
	names, end := r.paramNames(open)
	r.i = end
	if fn == "" {
		r.bindCallbackParams(names, r.elem)
	} else {
		r.bindParamsFromCalls(fn, names)
	}
	r.readParamDefaults(open, end)
	return true
}

// readParamDefaults reads the default values of parameters between the token indexes from and to. It
// binds parameters whose default is a function with effects.
func (r *reader) readParamDefaults(from, to int) {
	at, level := r.i, 0
	for k := from; k < to && k+1 < len(r.toks); k++ {
		switch t := &r.toks[k]; {
		case t.isOpening():
			level++
		case t.isClosing():
			level--
		case t.isOp("=") && level == 0 && k > from && r.toks[k-1].kind == tIdent:
			r.i = k + 1
			v := r.readExpr()
			if n := r.toks[k-1].text; v.form == name && r.isHarmfulFunction(&v) {
				if old, ok := r.vars[n]; ok && old.form != unknown {
					v = choiceOf(v, old)
				}
				r.bind(n, v)
			}
			k = max(k, r.i-1)
		}
	}
	r.i = at
}

// paramNames returns the names in the parameter list that begins at the token index at, and the index
// after its closing bracket.
func (r *reader) paramNames(at int) (params []string, next int) {
	var names []string
	level := 1
	for ; at < len(r.toks)-1; at++ {
		t := &r.toks[at]
		switch {
		case t.isOpening():
			level++
		case t.isClosing():
			if level--; level == 0 {
				return names, at + 1
			}
		case t.kind == tIdent && level == 1 && len(names) < 8 && (r.toks[at-1].isOp("(") || r.toks[at-1].isOp(",")):
			names = append(names, t.text)
		}
	}
	return names, at
}

// bindCallbackParams binds the first parameter of an anonymous function to first, the value that the
// function is called with. The other parameters become unknown.
func (r *reader) bindCallbackParams(names []string, first value) {
	for i, n := range names {
		if i == 0 {
			r.bind(n, first)
		} else {
			r.bind(n, value{taint: first.taint})
		}
	}
}

// bindParamsFromCalls binds the parameters in names to the arguments of later calls of fn in this
// code. They are unknown if there is no call.
func (r *reader) bindParamsFromCalls(fn string, names []string) {
	for _, n := range names {
		r.bind(n, value{})
	}
	if r.out.defs++; r.out.defs > 16 || len(names) == 0 {
		return
	}
	at, found := r.i, 0
	given := make([]value, len(names))
	for k := r.i; k+1 < len(r.toks) && found <= maxElements; k++ {
		if !r.toks[k].isWord(fn) || r.toks[k-1].isOp(".") { // skip other names, and methods of the same name
			continue
		}
		open := k + 1
		if !r.toks[open].isOp("(") {
			continue
		}
		r.i = open + 1
		r.quiet++
		args := r.readBracketItems(")", true)
		r.quiet--
		for i := range names {
			switch a := namedOrNthArg(args, i, names[i]); {
			case found == 0:
				given[i] = a
			case found == maxElements: // an unknown value covers all further calls
				given[i] = appendChoice(given[i], value{})
			default:
				given[i] = appendChoice(given[i], a)
			}
		}
		found++
	}
	r.i = at
	if found == 0 {
		return
	}
	for i, n := range names {
		r.bind(n, given[i])
	}
}

// arrowParams returns the parameter names of the arrow function `(a, b) => …` whose parameters come
// next, and the index of the token after the arrow. The index is 0 if there is no arrow function.
func (r *reader) arrowParams() (params []string, next int) {
	if r.lang != javascript {
		return nil, 0
	}
	// Check for the arrow first, because most parentheses are not parameter lists.
	for n, level := 0, 1; n < 40; n++ {
		t := r.peekAt(n)
		switch {
		case t.kind == tEnd:
			return nil, 0
		case t.isOpening():
			level++
		case t.isClosing():
			if level--; level > 0 {
				continue
			}
			if !r.peekAt(n + 1).isOp("=>") {
				return nil, 0
			}
			names, end := r.paramNames(r.i)
			return names, end + 1
		}
	}
	return nil, 0
}

// readFunctionBody reads the body of an anonymous function. It returns the value of a body that is an
// expression, and an unknown value for a block.
func (r *reader) readFunctionBody() value {
	if r.accept("{") {
		r.readBracketItems("}", false)
		return value{}
	}
	return r.readExpr()
}

// readLambda reads the rest of `lambda x: expr` and returns the value of the expression.
func (r *reader) readLambda() value {
	var names []string
	from := r.i
	for n := 0; n < 48 && !r.peek().isOp(":") && r.peek().kind != tEnd; n++ {
		if t := r.peek(); t.kind == tIdent && (n == 0 || r.toks[r.i-1].isOp(",") || r.toks[r.i-1].isOp("*") || r.toks[r.i-1].isOp("**")) {
			names = append(names, t.text)
		}
		r.i++
	}
	to := r.i
	r.accept(":")
	r.bindCallbackParams(names, r.elem)
	r.readParamDefaults(from, to)
	return r.readExpr()
}

// recordDefinition records that the code defines the function n.
func (r *reader) recordDefinition(n string) {
	if r.defined == nil {
		r.defined = make(map[string]bool, 8)
	}
	if len(r.defined) < maxVars {
		r.defined[n] = true
	}
}
