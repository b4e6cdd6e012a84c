package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// headList reads `for x, y in list` and leaves the names in the result.
func (r *reader) headList() value {
	r.i++
	names := []string(nil)
	for n := 0; n < 16; n++ {
		t := r.peek()
		if t.kind == tEnd || t.word("in") || t.is("=") {
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
	v := r.expr()
	r.out.names = names
	return v
}

// rest reads what is left up to the closing bracket.
func (r *reader) rest(closing string) {
	for r.spend() {
		t := r.peek()
		if r.accept(closing) || t.kind == tEnd || t.closes() {
			return
		}
		at := r.i
		r.expr()
		if r.i == at {
			r.i++
		}
	}
}

// attr is a thing that belongs to v.
func (r *reader) attr(v value, field string) value {
	if v.form == name && isStdin(v.text) {
		v = r.readStdin()
	}
	switch v.form {
	case name:
		if v.recv != nil && v.taint != 0 { // the text of a response
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
			out := r.attr(v.items[0], field)
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

// index reads what stands between the brackets behind v.
func (r *reader) index(v value) value {
	slice := r.peek().is(":") || r.ahead(1).is(":")
	start := -1
	if slice && v.form == name && r.peek().kind == tNumber && r.ahead(2).is("]") { // sys.argv[1:]
		v = r.resolve(v)
		start, _ = strconv.Atoi(r.peek().text)
	}
	keys := r.bracketItems("]", false)
	switch {
	case slice && v.form == text:
		return value{form: text, text: holeText, taint: v.taint}
	case start > 0 && v.form == list && r.lang == python:
		v.items = v.items[min(start-1, len(v.items)):] // the items do not include the program's own name
		return v
	case slice && v.form == list:
		return value{form: choice, items: v.items, taint: v.taint}
	}
	return r.lookup(v, append(keys, value{})[0])
}

// lookup is the part of v under the key k.
func (r *reader) lookup(v, k value) value {
	switch v.form {
	case name:
		return r.lookupName(v, k)
	case list:
		return lookupItem(v, k)
	case text:
		if v.glob {
			return v
		}
		if k.isKnown() && !k.num { // ''['constructor']
			return r.attr(v, k.text)
		}
	case choice:
		if len(v.items) > 0 {
			return r.lookup(v.items[0], k)
		}
	}
	if k.isKnown() && !k.num {
		return r.attr(value{taint: v.taint}, k.text)
	}
	return value{taint: v.taint}
}

// lookupItem is the item of a list under a number or a key.
func lookupItem(v, k value) value {
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

// lookupName is the part of a named thing under a key.
func (r *reader) lookupName(v, k value) value {
	if k.isKnown() {
		return r.named(v, k)
	}
	if r.isEnv(v.text) {
		return value{}
	}
	if w, ok := r.argument(v.text, k); ok {
		return w
	}
	t := v.taint
	if v.text == "this" || v.text == "globalThis" || hasAnyPrefix(v.text, "os", "__builtins__", "globals", "process", "child_process") {
		t |= dynamic
	}
	return value{taint: t}
}

// named is the part of a named thing under a key that is known: os.environ['X'],
// process.argv[2], os.__dict__['system'], require('fs')['rmSync'].
func (r *reader) named(v, k value) value {
	if r.isEnv(v.text) {
		return r.variable(k.text)
	}
	if w, ok := r.argument(v.text, k); ok {
		return w
	}
	if k.num {
		return value{taint: v.taint}
	}
	base := strings.TrimSuffix(v.text, ".__dict__")
	switch base {
	case "globals()", "locals()", "vars()", "__builtins__", "this", "globalThis", "global", "window", "sys.modules":
		return r.ident(k.text)
	}
	return r.attr(value{form: name, text: base, taint: v.taint}, k.text)
}

// isEnv reports whether a name is the environment.
func (r *reader) isEnv(n string) bool {
	switch n {
	case "os.environ", "os.environb", "process.env", "Bun.env", "Deno.env", "import.meta.env":
		return true
	}
	return false
}

// variable is the value of an environment variable.
func (r *reader) variable(n string) value {
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
				return r.handed(&r.job.env[i].Value, n)
			}
		}
	}
	if facts.SecretName(n) {
		r.out.seen |= fromSetting
		r.out.owned(n)
		return value{taint: fromSetting}
	}
	return value{}
}

// argument is a word that the code is given: sys.argv[1], $ARGV[0].
func (r *reader) argument(n string, k value) (value, bool) {
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
		return value{form: choice, items: r.arguments()}, true
	}
	at -= first + 1
	args := r.arguments()
	if at >= 0 && at < len(args) {
		return args[at], true
	}
	return value{}, true
}

// arguments are the words behind the code.
func (r *reader) arguments() []value {
	out := make([]value, 0, len(r.job.args))
	for i := range r.job.args {
		w := &r.job.args[i]
		if len(out) == 64 {
			break
		}
		v := r.handed(w, "")
		v.glob = w.Glob
		out = append(out, v)
	}
	return out
}
