package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/fact"
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
		if t.kind == tEnd {
			return
		}
		if t.is(closing) {
			r.i++
			return
		}
		if t.kind == tOp && (t.text == ")" || t.text == "]" || t.text == "}") {
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
		v = r.stdin()
	}
	switch v.form {
	case name:
		if v.recv != nil && v.taint != 0 { // r.text of an answer
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
func (r *reader) index(v value, closing string) value {
	if w, ok := r.vars[aggregate(v, closing)]; ok && r.lang == perl && v.form == name { // $h{c} of %h
		v = w
	}
	if s, ok := r.cut(v, closing); ok {
		return s
	}
	reversed := closing == "]" && r.peek().is("::") && r.ahead(1).is("-") && r.ahead(2).text == "1" && r.ahead(3).is("]") ||
		r.peek().is(":") && r.ahead(1).is(":") && r.ahead(2).is("-") && r.ahead(3).text == "1" && r.ahead(4).is("]")
	slice := r.peek().is(":") || r.ahead(1).is(":") && closing == "]"
	start := -1
	if slice && v.form == name && r.peek().kind == tNumber && r.ahead(2).is(closing) { // sys.argv[1:]
		v = r.plain(v)
		start, _ = strconv.Atoi(r.peek().text)
	}
	var keys []value
	if closing == "}" && r.peek().kind == tIdent && r.ahead(1).is("}") { // $x{word}
		keys = []value{known(r.peek().text)}
		r.i += 2
	} else {
		keys = r.items(closing, false)
	}
	k := value{}
	if len(keys) > 0 {
		k = keys[0]
	}
	if e, ok := r.entry(v.text); ok && v.form == name && r.lang == ruby && (e.op == opShell || e.op == opEval) { // m['rm x'] of a method
		return r.call(v, keys, r.i-1)
	}
	switch {
	case reversed && v.form == text:
		v.text = reverse(v.text)
		return v
	case slice && v.form == text:
		return value{form: text, text: holeText, taint: v.taint}
	case start > 0 && v.form == list && r.lang == python:
		v.items = v.items[min(start-1, len(v.items)):] // the words do not hold the program's own name
		return v
	case slice && v.form == list:
		return value{form: choice, items: v.items, taint: v.taint}
	}
	return r.lookup(v, k)
}

// aggregate is the name of the hash or list that $x{…} and $x[…] are part of.
func aggregate(v value, closing string) string {
	if v.form != name || !strings.HasPrefix(v.text, "$") {
		return ""
	}
	if closing == "}" {
		return "%" + v.text[1:]
	}
	return "@" + v.text[1:]
}

// cut reads the slice of a text whose bounds are numbers: 'rm -rf /x'[:8].
func (r *reader) cut(v value, closing string) (value, bool) {
	if r.lang != python || v.form != text || v.glob || strings.Contains(v.text, holeText) {
		return v, false
	}
	from, to, n := 0, len(v.text), 0
	if t := r.ahead(n); t.kind == tNumber {
		from, _ = strconv.Atoi(t.text)
		n++
	}
	if !r.ahead(n).is(":") {
		return v, false
	}
	n++
	if t := r.ahead(n); t.kind == tNumber {
		to, _ = strconv.Atoi(t.text)
		n++
	} else if t.is("-") && r.ahead(n+1).kind == tNumber {
		k, _ := strconv.Atoi(r.ahead(n + 1).text)
		to -= k
		n += 2
	}
	if !r.ahead(n).is(closing) {
		return v, false
	}
	r.i = min(r.i+n+1, len(r.toks)-1)
	to = max(min(to, len(v.text)), 0)
	v.text = v.text[min(from, to):to]
	return v, true
}

// lookup is the part of v under the key k.
func (r *reader) lookup(v, k value) value {
	switch v.form {
	case name:
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
		if strings.HasPrefix(v.text, "os") || strings.HasPrefix(v.text, "__builtins__") || strings.HasPrefix(v.text, "globals") ||
			strings.HasPrefix(v.text, "process") || strings.HasPrefix(v.text, "child_process") || v.text == "this" || v.text == "globalThis" {
			t |= dynamic
		}
		return value{taint: t}
	case list:
		if n, err := strconv.Atoi(k.text); err == nil && k.num {
			if n < 0 {
				n += len(v.items)
			}
			if n >= 0 && n < len(v.items) {
				return v.items[n]
			}
			return value{taint: v.taint}
		}
		for i := range v.items {
			if v.items[i].key != "" && v.items[i].key == k.text {
				return v.items[i]
			}
		}
		return value{form: choice, items: v.items, taint: v.taint}
	case text:
		if n, err := strconv.Atoi(k.text); err == nil && k.num && !v.glob {
			if n < 0 {
				n += len(v.text)
			}
			if n >= 0 && n < len(v.text) {
				return value{form: text, text: v.text[n : n+1], taint: v.taint}
			}
		}
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
	if v.text == "Dir" && r.lang == ruby {
		return value{form: text, text: k.text, glob: true}
	}
	base := strings.TrimSuffix(v.text, ".__dict__")
	switch base {
	case "globals()", "locals()", "vars()", "__builtins__", "this", "globalThis", "global", "window", "sys.modules", "_G", "GLOBALS":
		return r.ident(k.text)
	}
	return r.attr(value{form: name, text: base, taint: v.taint}, k.text)
}

// isEnv reports whether a name is the environment.
func (r *reader) isEnv(n string) bool {
	switch n {
	case "os.environ", "os.environb", "process.env", "ENV", "%ENV", "$ENV", "$_ENV", "$_SERVER", "Bun.env", "Deno.env", "import.meta.env", "ENVIRON":
		return true
	}
	return false
}

// variable is the value of an environment variable.
func (r *reader) variable(n string) value {
	switch strings.ToUpper(n) {
	case "HOME", "USERPROFILE":
		return known(homeMark)
	case "TMPDIR", "TEMP", "TMP":
		return known("/tmp")
	case "PWD":
		return known(".")
	}
	if i := len(r.job.env) - 1; i >= 0 {
		for ; i >= 0; i-- {
			if r.job.env[i].Name == n {
				return r.handed(&r.job.env[i].Value, n)
			}
		}
	}
	if fact.SecretName(n) {
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
	case "sys.argv", "$argv", "argv", "process.argv":
	case "Deno.args", "Bun.argv", "ARGV", "$ARGV", "@ARGV", "ARGS", "args", "arg":
		first = -1
	default:
		return value{}, false
	}
	at, err := strconv.Atoi(k.text)
	if err != nil {
		return value{form: choice, items: r.arguments()}, true
	}
	at -= first + 1
	if n == "arg" && r.lang == lua {
		at--
	}
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

func reverse(s string) string {
	b := []rune(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
