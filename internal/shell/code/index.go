package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// readForIn reads `for x, y in list` and returns the list. It stores the names of the variables in
// r.out.names.
func (r *reader) readForIn() value {
	r.i++
	names := []string(nil)
	for n := 0; n < 16; n++ {
		t := r.peek()
		if t.kind == tEnd || t.isWord("in") || t.isOp("=") {
			break
		}
		if t.kind == tIdent {
			names = append(names, t.text)
		}
		r.i++
	}
	r.i++
	if r.i >= len(r.toks) {
		r.i = len(r.toks) - 1
	}
	v := r.readExpr()
	r.out.names = names
	return v
}

// readToClosing reads the remaining expressions up to the closing bracket and drops their values.
func (r *reader) readToClosing(closing string) {
	for r.spendStep() {
		t := r.peek()
		if r.accept(closing) || t.kind == tEnd || t.isClosing() {
			return
		}
		at := r.i
		r.readExpr()
		if r.i == at {
			r.i++
		}
	}
}

// attribute returns the attribute of v with the name field. For an object, that is a dotted name with
// v as its receiver.
func (r *reader) attribute(v value, field string) value {
	if v.form == name && isStdinName(v.text) {
		v = r.readStdin()
	}
	switch v.form {
	case name:
		if v.recv != nil && v.taint != 0 { // an attribute of a response
			return value{form: name, text: "*." + field, taint: v.taint, recv: v.recv}
		}
		if len(v.text)+len(field) > 200 {
			return value{taint: v.taint}
		}
		return value{form: name, text: v.text + "." + field, taint: v.taint, recv: v.recv}
	case text:
		class := v.class
		if class == "" {
			class = "str"
		}
		recv := v
		return value{form: name, text: class + "." + field, taint: v.taint, recv: &recv}
	case list:
		for i := range v.items {
			if v.items[i].key == field {
				return v.items[i]
			}
		}
		recv := v
		return value{form: name, text: "list." + field, taint: v.taint, recv: &recv}
	case choice:
		if len(v.items) > 0 {
			out := r.attribute(v.items[0], field)
			recv := v
			if out.form == name {
				out.recv = &recv
			}
			out.taint |= v.taint
			return out
		}
	}
	recv := v
	class := v.class
	if class == "" {
		class = "*"
	}
	return value{form: name, text: class + "." + field, taint: v.taint, recv: &recv}
}

// readIndex reads an index or slice up to its closing bracket, and returns the item or part of v that
// it selects.
func (r *reader) readIndex(v value) value {
	slice := r.peek().isOp(":") || r.peekAt(1).isOp(":")
	start := -1
	if slice && v.form == name && r.peek().kind == tNumber && r.peekAt(2).isOp("]") { // as in sys.argv[1:]
		v = r.resolveName(v)
		start, _ = strconv.Atoi(r.peek().text)
	}
	keys := r.readBracketItems("]", false)
	switch {
	case slice && v.form == text:
		return value{form: text, text: placeholder, taint: v.taint}
	case start > 0 && v.form == list && r.lang == python:
		v.items = v.items[min(start-1, len(v.items)):] // the items do not include argv[0]
		return v
	case slice && v.form == list:
		return value{form: choice, items: v.items, taint: v.taint}
	}
	return r.itemAt(v, append(keys, value{})[0])
}

// itemAt returns the item or attribute of v with the index or key k. The result is unknown, with the
// taint of v, if it cannot be determined.
func (r *reader) itemAt(v, k value) value {
	switch v.form {
	case name:
		return r.namedItemAt(v, k)
	case list:
		return listItemAt(v, k)
	case text:
		if v.glob {
			return v
		}
		if k.isKnownText() && !k.num { // as in ''['constructor']
			return r.attribute(v, k.text)
		}
	case choice:
		if len(v.items) > 0 {
			return r.itemAt(v.items[0], k)
		}
	}
	if k.isKnownText() && !k.num {
		return r.attribute(value{taint: v.taint}, k.text)
	}
	return value{taint: v.taint}
}

// listItemAt returns the item of the list v with the index or key k. If there is none, it returns a
// choice of all items.
func listItemAt(v, k value) value {
	if at, err := strconv.Atoi(k.text); err == nil && at >= 0 && at < len(v.items) {
		return v.items[at]
	}
	for i := range v.items {
		if v.items[i].key != "" && v.items[i].key == k.text {
			return v.items[i]
		}
	}
	return value{form: choice, items: v.items, taint: v.taint}
}

// namedItemAt returns the item of the named object v with the index or key k. If k is not known and v
// holds functions with effects, the result is tainted as dynamic.
func (r *reader) namedItemAt(v, k value) value {
	if k.isKnownText() {
		return r.namedItemAtKnownKey(v, k)
	}
	if r.isEnvironName(v.text) {
		return value{}
	}
	if w, ok := r.argvItem(v.text, k); ok {
		return w
	}
	t := v.taint
	if v.text == "this" || v.text == "globalThis" || hasAnyPrefix(v.text, "os", "__builtins__", "globals", "process", "child_process") {
		t |= dynamic
	}
	return value{taint: t}
}

// namedItemAtKnownKey returns the item of the named object v with the known key k, such as
// os.environ['X'], process.argv[2], os.__dict__['system'] or require('fs')['rmSync'].
func (r *reader) namedItemAtKnownKey(v, k value) value {
	if r.isEnvironName(v.text) {
		return r.envValue(k.text)
	}
	if w, ok := r.argvItem(v.text, k); ok {
		return w
	}
	if k.num {
		return value{taint: v.taint}
	}
	base := strings.TrimSuffix(v.text, ".__dict__")
	switch base {
	case "globals()", "locals()", "vars()", "__builtins__", "this", "globalThis", "global", "window", "sys.modules":
		return r.identValue(k.text)
	}
	return r.attribute(value{form: name, text: base, taint: v.taint}, k.text)
}

// isEnvironName reports whether n is the name of the map of all environment variables.
func (r *reader) isEnvironName(n string) bool {
	switch n {
	case "os.environ", "os.environb", "process.env", "Bun.env", "Deno.env", "import.meta.env":
		return true
	}
	return false
}

// envValue returns the value of the environment variable n. If n is not set and its name is that of a
// secret, the result is unknown and tainted.
func (r *reader) envValue(n string) value {
	switch strings.ToUpper(n) {
	case "HOME", "USERPROFILE":
		return textValue(homeMark)
	case "TMPDIR", "TEMP", "TMP":
		return textValue("/tmp")
	case "PWD":
		return textValue(".")
	}
	if i := len(r.job.env) - 1; i >= 0 {
		for ; i >= 0; i-- {
			if r.job.env[i].Name == n {
				return r.wordValue(&r.job.env[i].Value, n)
			}
		}
	}
	if facts.IsSecretName(n) {
		r.out.seen |= fromSetting
		r.out.recordSecretOwner(n)
		return value{taint: fromSetting}
	}
	return value{}
}

// argvItem returns the item at index k of the argument list n, as in sys.argv[1] or process.argv[2].
// The result is a choice of all arguments if k is not a number. It reports false if n is not an
// argument list.
func (r *reader) argvItem(n string, k value) (value, bool) {
	first := 0
	switch n {
	case "sys.argv", "argv", "process.argv":
	case "Deno.args", "Bun.argv":
		first = -1
	default:
		return value{}, false
	}
	at, err := strconv.Atoi(k.text)
	if err != nil {
		return value{form: choice, items: r.argvValues()}, true
	}
	at -= first + 1
	args := r.argvValues()
	if at >= 0 && at < len(args) {
		return args[at], true
	}
	return value{}, true
}

// argvValues returns the values of the first 64 arguments of the code.
func (r *reader) argvValues() []value {
	out := make([]value, 0, len(r.job.args))
	for i := range r.job.args {
		w := &r.job.args[i]
		if len(out) == 64 {
			break
		}
		v := r.wordValue(w, "")
		v.glob = w.Glob
		out = append(out, v)
	}
	return out
}
