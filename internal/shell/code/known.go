package code

import "strings"

//go:generate go run ./gen

// Code is harmless only where what it calls is known: the tables of names say which
// functions act, and those here of which modules the rest is known to compute, read
// and print. What is in neither is not judged safe.

// among reports whether a sorted table holds a word.
func among(words []string, w string) bool {
	lo, hi := 0, len(words)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if words[mid] < w {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(words) && words[lo] == w
}

// within reports whether a sorted table holds a dotted name, or a thing that it is a
// part of.
func within(words []string, n string) bool {
	for {
		if among(words, n) {
			return true
		}
		i := strings.LastIndexByte(n, '.')
		if i < 0 {
			return false
		}
		n = n[:i]
	}
}

// knowsModule reports whether a module is known by that name.
func knowsModule(l lang, n string) bool {
	switch l {
	case python:
		return within(pythonModules[:], n)
	case javascript:
		if among(javascriptModules[:], n) {
			return true
		}
		if i := strings.LastIndexByte(n, '/'); i > 0 && (n[0] != '@' || strings.Count(n, "/") > 1) { // lodash/get
			return knowsModule(l, n[:i])
		}
		return strings.HasPrefix(n, "@types/")
	case perl:
		return among(perlModules[:], n)
	case ruby:
		return among(rubyLibraries[:], n)
	}
	return true
}

// knowsFunction reports whether a function that no table of names has is known to
// only compute and read: it is, unless it is part of a thing that is closed.
func knowsFunction(l lang, n string) bool {
	var closed, reads []string
	switch l {
	case python:
		closed, reads = pythonClosed[:], pythonReads[:]
	case javascript:
		closed, reads = javascriptClosed[:], javascriptReads[:]
	default:
		return true
	}
	head, _, dotted := strings.Cut(n, ".")
	return !dotted || !among(closed, head) || within(reads, n)
}

// brings notes a module that the code loads: one that is not known runs code that
// was not read.
func (r *reader) brings(n string) {
	if n == "" || r.quiet > 0 || knowsModule(r.lang, n) {
		return
	}
	r.unread("loads "+n+", which checkrein did not read", n)
}

// bringsJS notes a module of javascript by the text that it is asked for with.
func (r *reader) bringsJS(n string) {
	switch {
	case strings.HasSuffix(n, ".json"), isURL(n), strings.HasPrefix(n, "data:"):
	case strings.HasPrefix(n, "."), strings.HasPrefix(n, "/"), strings.HasPrefix(n, "file:"):
		r.unread("runs another file", n)
	default:
		r.brings(strings.TrimPrefix(strings.TrimPrefix(n, "node:"), "npm:"))
	}
}
