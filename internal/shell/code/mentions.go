package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A mention is a reference to a function with effects that is not a call. The function may be called
// later, by other code, with any arguments.
type mention struct {
	fn    string // the function's canonical name
	words string // the code that mentions it
	at    int    // the index of the first token
	len   int    // the length of the code, to distinguish nested code
}

// maxMentions is the maximum number of mentions, and of indirect calls, that are recorded.
const maxMentions = 32

// isHarmfulFunction reports whether v is a function that could do harm if it is called with unknown
// arguments. Methods of unknown objects do not count, because a field may have the same name.
func (r *reader) isHarmfulFunction(v *value) bool {
	if v.form != name || v.text == "" {
		return false
	}
	e, ok := r.findExactEntry(v.text)
	return ok && isHarmfulOp(e.op)
}

// findExactEntry returns the entry of the function with the full name n. Unlike findEntry, it does not
// match methods of unknown objects. It reports false if there is none.
func (r *reader) findExactEntry(n string) (entry, bool) {
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

// isHarmfulOp reports whether the operation o could do harm with unknown arguments.
func isHarmfulOp(o op) bool {
	switch o {
	case opRead, opTouch, opMkdir, opOpen, opInplace, opWriteMaybe:
		return false
	case opShell, opArgv, opWords, opExecl, opExecv, opNamed, opKill, opEval, opGetattr, opDyn,
		opSend, opMail, opUpload, opHTTPDelete, opFetchTo:
		return true
	}
	return o > lastPlace && o < lastFile
}

// isHarmfulModule reports whether n is a module with functions that could do harm, such as os, fs or
// child_process.
func (r *reader) isHarmfulModule(n string) bool {
	if n == "" || strings.HasPrefix(n, "*") {
		return false
	}
	n = r.canonicalName(n)
	if _, ok := findFunction(r.lang, n); ok {
		return false // n is a function or a class
	}
	return hasHarmfulRow(functionTable(r.lang), n+".")
}

// hasHarmfulRow reports whether any of the sorted rows whose name begins with prefix has a harmful
// operation.
func hasHarmfulRow(rows []entry, prefix string) bool {
	for i := lowerBound(rows, prefix); i < len(rows) && strings.HasPrefix(rows[i].name, prefix); i++ {
		if isHarmfulOp(rows[i].op) {
			return true
		}
	}
	return false
}

// recordMention records a mention of v if it is a harmful function. From is the index of its first
// token.
func (r *reader) recordMention(v *value, from int) {
	if r.quiet > 0 || len(r.out.mentions) >= maxMentions || !r.isHarmfulFunction(v) {
		return
	}
	r.out.mentions = append(r.out.mentions, mention{fn: r.canonicalName(v.text), words: r.snippet(from), at: from, len: len(r.src)})
}

// dropMentions removes the mentions from the token index from on, because the code only inspects those
// functions.
func (r *reader) dropMentions(from int) {
	h := r.out.mentions
	for len(h) > 0 && h[len(h)-1].at >= from && h[len(h)-1].len == len(r.src) {
		h = h[:len(h)-1]
	}
	r.out.mentions = h
}

// recordIndirectCall records that the function v is called through another name, so that the arguments
// of a mentioned function are known. It ignores calls by the function's own name.
func (r *reader) recordIndirectCall(v *value, from int) {
	if len(r.out.indirectCalls) >= maxMentions || r.isCalledByName(v, from) {
		return
	}
	r.out.indirectCalls = append(r.out.indirectCalls, r.canonicalName(v.text))
}

// isCalledByName reports whether the call that begins at the token index from names the function v
// itself, and not a variable that holds it.
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
			return false // a variable that holds the function
		}
	}
	return strings.HasPrefix(v.text, t+".")
}

// addUncalledMentions adds an effect for the first mentioned function that is never called with known
// arguments.
func (r *reader) addUncalledMentions() {
	for i := range r.out.mentions {
		h := &r.out.mentions[i]
		seen := false
		for _, fn := range r.out.indirectCalls {
			seen = seen || fn == h.fn
		}
		if !seen {
			r.addUnresolvedEffect("passes "+h.fn+" to other code, which may call it with any arguments", h.words)
			return
		}
	}
}

// addHarmfulArgs adds effects for harmful functions and modules among args, which are passed to the
// function to, as in Thread(target=os.system, args=('x',)) or sorted(['x'], key=os.system).
func (r *reader) addHarmfulArgs(to value, args []value, from int) {
	last := to.text[strings.LastIndexByte(to.text, '.')+1:]
	if facts.InList(inspectors, last) {
		r.dropMentions(from)
		return
	}
	for i := range args {
		fn := &args[i]
		if fn.form == name && r.quiet == 0 && !facts.InList("getattr hasattr include extend", last) && r.isHarmfulModule(fn.text) {
			r.addUnresolvedEffect("passes "+fn.text+" to other code, which may call any of its functions", r.snippet(from))
			continue
		}
		if r.isHarmfulFunction(fn) && !r.defined[last] { // functions that the code defines are read with their arguments
			r.addUnresolvedEffect("passes "+fn.text+" to other code, which may call it with any arguments", r.snippet(from))
		}
	}
}

// inspectors lists functions that do not call the functions passed to them.
const inspectors = "print log debug info warn error format str repr type id len isinstance issubclass hasattr callable getsource signature " +
	"wraps update_wrapper assertEqual assertIs equal strictEqual deepEqual toBe toEqual assert expect inspect dump help " +
	"dir getfile getdoc getsourcelines getmodule dis reload keys ok pprint typeof"

// followHiddenCall adds the effects of calling the unlisted function v if it was stored in an
// attribute or is reached through introspection. It returns additional taint for the result.
func (r *reader) followHiddenCall(v value, args []value, from int) taint {
	i := strings.LastIndexByte(v.text, '.')
	if i < 0 {
		return 0
	}
	of, last := v.text[:i], v.text[i+1:]
	if w, ok := r.vars[last]; ok && r.isHarmfulFunction(&w) { // stored in an attribute, as in class A: x = os.system
		r.call(w, args, from)
	}
	if facts.InList("items values entries __getitem__ get pop popitem", last) && r.isHarmfulModule(strings.TrimSuffix(of, ".__dict__")) {
		return dynamic // any function of the module, as in vars(os).items()
	}
	for rest := of; rest != "" && r.quiet == 0; {
		var part string
		part, rest, _ = strings.Cut(rest, ".")
		if facts.InList(introspectionAttrs, part) {
			r.addUnresolvedEffect("calls a function reached through "+part, r.snippet(from))
			break
		}
	}
	return 0
}

// introspectionAttrs lists attributes through which code can reach any function.
const introspectionAttrs = "__self__ __globals__ __builtins__ __subclasses__ __mro__ __bases__ __base__ __loader__ __code__ f_globals f_builtins f_locals tb_frame gi_frame cr_frame func_globals"
