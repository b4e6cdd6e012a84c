package code

import "strings"

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
	n = r.unprefixed(n)
	for strings.HasSuffix(n, ".__call__") {
		n = strings.TrimSuffix(n, ".__call__")
	}
	return n
}

// unprefixed takes off what a name begins with when it could also be left out.
func (r *reader) unprefixed(n string) string {
	i := strings.IndexByte(n, '.')
	if i < 0 {
		return n
	}
	switch n[:i] {
	case "builtins", "__builtin__", "__builtins__", "global", "globalThis", "window", "self", "__main__":
		return r.unprefixed(n[i+1:])
	case "process":
		return strings.TrimPrefix(n, "process.mainModule.")
	case "module", "require":
		if n == "module.require" || n == "require.main.require" {
			return "require"
		}
	case "fs", "dns":
		if rest, ok := strings.CutPrefix(n[i:], ".promises."); ok {
			return n[:i+1] + rest
		}
	}
	return n
}

// throughCall takes off f.call(this, …) and f.apply(this, […]).
func throughCall(v value, args []value) (value, []value) {
	if v.text == "Reflect.apply" && len(args) > 2 && args[0].form == name {
		v, args = args[0], args[2].items
		v.key = ""
	} else if n, ok := strings.CutSuffix(v.text, ".call"); ok && len(args) > 0 {
		v.text, args = n, args[1:]
	} else if n, ok := strings.CutSuffix(v.text, ".apply"); ok && len(args) > 1 {
		v.text, args = n, args[1].items
	} else if n, ok := strings.CutSuffix(v.text, ".bind"); ok && len(args) > 1 {
		v.text, args = n, args[1:]
	}
	return v, args
}
