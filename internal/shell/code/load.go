package code

import "strings"

// evals reads code that the code runs.
func (r *reader) evals(e *entry, args []value, from int) value {
	s := positional(args, 0, "source code text expr")
	if e.op == opCreate {
		s = positional(args, 1, "")
	}
	if r.lang == javascript && e.op == opEval && len(args) > 1 && e.name != "*._compile" && !strings.HasPrefix(e.name, "vm.") { // Function('a', 'body')
		s = args[len(args)-1]
		if s.form == list {
			s = args[0]
		}
	}
	if r.lang == perl && s.form == list { // eval { … }
		return value{}
	}
	if s.taint&fromNet != 0 {
		r.remote(from)
		return value{}
	}
	if s.form == choice && len(s.items) > 0 {
		s = s.items[0]
	}
	if e.op == opEvalText && s.form != text {
		r.passes(value{form: name, text: e.name}, args, from) // setTimeout(f, 1, 'x')
		return value{}
	}
	if s.form == text && strings.Trim(s.text, holeText+" \n") != "" {
		out := r.nested(s.text, r.lang)
		if strings.HasSuffix(e.name, "Function") || e.name == "*.constructor" {
			out.class = "thunk" // a function whose call gives the value
		}
		return out
	}
	if len(args) > 0 {
		r.unresolved("runs code built at run time", r.snippet(from))
	}
	return value{}
}

// loads is a module that is asked for by name.
func (r *reader) loads(e *entry, args []value, from int) value {
	s := positional(args, 0, "name file")
	if r.lang == perl && e.op == opRequire {
		return r.requiresPerl(s, from)
	}
	if s.form != text || !s.isKnown() {
		if s.taint&fromNet != 0 {
			r.remote(from)
		} else if len(args) > 0 {
			r.unread("loads a file or module whose name is unknown", r.snippet(from))
		}
		return value{taint: dynamic}
	}
	switch {
	case isURL(s.text) || strings.HasPrefix(s.text, "data:"):
		r.remote(from)
		return value{}
	case e.op == opInclude:
		if !strings.HasSuffix(s.text, "autoload.php") {
			r.unread("runs another file", r.snippet(from))
		}
		return value{}
	case strings.HasPrefix(s.text, "/tmp/") || strings.HasPrefix(s.text, "/dev/") || strings.HasPrefix(s.text, "/var/tmp/"):
		r.unread("runs another file", r.snippet(from))
		return value{}
	case strings.HasPrefix(s.text, ".") || strings.HasPrefix(s.text, "/"):
		if !strings.HasSuffix(s.text, ".json") {
			r.unread("runs another file", r.snippet(from))
		}
		return value{}
	case r.lang == javascript:
		r.bringsJS(s.text)
	default:
		r.imports(s.text)
	}
	if s.text == "shelljs/global" && len(r.stars) < 8 {
		r.stars = append(r.stars, "shelljs")
	}
	return value{form: name, text: r.module(s.text)}
}

// requiresPerl is `require Module` and `require "file.pl"`.
func (r *reader) requiresPerl(s value, from int) value {
	switch {
	case s.form == name:
		r.brings(strings.ReplaceAll(s.text, ".", "::"))
	case s.num: // a version
	case s.isKnown() && strings.HasSuffix(s.text, ".pm") && !strings.HasPrefix(s.text, "/") && !strings.HasPrefix(s.text, "."):
		r.brings(strings.ReplaceAll(strings.TrimSuffix(s.text, ".pm"), "/", "::"))
	default:
		r.unread("runs another file", r.snippet(from))
	}
	return value{}
}

// indirect is a function that is called by its name, or for each element.
func (r *reader) indirect(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opGetattr:
		return r.getattr(e, v, args, from)
	case opSendMethod:
		return r.sendMethod(v, args, from)
	case opCallName:
		return r.callNamed(positional(args, 0, ""), args[min(1, len(args)):], from)
	case opCallList:
		return r.callNamed(positional(args, 0, ""), positional(args, 1, "").items, from)
	case opMap:
		over := positional(args, 1, "")
		return r.mapped(positional(args, 0, ""), over, from)
	case opMapBack:
		return r.mapped(positional(args, 1, ""), positional(args, 0, ""), from)
	case opEach:
		over := value{}
		if v.recv != nil {
			over = *v.recv
		}
		fn := positional(args, 0, "")
		if fn.form == name {
			return r.mapped(fn, over, from)
		}
		if fn.isKnown() && r.lang == ruby { // each(&:destroy)
			return r.callEach(over, fn.text, from)
		}
		if fn.form != unknown && strings.HasSuffix(v.text, ".map") { // what an arrow gives for an element
			fn.taint |= over.taint
			if over.form == list && len(over.items) > 0 {
				return value{taint: fn.taint}
			}
			return fn
		}
		return value{taint: over.taint | fn.taint}
	}
	return value{}
}

// callEach calls a method of each element.
func (r *reader) callEach(over value, method string, from int) value {
	if over.form != list || len(over.items) > 256 {
		return r.call(r.attr(element(over), method), nil, from)
	}
	out := value{form: list, taint: over.taint}
	for i := range over.items {
		if !r.spend() {
			break
		}
		out.items = append(out.items, r.call(r.attr(over.items[i], method), nil, from))
	}
	return out
}

// mapped calls fn for the elements of a list.
func (r *reader) mapped(fn, over value, from int) value {
	if fn.form == text && r.lang == php {
		fn = value{form: name, text: fn.text}
	}
	if fn.form != name {
		return value{taint: over.taint | fn.taint}
	}
	if over.form == list && len(over.items) <= 256 {
		out := value{form: list}
		for i := range over.items {
			if !r.spend() {
				break
			}
			out.items = append(out.items, r.call(fn, []value{over.items[i]}, from))
		}
		return out
	}
	return r.call(fn, []value{element(over)}, from)
}

// callNamed calls a function whose name is a value.
func (r *reader) callNamed(fn value, args []value, from int) value {
	switch fn.form {
	case text:
		if !fn.isKnown() {
			r.unresolved("calls a function chosen at run time", r.snippet(from))
			return value{}
		}
		return r.call(value{form: name, text: fn.text}, args, from)
	case name:
		return r.call(fn, args, from)
	}
	return value{}
}

// getattr is a part of a thing by its name.
func (r *reader) getattr(e *entry, v value, args []value, from int) value {
	of, key := positional(args, 0, ""), positional(args, 1, "")
	if e.at == self || len(args) == 1 {
		of, key = value{form: name, text: "Kernel"}, positional(args, 0, "")
		if v.recv != nil {
			of = *v.recv
		} else if i := strings.LastIndexByte(v.text, '.'); i > 0 {
			of = value{form: name, text: v.text[:i]}
		}
	}
	if !key.isKnown() {
		if key.taint&fromNet != 0 {
			r.remote(from)
			return value{}
		}
		r.unresolved("calls a function chosen at run time", r.snippet(from))
		return value{}
	}
	return r.attr(of, key.text)
}

// sendMethod is ruby's obj.send(:name, args).
func (r *reader) sendMethod(v value, args []value, from int) value {
	if len(args) == 0 {
		return value{}
	}
	if v.recv != nil && v.recv.form == unknown && v.recv.class == "" { // self.send
		v.recv, v.text = nil, "send"
	}
	return r.call(r.getattr(&entry{at: self}, v, args[:1], from), args[1:], from)
}
