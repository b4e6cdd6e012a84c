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

// applyOdd says what functions do that are found in one language only.
func (r *reader) applyOdd(e *entry, v value, args []value, from int) value {
	switch e.op {
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
