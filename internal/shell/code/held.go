package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A mention is a reference to a function with effects that the code does not call. It may be called
// later, by other code, with any arguments.
type mention struct {
	fn, words string
	at        int // the index of the token
	len       int // the length of the code, to tell nested code apart
}

// maxMentions bounds the mentions that are kept.
const maxMentions = 32

// hasEffects reports whether calling the function v with unknown arguments could do harm. Methods that
// are only matched by their own name do not count, because an object's field may have the same name.
func (r *reader) hasEffects(v *value) bool {
	if v.form != name || v.text == "" {
		return false
	}
	e, ok := r.findExact(v.text)
	return ok && opHasEffects(e.op)
}

// findExact returns the entry of the function n by its full name.
func (r *reader) findExact(n string) (entry, bool) {
	n = r.canonicalName(n)
	if e, ok := findFunction(r.lang, n); ok {
		return e, true
	}
	if strings.IndexByte(n, '.') < 0 {
		for _, m := range r.stars {
			if e, ok := findFunction(r.lang, m+"."+n); ok {
				return e, true
			}
		}
	}
	return entry{}, false
}

// opHasEffects reports whether an operation with unknown arguments could do harm.
func opHasEffects(o op) bool {
	switch o {
	case opRead, opTouch, opMkdir, opOpen, opInplace, opWriteMaybe:
		return false
	case opShell, opArgv, opWords, opExecl, opExecv, opNamed, opKill, opEval, opGetattr, opDyn,
		opSend, opMail, opUpload, opHTTPDelete, opFetchTo:
		return true
	}
	return o > lastPlace && o < lastFile
}

// moduleHasEffects reports whether n is a module with functions that have effects: os, fs,
// child_process.
func (r *reader) moduleHasEffects(n string) bool {
	if n == "" || strings.HasPrefix(n, "*") {
		return false
	}
	n = r.canonicalName(n)
	if _, ok := findFunction(r.lang, n); ok {
		return false // a function or a class
	}
	return anyHasEffects(functionTable(r.lang), n+".")
}

// anyHasEffects reports whether a row whose name begins with prefix has effects.
func anyHasEffects(rows []entry, prefix string) bool {
	for i := lowerBound(rows, prefix); i < len(rows) && strings.HasPrefix(rows[i].name, prefix); i++ {
		if opHasEffects(rows[i].op) {
			return true
		}
	}
	return false
}

// noteMention records a mention of a function with effects.
func (r *reader) noteMention(v *value, from int) {
	if r.quiet > 0 || len(r.out.mentions) >= maxMentions || !r.hasEffects(v) {
		return
	}
	r.out.mentions = append(r.out.mentions, mention{fn: r.canonicalName(v.text), words: r.snippet(from), at: from, len: len(r.src)})
}

// dropMentions removes the mentions from a token on, because the code only inspects them.
func (r *reader) dropMentions(from int) {
	h := r.out.mentions
	for len(h) > 0 && h[len(h)-1].at >= from && h[len(h)-1].len == len(r.src) {
		h = h[:len(h)-1]
	}
	r.out.mentions = h
}

// noteIndirectCall records that a mentioned function is called through another name, so that its
// arguments are known. Calls by the function's own name do not count.
func (r *reader) noteIndirectCall(v *value, from int) {
	if len(r.out.indirectCalls) >= maxMentions || r.isCalledByName(v, from) {
		return
	}
	r.out.indirectCalls = append(r.out.indirectCalls, r.canonicalName(v.text))
}

// isCalledByName reports whether a call is written with the function's own name.
func (r *reader) isCalledByName(v *value, from int) bool {
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

// addUncalledMentions adds an effect for mentioned functions without a known call.
func (r *reader) addUncalledMentions() {
	for i := range r.out.mentions {
		h := &r.out.mentions[i]
		seen := false
		for _, fn := range r.out.indirectCalls {
			seen = seen || fn == h.fn
		}
		if !seen {
			r.addUnresolved("passes on a function whose arguments are unknown: "+h.fn, h.words)
			return
		}
	}
}

// noteFunctionArgs adds an effect for functions with effects that are passed to another function:
// Thread(target=os.system, args=('x',)), sorted(['x'], key=os.system).
func (r *reader) noteFunctionArgs(to value, args []value, from int) {
	last := to.text[strings.LastIndexByte(to.text, '.')+1:]
	if facts.InList(inspectors, last) {
		r.dropMentions(from)
		return
	}
	for i := range args {
		fn := &args[i]
		if fn.form == name && r.quiet == 0 && !facts.InList("getattr hasattr include extend", last) && r.moduleHasEffects(fn.text) {
			r.addUnresolved("passes on "+fn.text+"; checkrein cannot tell which of its functions run", r.snippet(from))
			continue
		}
		if r.hasEffects(fn) && !r.defined[last] { // the bodies of the code's own functions are read with the arguments
			r.addUnresolved("passes on a function whose arguments are unknown: "+fn.text, r.snippet(from))
		}
	}
}

// inspectors are functions that do not call their arguments.
const inspectors = "print log debug info warn error format str repr type id len isinstance issubclass hasattr callable getsource signature " +
	"wraps update_wrapper assertEqual assertIs equal strictEqual deepEqual toBe toEqual assert expect inspect dump help " +
	"dir getfile getdoc getsourcelines getmodule dis reload keys ok pprint typeof"

// followHiddenCall follows a call of an unlisted function: one that was stored in an attribute, or
// that is reached through introspection. It returns the additional taint of the result.
func (r *reader) followHiddenCall(v value, args []value, from int) taint {
	i := strings.LastIndexByte(v.text, '.')
	if i < 0 {
		return 0
	}
	of, last := v.text[:i], v.text[i+1:]
	if w, ok := r.vars[last]; ok && r.hasEffects(&w) { // class A: x = os.system
		r.call(w, args, from)
	}
	if facts.InList("items values entries __getitem__ get pop popitem", last) && r.moduleHasEffects(strings.TrimSuffix(of, ".__dict__")) {
		return dynamic // vars(os).items()
	}
	for rest := of; rest != "" && r.quiet == 0; {
		var part string
		part, rest, _ = strings.Cut(rest, ".")
		if facts.InList(introspectionAttrs, part) {
			r.addUnresolved("calls a function reached through "+part, r.snippet(from))
			break
		}
	}
	return 0
}

// introspectionAttrs are attributes through which every function can be reached.
const introspectionAttrs = "__self__ __globals__ __builtins__ __subclasses__ __mro__ __bases__ __base__ __loader__ __code__ f_globals f_builtins f_locals tb_frame gi_frame cr_frame func_globals"
