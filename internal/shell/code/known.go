package code

import "strings"

//go:generate go run ./gen

// Code is harmless only if all its calls are known. The tables of names list the functions
// with effects. The tables used here list the modules whose other functions only compute,
// read and print. A function in neither is not judged safe.

// containsWord reports whether words, which must be sorted, contains w.
func containsWord(words []string, w string) bool {
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

// containsNameOrParent reports whether words, which must be sorted, contains the dotted name n or one
// of its parents. The parents of a.b.c are a.b and a.
func containsNameOrParent(words []string, n string) bool {
	for {
		if containsWord(words, n) {
			return true
		}
		i := strings.LastIndexByte(n, '.')
		if i < 0 {
			return false
		}
		n = n[:i]
	}
}

// isKnownModule reports whether the tables list the module n of the language l. It reports true for
// languages without a table.
func isKnownModule(l lang, n string) bool {
	switch l {
	case python:
		return containsNameOrParent(pythonModules[:], n)
	case javascript:
		if containsWord(javascriptModules[:], n) {
			return true
		}
		if i := strings.LastIndexByte(n, '/'); i > 0 && (n[0] != '@' || strings.Count(n, "/") > 1) { // a file of a package, such as lodash/get
			return isKnownModule(l, n[:i])
		}
		return strings.HasPrefix(n, "@types/")
	case perl:
		return containsWord(perlModules[:], n)
	case ruby:
		return containsWord(rubyLibraries[:], n)
	}
	return true
}

// isHarmlessFunction reports whether the function n, which has no entry, only computes and reads. It
// reports false only if n belongs to a closed module and is not one of the functions listed as
// reading.
func isHarmlessFunction(l lang, n string) bool {
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
	return !dotted || !containsWord(closed, head) || containsNameOrParent(reads, n)
}

// addModuleLoad adds an effect if the module n, which the code loads, is not known.
func (r *reader) addModuleLoad(n string) {
	if n == "" || r.quiet > 0 || isKnownModule(r.lang, n) {
		return
	}
	r.addUnreadEffect("loads "+n+", which checkrein did not read", n)
}

// addJSModuleLoad adds the effects of loading a JavaScript module by the specifier n. URLs and JSON
// files have none here.
func (r *reader) addJSModuleLoad(n string) {
	switch {
	case strings.HasSuffix(n, ".json"), isURL(n), strings.HasPrefix(n, "data:"):
	case strings.HasPrefix(n, "."), strings.HasPrefix(n, "/"), strings.HasPrefix(n, "file:"):
		r.addUnreadEffect("runs another file", n)
	default:
		r.addModuleLoad(strings.TrimPrefix(strings.TrimPrefix(n, "node:"), "npm:"))
	}
}
