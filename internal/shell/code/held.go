package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A held is a function that does something and that the code mentions without
// calling it: it may be called later, by someone else, with anything.
type held struct {
	fn, words string
	at        int // the token
	len       int // of the code that it is in, which tells codes within codes apart
}

// maxHeld bounds the mentions that are kept.
const maxHeld = 32

// acts reports whether calling a function with arguments that are not known could
// do harm. Methods that are only guessed by their names do not count: a field of an
// object may be called like them.
func (r *reader) acts(v *value) bool {
	if v.form != name || v.text == "" {
		return false
	}
	e, ok := r.exact(v.text)
	return ok && acting(e.op)
}

// exact finds what the tables know of a function by its whole name.
func (r *reader) exact(n string) (entry, bool) {
	n = r.canonicalName(n)
	if e, ok := find(r.lang, n); ok {
		return e, true
	}
	if strings.IndexByte(n, '.') < 0 {
		for _, m := range r.stars {
			if e, ok := find(r.lang, m+"."+n); ok {
				return e, true
			}
		}
	}
	return entry{}, false
}

func acting(o op) bool {
	switch o {
	case opRead, opTouch, opMkdir, opOpen, opInplace, opWriteMaybe:
		return false
	case opShell, opArgv, opWords, opExecl, opExecv, opNamed, opKill, opEval, opGetattr, opDyn,
		opSend, opMail, opUpload, opHTTPDelete, opFetchTo:
		return true
	}
	return o > lastPlace && o < lastFile
}

// actingModule reports whether a name is a thing with functions that act: os, fs,
// child_process.
func (r *reader) actingModule(n string) bool {
	if n == "" || strings.HasPrefix(n, "*") {
		return false
	}
	n = r.canonicalName(n)
	if _, ok := find(r.lang, n); ok {
		return false // a function, or a class that is called
	}
	return actingUnder(table(r.lang), n+".")
}

// actingUnder reports whether the rows whose names begin with the prefix hold one
// that acts.
func actingUnder(rows []entry, prefix string) bool {
	for i := lowerBound(rows, prefix); i < len(rows) && strings.HasPrefix(rows[i].name, prefix); i++ {
		if acting(rows[i].op) {
			return true
		}
	}
	return false
}

// holds notes a mention of a function that acts.
func (r *reader) holds(v *value, from int) {
	if r.quiet > 0 || len(r.out.held) >= maxHeld || !r.acts(v) {
		return
	}
	r.out.held = append(r.out.held, held{fn: r.canonicalName(v.text), words: r.snippet(from), at: from, len: len(r.src)})
}

// looked takes back the mentions from a token on: they were only looked at.
func (r *reader) looked(from int) {
	h := r.out.held
	for len(h) > 0 && h[len(h)-1].at >= from && h[len(h)-1].len == len(r.src) {
		h = h[:len(h)-1]
	}
	r.out.held = h
}

// reached notes that a function which was mentioned is called, so that what it is
// called with was seen. Calls by the function's own name do not count.
func (r *reader) reached(v *value, from int) {
	if len(r.out.reached) >= maxHeld || r.byName(v, from) {
		return
	}
	r.out.reached = append(r.out.reached, r.canonicalName(v.text))
}

// byName reports whether a call is written with the function's own name.
func (r *reader) byName(v *value, from int) bool {
	if from >= len(r.toks) || r.toks[from].kind != tIdent {
		return false
	}
	t := r.toks[from].text
	switch t {
	case "require", "__import__", "import", "await":
		return true
	case v.text:
		return true
	}
	if w, ok := r.vars[t]; ok && w.form == name {
		if t = w.text; r.canonicalName(t) == r.canonicalName(v.text) {
			return false // a variable that holds it
		}
	}
	return strings.HasPrefix(v.text, t+".")
}

// letGo adds what was mentioned and never seen to be called.
func (r *reader) letGo() {
	for i := range r.out.held {
		h := &r.out.held[i]
		seen := false
		for _, fn := range r.out.reached {
			seen = seen || fn == h.fn
		}
		if !seen {
			r.unresolved("passes on a function whose arguments are unknown: "+h.fn, h.words)
			return
		}
	}
}

// passes notes a function that acts and is given to another one:
// Thread(target=os.system, args=('x',)), sorted(['x'], key=os.system).
func (r *reader) passes(to value, args []value, from int) {
	last := to.text[strings.LastIndexByte(to.text, '.')+1:]
	if facts.InList(onlyLooks, last) {
		r.looked(from)
		return
	}
	for i := range args {
		fn := &args[i]
		if fn.form == name && r.quiet == 0 && !facts.InList("getattr hasattr include extend", last) && r.actingModule(fn.text) {
			r.unresolved("passes on "+fn.text+"; checkrein cannot tell which of its functions run", r.snippet(from))
			continue
		}
		if r.acts(fn) && !r.defined[last] { // the body of a function of the code itself is read with what is passed
			r.unresolved("passes on a function whose arguments are unknown: "+fn.text, r.snippet(from))
		}
	}
}

// onlyLooks are functions that do not call what they are given.
const onlyLooks = "print log debug info warn error format str repr type id len isinstance issubclass hasattr callable getsource signature " +
	"wraps update_wrapper assertEqual assertIs equal strictEqual deepEqual toBe toEqual assert expect inspect dump help " +
	"dir getfile getdoc getsourcelines getmodule dis reload keys ok pprint typeof"

// hidden follows a call that the tables do not know to a function behind it: one
// that was stored as a part of a thing, or that is reached through the insides of
// the language. It returns what taints the result.
func (r *reader) hidden(v value, args []value, from int) taint {
	i := strings.LastIndexByte(v.text, '.')
	if i < 0 {
		return 0
	}
	of, last := v.text[:i], v.text[i+1:]
	if w, ok := r.vars[last]; ok && r.acts(&w) { // class A: x = os.system
		r.call(w, args, from)
	}
	if facts.InList("items values entries __getitem__ get pop popitem", last) && r.actingModule(strings.TrimSuffix(of, ".__dict__")) {
		return dynamic // vars(os).items()
	}
	for rest := of; rest != "" && r.quiet == 0; {
		var part string
		part, rest, _ = strings.Cut(rest, ".")
		if facts.InList(insides, part) {
			r.unresolved("calls a function reached through "+part, r.snippet(from))
			break
		}
	}
	return 0
}

// insides are parts of things through which every function can be reached.
const insides = "__self__ __globals__ __builtins__ __subclasses__ __mro__ __bases__ __base__ __loader__ __code__ f_globals f_builtins f_locals tb_frame gi_frame cr_frame func_globals"
