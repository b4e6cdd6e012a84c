package code

import "strings"

// readEvaluated reads the code that a call of eval or a similar function runs, and returns its value.
// It adds an effect if the code is not known.
func (r *reader) readEvaluated(e *entry, args []value, from int) value {
	s := namedOrNthArg(args, 0, "source code text expr")
	if r.lang == javascript && e.op == opEval && len(args) > 1 && e.name != "*._compile" && !strings.HasPrefix(e.name, "vm.") { // the code is the last argument, as in Function('a', 'body')
		s = args[len(args)-1]
		if s.form == list {
			s = args[0]
		}
	}
	if s.taint&fromNet != 0 {
		r.addRemoteCode(from)
		return value{}
	}
	if s.form == choice && len(s.items) > 0 {
		s = s.items[0]
	}
	if e.op == opEvalText && s.form != text {
		r.addHarmfulArgs(value{form: name, text: e.name}, args, from) // as in setTimeout(f, 1, 'x')
		return value{}
	}
	if s.form == text && strings.Trim(s.text, placeholder+" \n") != "" {
		return r.readNestedCode(s.text, r.lang)
	}
	if len(args) > 0 {
		r.addUnresolvedEffect("runs code built at run time", r.snippet(from))
	}
	return value{}
}

// loadModule returns the module that a call of require or a similar function loads, and adds the
// effects of loading it.
func (r *reader) loadModule(args []value, from int) value {
	s := namedOrNthArg(args, 0, "name file")
	if s.form != text || !s.isKnownText() {
		if s.taint&fromNet != 0 {
			r.addRemoteCode(from)
		} else if len(args) > 0 {
			r.addUnreadEffect("loads a file or module whose name is unknown", r.snippet(from))
		}
		return value{taint: dynamic}
	}
	switch {
	case isURL(s.text) || strings.HasPrefix(s.text, "data:"):
		r.addRemoteCode(from)
		return value{}
	case strings.HasPrefix(s.text, ".") || strings.HasPrefix(s.text, "/"):
		if !strings.HasSuffix(s.text, ".json") {
			r.addUnreadEffect("runs another file", r.snippet(from))
		}
		return value{}
	case r.lang == javascript:
		r.addJSModuleLoad(s.text)
	default:
		r.addImport(s.text)
	}
	if s.text == "shelljs/global" && len(r.stars) < 8 {
		r.stars = append(r.stars, "shelljs")
	}
	return value{form: name, text: r.canonicalModule(s.text)}
}

// callIndirect applies a call of getattr, or of a function such as map that calls another function for
// the elements of a list, and returns its result.
func (r *reader) callIndirect(e *entry, v value, args []value, from int) value {
	fn, over := namedOrNthArg(args, 0, ""), namedOrNthArg(args, 1, "")
	if e.op == opEach && v.recv != nil {
		over = *v.recv
	}
	switch {
	case e.op == opGetattr:
		return r.applyGetattr(e, v, args, from)
	case fn.form == name:
		return r.call(fn, []value{loopElement(over)}, from)
	case e.op == opEach && fn.form != unknown && over.form != list: // fn is the result of an arrow function for an element
		fn.taint |= over.taint
		return fn
	}
	return value{taint: over.taint | fn.taint}
}

// applyGetattr returns the attribute that a call of getattr(object, name) or
// object.__getattribute__(name) looks up. It adds an effect if the name is not known.
func (r *reader) applyGetattr(e *entry, v value, args []value, from int) value {
	of, key := namedOrNthArg(args, 0, ""), namedOrNthArg(args, 1, "")
	if e.at == self || len(args) == 1 {
		of, key = value{}, namedOrNthArg(args, 0, "")
		if v.recv != nil {
			of = *v.recv
		} else if i := strings.LastIndexByte(v.text, '.'); i > 0 {
			of = value{form: name, text: v.text[:i]}
		}
	}
	if !key.isKnownText() {
		if key.taint&fromNet != 0 {
			r.addRemoteCode(from)
			return value{}
		}
		r.addUnresolvedEffect("calls a function chosen at run time", r.snippet(from))
		return value{}
	}
	return r.attribute(of, key.text)
}
