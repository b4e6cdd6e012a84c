package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// runLisp reads the expressions that emacs and other lisps are given.
func runLisp(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o}
	found := false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		flag, val, has := strings.Cut(w, "=")
		switch flag {
		case "--eval", "-eval", "-e", "--execute", "-c", "-f", "-x", "-exec", "--load", "-l", "-load", "--script", "-script":
			if strings.HasSuffix(flag, "load") || flag == "-l" || strings.HasSuffix(flag, "script") {
				if !has {
					if i++; i >= len(c.Args) {
						continue
					}
					val = c.Args[i].Text
				}
				if f := written(c, val); f != nil {
					found = true
					if r.lisp(f.Text); !f.Sure {
						r.unresolved("contains a script that checkrein can only partly read", val)
					}
				}
				continue
			}
			if flag == "-f" && n != "clisp" || flag == "-c" && n == "emacs" {
				continue
			}
			if !has || !strings.HasPrefix(w, "--") {
				if i++; i >= len(c.Args) {
					continue
				}
				val = c.Args[i].Text
			}
			found = true
			r.lisp(val)
		default:
			if n == "bb" && strings.HasPrefix(w, "(") {
				found = true
				r.lisp(w)
			}
		}
	}
	if !found {
		return nil, nil, false
	}
	return o.finish(c)
}

// lisp reads the expressions of lisp code, innermost first.
func (r *reader) lisp(s string) {
	s = r.whole(s)
	r.out.steps += stepsEach * len(s)
	for i := 0; i < len(s) && r.spend(); {
		at := i
		_, i = r.lispValue(s, i, 0)
		if i == at {
			i++
		}
	}
}

// lispValue reads one expression from i on, and returns where the next begins.
func (r *reader) lispValue(s string, i, depth int) (value, int) {
	for i < len(s) && (s[i] <= ' ' || strings.IndexByte("'`,@#", s[i]) >= 0) {
		i++
	}
	if depth > maxDepth {
		r.note(shell.Exceeds("", "contains code nested too deeply"))
	}
	if i >= len(s) || depth > maxDepth || !r.spend() {
		return value{}, len(s)
	}
	switch c := s[i]; c {
	case ';':
		return value{}, i + len(lineFrom(s, i))
	case '"':
		t, next := sedPart(s, i+1, '"')
		return known(unescape(t, lua)), next
	case '(', '[':
		return r.lispList(s, i+1, depth+1)
	case ')', ']':
		return value{}, i + 1
	}
	from := i
	for i < len(s) && s[i] > ' ' && strings.IndexByte("()[]\"", s[i]) < 0 {
		i++
	}
	if v, ok := r.vars[s[from:i]]; ok {
		return v, i
	}
	return value{form: name, text: s[from:i]}, i
}

// lispList reads a list and makes the call that it is.
func (r *reader) lispList(s string, i, depth int) (value, int) {
	from := i
	var items []value
	for i < len(s) && r.spend() {
		for i < len(s) && s[i] <= ' ' {
			i++
		}
		if i < len(s) && (s[i] == ')' || s[i] == ']') {
			i++
			break
		}
		if i >= len(s) {
			break
		}
		var v value
		comment := s[i] == ';'
		at := i
		v, i = r.lispValue(s, i, depth)
		if i == at {
			i++
		}
		if !comment && len(items) < 128 {
			items = append(items, v)
		}
	}
	if len(items) == 0 || items[0].form != name {
		return value{form: list, items: items}, i
	}
	head, args := items[0].text, items[1:]
	if v, ok := r.lispText(head, args); ok {
		return v, i
	}
	r.lispCall(head, args)
	r.lispPasses(head, args)
	if head[strings.LastIndexByte(head, ':')+1:] == "find-file" && len(args) > 0 && strings.Contains(s[from:], "save-buffer") {
		r.lispOn("sed -i s/a/b/ ", args[0])
	}
	return value{}, i
}

// lispPasses follows a function that is given to another one.
func (r *reader) lispPasses(head string, args []value) {
	for i := range args {
		fn := args[i]
		if fn.form != name || !facts.InList(lispActs, fn.text[strings.LastIndexByte(fn.text, '/')+1:]) {
			continue
		}
		given := flat(args[i+1:])
		switch {
		case !plainText(given):
			r.unresolved("passes on a function whose arguments are unknown: "+fn.text, fn.text)
		case facts.InList("apply funcall call", head):
			r.lispCall(fn.text, given)
		default:
			for k := range given {
				r.lispCall(fn.text, given[k:k+1])
			}
		}
	}
}

// lispActs are functions of lisps that do harm when they are called with what is not
// known.
const lispActs = "system system* sh shell-command shell-command-to-string call-process call-process-shell-command async-shell-command start-process start-process-shell-command " +
	"run-program run-shell-command make-process process-file delete-file delete-directory delete-directory/files delete-tree delete-directory-tree rename-file copy-file write-region spit load-file"

// lispText computes texts and lists, and binds names.
func (r *reader) lispText(head string, args []value) (value, bool) {
	first := positional(args, 0, "")
	switch head {
	case "concat", "string-append", "str", "concatenate":
		out := known("")
		for i := range args {
			if args[i].form != name {
				out = join(out, args[i])
			}
		}
		return out, true
	case "format":
		if first.form == text {
			return percentFormat(first, value{form: list, items: args[1:]}), true
		}
	case "intern", "symbol", "string->symbol", "read-from-string", "intern-soft", "resolve", "symbol-function", "symbol-value":
		if first.isKnown() {
			return value{form: name, text: first.text}, true
		}
		return first, first.form == name
	case "quote", "function":
		if len(args) == 1 {
			return first, true
		}
		return value{form: list, items: args}, true
	case "list", "vector", "vec":
		return value{form: list, items: args}, true
	case "expand-file-name", "file-truename", "substitute-in-file-name", "file-name-as-directory", "shell-quote-argument", "io/file", "clojure.java.io/file", "fs/path":
		return first, len(args) > 0
	case "getenv", "System/getenv":
		if first.isKnown() {
			return r.variable(first.text), true
		}
		return value{taint: fromEnv}, true
	case "directory-files", "directory-files-recursively", "file-expand-wildcards", "file-seq", "fs/glob":
		if first.form == text {
			return value{form: text, text: strings.TrimRight(first.text, "/") + "/*", glob: true}, true
		}
	case "setq", "defvar", "define", "def", "let", "setf":
		if len(args) > 1 && first.form == name {
			r.bind(first.text, args[1])
		}
		return value{}, true
	}
	return value{}, false
}

// lispFirst are the shell commands that do to a file what functions do to the one
// that they are given first.
var lispFirst = [...]struct{ functions, command string }{
	{"delete-file delete delete-if-exists", rmFile},
	{"delete-directory-and-files delete-directory/files delete-directory-tree delete-tree move-file-to-trash", rmTree},
	{"with-temp-file with-output-to-file call-with-output-file spit", "printf x > "},
}

// lispCall says what a function of a lisp does.
func (r *reader) lispCall(head string, args []value) {
	first := positional(args, 0, "")
	head = head[strings.LastIndexByte(head, ':')+1:]
	if i := strings.LastIndexByte(head, '/'); i > 0 && head != "delete-directory/files" && head != "shell/sh" {
		head = head[i+1:] // a name of clojure with its namespace
	}
	for i := range lispFirst {
		if facts.InList(lispFirst[i].functions, head) {
			r.lispOn(lispFirst[i].command, first)
			return
		}
	}
	switch head {
	case "delete-directory":
		if len(args) > 1 {
			r.lispOn(rmTree, first)
		} else {
			r.lispOn(rmDir, first)
		}
	case "rename-file", "copy-file":
		b := positional(args, 1, "")
		cmd := "mv -- "
		if head == "copy-file" {
			cmd = "cp -- "
		}
		r.runs(cmd + quote(&first) + " " + quote(&b))
	case "url-retrieve-synchronously", "url-retrieve", "slurp", "url-copy-file":
		if first.form == text && isURL(first.text) {
			r.sends(send{url: first.text, taint: first.taint | r.out.seen&(fromSecret|fromEnv), direct: true, words: facts.Short(first.text)})
		} else {
			r.reads(first)
		}
	case "insert-file-contents", "insert-file", "find-file-noselect":
		r.reads(first)
	case "write-region":
		r.lispOn("printf x > ", positional(args, 2, ""))
	case "load-string":
		r.lisp(first.str())
	case "load-file", "load", "eval", "read-from-string":
		r.unresolved("runs unknown code", head)
	default:
		r.lispStarts(head, args)
	}
}

// lispStarts says which program a function of a lisp starts.
func (r *reader) lispStarts(head string, args []value) {
	switch head {
	case "shell-command", "shell-command-to-string", "call-process-shell-command", "async-shell-command", "system", "run-shell-command", "process", "run-program", "shell",
		"compile":
		if first := positional(args, 0, ""); first.form == list {
			r.argvOf(first.items, 0)
		} else {
			r.lispShell(first)
		}
	case "sh", "system*", "shell/sh", "process-lines", "process-lines-ignore-status", "exec":
		r.lispArgv(args)
	case "make-process":
		for i := range args {
			if args[i].text == ":command" && i+1 < len(args) {
				r.lispArgv(args[i+1].items)
			}
		}
	case "call-process", "process-file":
		if len(args) > 3 {
			args = append(args[:1:1], args[4:]...)
		}
		r.lispArgv(args)
	case "start-process":
		if len(args) > 2 {
			r.lispArgv(args[2:])
		}
	case "start-process-shell-command":
		r.lispShell(positional(args, 2, ""))
	}
}

func (r *reader) lispShell(v value) {
	if v.form == list {
		r.lispArgv(v.items)
		return
	}
	if v.form != text {
		r.unresolved("runs an unknown command", v.text)
		return
	}
	r.runs(v.text)
}

func (r *reader) lispArgv(args []value) {
	words := args[:0:0]
	for i := range args {
		if args[i].form == text || args[i].form == unknown {
			words = append(words, args[i])
		}
	}
	if len(words) > 0 && words[0].form == text {
		r.runs(argvText(words))
	} else {
		r.unresolved("runs an unknown program", "")
	}
}

func (r *reader) lispOn(cmd string, p value) {
	switch {
	case p.form == text:
		p = expandHome(p)
		r.runs(cmd + quote(&p))
	case cmd == rmTree:
		r.does(&deletesTree, cmd)
	default:
		r.unresolved("changes a file whose name is unknown", cmd)
	}
}

// argvText writes words as shell text.
func argvText(words []value) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(&words[i]))
	}
	return b.String()
}
