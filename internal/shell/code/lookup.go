package code

import "strings"

// namespaceValue returns the result of fn, which is globals, vars or a similar function. That is the
// object in args, or else the name fn().
func (r *reader) namespaceValue(fn string, args []value) value {
	if len(args) > 0 && args[0].form == name {
		return args[0]
	}
	return value{form: name, text: fn + "()"}
}

// findEntry returns the entry of the function n. A method of an unknown object is found by its last
// part alone. It reports false if there is no entry.
func (r *reader) findEntry(n string) (entry, bool) {
	n = r.canonicalName(n)
	if e, ok := findFunction(r.lang, n); ok {
		return e, true
	}
	if i := strings.LastIndexByte(n, '.'); i >= 0 {
		if e, ok := findFunction(r.lang, "*"+n[i:]); ok {
			return e, true
		}
		return entry{}, false
	}
	for _, m := range r.stars {
		if e, ok := findFunction(r.lang, m+"."+n); ok {
			return e, true
		}
	}
	return entry{}, false
}

// canonicalName returns the dotted name n without redundant prefixes and suffixes, as the tables list
// it.
func (r *reader) canonicalName(n string) string {
	n = r.trimBuiltinPrefix(n)
	for strings.HasSuffix(n, ".__call__") {
		n = strings.TrimSuffix(n, ".__call__")
	}
	return n
}

// trimBuiltinPrefix returns the dotted name n without redundant prefixes, such as builtins, window and
// promises.
func (r *reader) trimBuiltinPrefix(n string) string {
	i := strings.IndexByte(n, '.')
	if i < 0 {
		return n
	}
	switch n[:i] {
	case "builtins", "__builtin__", "__builtins__", "global", "globalThis", "window", "self", "__main__":
		return r.trimBuiltinPrefix(n[i+1:])
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

// unwrapCall returns the function and the arguments of a call such as f.call(this, …), f.apply(this,
// […]) or Reflect.apply(f, this, […]). It returns v and args for other calls.
func unwrapCall(v value, args []value) (value, []value) {
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
