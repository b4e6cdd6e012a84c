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
	n = r.canonical(n)
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
	case opRead, opReadUrl, opTouch, opMkdir, opOpen, opOpenRuby, opInplace, opWriteMaybe:
		return false
	case opShell, opArgv, opWords, opExecl, opExecv, opNamed, opKill, opKillGroup, opKillSig, opEval, opCreate, opInclude,
		opGetattr, opSendMethod, opCallName, opCallList, opDyn, opKillProc, opDelTexts, opOpenPerl:
		return true
	case opSend, opMail, opUpload, opHTTPDelete, opFetchTo:
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
	n = r.canonical(n)
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
	if r.quiet > 0 || len(r.out.held) >= maxHeld || !r.acts(v) || r.lang == perl && r.peek().is("{") { // eval { … }
		return
	}
	r.out.held = append(r.out.held, held{fn: r.canonical(v.text), words: r.snippet(from), at: from, len: len(r.src)})
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
	r.out.reached = append(r.out.reached, r.canonical(v.text))
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
		if t = w.text; r.canonical(t) == r.canonical(v.text) {
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

// passes follows a function that is given to another one together with its
// arguments: Thread(target=os.system, args=('x',)), sorted(['x'], key=os.system).
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
		if !r.acts(fn) && !r.namesActing(fn, i, args) {
			continue
		}
		f := *fn
		f.key, f.form = "", name
		if facts.InList(callsEach, last) {
			r.callsWithEach(f, to, args, i, from)
			continue
		}
		given := []value(nil)
		if a, ok := keyed(args, "args"); ok && a.form == list {
			given = a.items
		} else {
			given = dropNumbers(flat(args[i+1:]))
		}
		switch {
		case plainText(given):
			r.call(f, given, from)
		case r.defined[last] || r.quiet > 0: // its body was read with what the calls of it give
		default:
			r.unresolved("passes on a function whose arguments are unknown: "+f.text, r.snippet(from))
		}
	}
}

// namesActing reports whether a text of php is the name of a function that acts,
// where such a text can be a function: not as the last of several plain texts.
func (r *reader) namesActing(v *value, i int, args []value) bool {
	if r.lang != php || v.form != text || !plainName(v.text) {
		return false
	}
	e, ok := find(php, v.text)
	return ok && acting(e.op) && (i == 0 || len(args) > i)
}

// callsEach are functions that call what they are given with each element of their
// other arguments, or with what they belong to.
const callsEach = "sorted max min filter map starmap takewhile dropwhile filterfalse groupby accumulate reduce sort min_by max_by sort_by imap apply_async imap_unordered map_async " +
	"from some every find findIndex findLast flatMap replace replaceAll forEach toSorted then sortBy " +
	"usort uasort uksort array_walk array_walk_recursive array_reduce array_filter preg_replace_callback mb_ereg_replace_callback iterator_apply ob_start " +
	"gsub sapply lapply vapply Map mapply Filter Reduce foreach"

// callsWithEach calls f with each text among the other arguments.
func (r *reader) callsWithEach(f, to value, args []value, at, from int) {
	var given []value
	if to.recv != nil {
		given = append(given, flat([]value{*to.recv})...)
	}
	if given = append(given, flat(args[at+1:])...); !plainText(given) {
		given = append(given, flat(args[:at])...)
	}
	seen := false
	for i := range given {
		if given[i].form == text && !given[i].num || given[i].form == choice || given[i].glob {
			g := given[i]
			g.key = ""
			r.call(f, []value{g}, from)
			seen = true
		}
	}
	if !seen {
		r.unresolved("passes on a function whose arguments are unknown: "+f.text, r.snippet(from))
	}
}

// dropNumbers takes the delays and counts off that stand before a function's
// arguments.
func dropNumbers(args []value) []value {
	for len(args) > 1 && args[0].num {
		args = args[1:]
	}
	return args
}

// onlyLooks are functions that do not call what they are given.
const onlyLooks = "print println log debug info warn error puts p say format str repr type id len isinstance issubclass hasattr callable getsource signature " +
	"wraps update_wrapper assertEqual assertIs equal strictEqual deepEqual toBe toEqual assert expect inspect dump var_dump is_callable function_exists help " +
	"dir getfile getdoc getsourcelines getmodule dis reload keys ok printf pprint typeof echo"

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
