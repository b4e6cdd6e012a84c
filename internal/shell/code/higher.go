package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// flat are the arguments with the items of lists in their place, without what
// stands for nothing.
func flat(args []value) []value {
	var out []value
	for i := range args {
		a := args[i]
		switch {
		case len(out) > 64:
			return out
		case a.form == name && facts.InList("null undefined None nil this", a.text):
		case a.form == list && a.key == "" && len(a.items) > 0 && a.items[0].key == "":
			out = append(out, a.items...)
		default:
			out = append(out, a)
		}
	}
	return out
}

// plainText reports whether one of the values is a text: else a function is only
// mentioned.
func plainText(args []value) bool {
	for i := range args {
		if args[i].form == text && !args[i].num || args[i].form == choice || args[i].form == list && plainText(args[i].items) {
			return true
		}
	}
	return false
}

// asProgram runs what libraries offer as functions named like programs: sh.rm,
// plumbum.cmd.rm, repo.git.reset.
func (r *reader) asProgram(n string, args []value, from int) (value, bool) {
	if r.lang != python && r.lang != javascript {
		return value{}, false
	}
	i := strings.LastIndexByte(n, '.')
	if i < 0 {
		return value{}, false
	}
	prog := strings.ReplaceAll(n[i+1:], "_", "-")
	switch head := n[:i]; {
	case r.lang == python && (head == "sh" || head == "plumbum.cmd" || head == "plumbum.local" || head == "sh.sudo"), r.lang == javascript && head == "shelljs":
		return r.argvOf(append([]value{known(prog)}, args...), from), true
	case strings.HasSuffix(head, ".git"):
		if r.lang == javascript {
			args = gitArgs(prog, args)
		}
		return r.argvOf(append([]value{known("git"), known(prog)}, args...), from), true
	}
	return value{}, false
}

// gitArgs are the words that simple-git makes of a mode: reset('hard').
func gitArgs(prog string, args []value) []value {
	if len(args) > 0 && args[0].isKnown() && (prog == "reset" || prog == "clean") && !strings.HasPrefix(args[0].text, "-") {
		mode := "-" + args[0].text
		if prog == "reset" {
			mode = "-" + mode
		}
		args = append([]value{known(mode)}, args[1:]...)
	}
	return args
}

// cloud judges methods of the libraries of clouds by their names, which say what
// they delete.
func (r *reader) cloud(n string, from int) {
	last := n[strings.LastIndexByte(n, '.')+1:]
	gone := false
	switch r.lang {
	case python:
		gone = begins(last, "delete_", "terminate_", "purge_", "destroy_", "deregister_") && usesCloud(r.src)
	case javascript:
		gone = strings.HasSuffix(last, "Command") && begins(last, "Delete", "Terminate", "Purge")
	}
	if gone {
		r.does(&deletesCloud, r.snippet(from))
	}
}

// usesCloud reports whether code of python uses the library of a cloud.
func usesCloud(src string) bool {
	return hasAny(src[:min(len(src), maxCode)], "boto3", "google.cloud", "azure.", "kubernetes", "botocore", "openstack", "elasticsearch", "opensearch")
}

// mapsOver is the element that a function given to array_map and its kin sees:
// the list may stand behind it, so it is read ahead.
func (r *reader) mapsOver(fn string) value {
	e, ok := r.entry(fn)
	if !ok || e.op != opMap && e.op != opMapBack {
		return r.given(value{form: name, text: fn})
	}
	at := r.i
	r.quiet++
	args := r.items(")", true)
	r.quiet--
	r.i = at
	if e.op == opMap {
		return element(positional(args, 1, ""))
	}
	return element(positional(args, 0, ""))
}

// mapEach reads the body of an arrow once for each element of a list, so that the
// results are known one by one. It reports false when it is no such call.
func (r *reader) mapEach(v value, from int) (value, bool) {
	if r.lang != javascript || v.recv == nil || v.recv.form != list || len(v.recv.items) == 0 || len(v.recv.items) > 256 || !strings.HasSuffix(v.text, ".map") {
		return value{}, false
	}
	arrow := r.peek().kind == tIdent && r.ahead(1).is("=>") || r.peek().is("(") && r.ahead(1).kind == tIdent && r.ahead(2).is(")") && r.ahead(3).is("=>")
	if !arrow {
		return value{}, false
	}
	at, elem := r.i, r.elem
	out := value{form: list, taint: v.recv.taint}
	for i := range v.recv.items {
		if !r.spend() {
			break
		}
		r.i, r.elem = at, v.recv.items[i]
		args := r.items(")", true)
		out.items = append(out.items, positional(args, 0, ""))
	}
	r.elem = elem
	return out, true
}

// pattern binds the names of an arrow's parameter that is taken apart:
// ({execSync: e}) => ….
func (r *reader) pattern(of value) {
	if !r.peek().is("{") {
		return
	}
	for n := 1; n < 40; n++ {
		t := r.ahead(n)
		if t.is("}") || t.kind == tEnd {
			return
		}
		if t.kind != tIdent {
			continue
		}
		as := t.text
		if r.ahead(n+1).is(":") && r.ahead(n+2).kind == tIdent {
			as = r.ahead(n + 2).text
			r.bind(as, r.attr(of, t.text))
			n += 2
			continue
		}
		r.bind(as, r.attr(of, t.text))
	}
}

// perlMap reads `map { code } list`: the list first, then the code for each of
// its elements. The reader is at the brace.
func (r *reader) perlMap() value {
	at, level := r.i, 0
	for n := 0; n < 80; n++ {
		t := r.ahead(n)
		if t.is("{") {
			level++
		} else if t.is("}") {
			level--
		} else if t.kind == tEnd {
			break
		}
		if level > 0 {
			continue
		}
		r.i += n + 1
		over := value{form: list}
		for r.spend() {
			from := r.i
			v := r.item(r.expr(), "")
			if v.form == list {
				over.items = append(over.items, v.items...)
			} else {
				over.items = append(over.items, v)
			}
			over.taint |= v.taint
			if r.i == from || !r.accept(",") {
				break
			}
		}
		end := r.i
		out := value{form: list, taint: over.taint}
		for i := range over.items {
			if i > 256 || !r.spend() {
				break
			}
			r.bind("$_", over.items[i])
			r.i = at + 1
			in := r.items("}", false)
			out.items = append(out.items, positional(in, 0, ""))
		}
		r.i = end
		return out
	}
	r.i++
	return value{}
}

// applyOdd says what functions do that are found in one language only.
func (r *reader) applyOdd(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opGetter:
		return value{form: text, text: positional(args, 0, "").str(), class: "getter"}
	case opFunction:
		if f := positional(args, 0, ""); f.isKnown() {
			return value{form: name, text: f.text}
		}
		return value{taint: dynamic}
	case opRequirer:
		return value{form: name, text: "require"}
	case opProcs:
		return value{class: "proc", form: text, text: positional(args, 0, "pid").str()}
	case opKillProc:
		r.killsProc(v)
	case opGitObj:
		return value{form: name, text: "*.git"}
	case opPregE:
		if p, code := positional(args, 0, ""), positional(args, 1, ""); strings.Contains(p.text[strings.LastIndexByte(p.text, '/')+1:], "e") && code.form == text && p.form == text {
			r.nested(code.text, r.lang)
		}
	case opDelTexts:
		for i := range args {
			if args[i].form == text && !args[i].num && args[i].text != "" {
				r.runs("rm -rf -- " + quote(&args[i]))
			}
		}
	case opFind:
		r.finds(args, from)
	}
	return value{}
}
