package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// canonicalModule returns the name that the tables use for the module s: fs for node:fs and fs-extra,
// os for posix.
func (r *reader) canonicalModule(s string) string {
	s = strings.TrimPrefix(s, "node:")
	switch s {
	case "fs/promises", "fs-extra", "graceful-fs":
		return "fs"
	case "dns/promises":
		return "dns"
	case "posix", "nt", "posixpath", "commands":
		return "os"
	}
	return s
}

// readImport reads `import a.b as c, d`, or an import in JavaScript, and binds the names. It returns
// false if import is a function or variable here.
func (r *reader) readImport() bool {
	if r.peekAt(1).isOp("(") || r.peekAt(1).isOp("=") {
		return false
	}
	r.i++
	if r.lang == javascript {
		r.readImportJS()
		return true
	}
	for r.peek().kind == tIdent && r.spendStep() {
		path := r.peek().text
		r.i++
		for r.peek().isOp(".") && (r.peekAt(1).kind == tIdent || r.peekAt(1).isOp("*")) {
			path += "." + r.peekAt(1).text
			r.i += 2
		}
		if len(path) > 400 {
			return true
		}
		r.addImport(path)
		if r.peek().isWord("as") && r.peekAt(1).kind == tIdent {
			r.bind(r.peekAt(1).text, value{form: name, text: r.canonicalModule(path)})
			r.i += 2
		}
		if !r.accept(",") {
			break
		}
	}
	return true
}

// addImport adds the effects of importing the Python module path.
func (r *reader) addImport(path string) {
	head, _, _ := strings.Cut(path, ".")
	switch head {
	case "ctypes", "cffi":
		r.addUnreadEffect("calls native libraries", "import "+path)
	}
	r.addModuleLoad(path)
}

// readFromImport reads `from a import b as c, d` and binds the names. It always returns true.
func (r *reader) readFromImport() bool {
	r.i++
	path := ""
	for t := r.peek(); (t.kind == tIdent && t.text != "import" || t.isOp(".") || t.isOp("..") || t.isOp("...")) && len(path) < 400; t = r.peek() {
		path += t.text
		r.i++
	}
	r.addImport(path)
	if !r.peek().isWord("import") {
		return true
	}
	r.i++
	path = r.canonicalModule(path)
	r.accept("(")
	for r.spendStep() {
		t := r.peek()
		if t.isOp("*") {
			r.i++
			if len(r.stars) < 8 {
				r.stars = append(r.stars, path)
			}
			return true
		}
		if t.kind != tIdent {
			break
		}
		as := t.text
		r.i++
		if r.peek().isWord("as") && r.peekAt(1).kind == tIdent {
			as = r.peekAt(1).text
			r.i += 2
		}
		r.bind(as, value{form: name, text: path + "." + t.text})
		if !r.accept(",") {
			break
		}
	}
	r.accept(")")
	return true
}

// readImportJS reads `import a, {b as c} from 'm'`, `import * as a from 'm'` or `import 'm'` after the
// keyword, and binds the names.
func (r *reader) readImportJS() {
	from := r.i
	for n := 0; n < 200 && r.spendStep(); n++ {
		t := r.peek()
		if t.kind == tEnd || t.isOp(";") {
			return
		}
		r.i++
		if t.kind == tString {
			r.addJSModuleLoad(t.text)
			r.bindImportNames(from, r.i-1, r.canonicalModule(t.text))
			return
		}
	}
}

// bindImportNames binds the names of an import to the module mod or its exports. The names are between
// the token indexes from and to.
func (r *reader) bindImportNames(from, to int, mod string) {
	inside := false
	for k := from; k < to; k++ {
		t := &r.toks[k]
		switch {
		case t.isOp("{"):
			inside = true
		case t.isOp("}"):
			inside = false
		case t.kind != tIdent || t.text == "from" || t.text == "as":
		case k+2 < to && r.toks[k+1].isWord("as"):
			to := value{form: name, text: mod}
			if inside {
				to.text += "." + t.text
			}
			r.bind(r.toks[k+2].text, to)
			k += 2
		case inside:
			r.bind(t.text, value{form: name, text: mod + "." + t.text})
		case k > from && r.toks[k-1].isWord("as"):
			r.bind(t.text, value{form: name, text: mod})
		case !t.isWord("type"):
			r.bind(t.text, value{form: name, text: mod})
		}
	}
}

// readForLoop reads the head of a for loop and binds its variables. It always returns true.
func (r *reader) readForLoop() bool {
	r.i++
	if r.peek().isWord("await") {
		r.i++
	}
	if r.accept("(") && r.peek().isOp(";") {
		r.out.endless = true
		return true
	}
	return r.readLoopVariables()
}

// readLoopVariables reads `x, y in list` or `const x of list` and binds the variables. It always
// returns true.
func (r *reader) readLoopVariables() bool {
	var names [6]string
	count := 0
	for n := 0; n < 24; n++ {
		t := r.peekAt(n)
		switch {
		case t.kind == tIdent && facts.InList("const let var", t.text):
		case t.kind == tIdent && facts.InList("in of", t.text) && count > 0:
			r.i += n + 1
			v := r.readExpr()
			r.bindLoopVariables(names[:count], v)
			return true
		case t.kind == tIdent && count < len(names):
			names[count] = t.text
			count++
		case t.isOp(",") || t.isOp("(") || t.isOp(")") || t.isOp("[") || t.isOp("]") || t.isOp("{") || t.isOp("}"):
		default:
			return true
		}
	}
	return true
}

// bindLoopVariables binds the variables in names for a loop over v.
func (r *reader) bindLoopVariables(names []string, v value) {
	e := loopElement(v)
	if len(names) == 1 {
		r.bind(names[0], e)
		return
	}
	if v.glob { // any of the variables may be the file name
		for _, n := range names {
			r.bind(n, e)
		}
		return
	}
	r.bindUnpacked(names, names, e, false)
}
