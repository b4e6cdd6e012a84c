package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// runTcl reads tcl and expect code: exec, spawn, file delete, open.
func runTcl(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	src, found := "", false
	var argv []shell.Word
words:
	for i := 0; i < len(c.Args); i++ {
		switch w := c.Args[i].Text; {
		case w == "-c" && n == "expect":
			if i++; i < len(c.Args) {
				src, found = src+"\n"+c.Args[i].Text, true
			}
		case w == "-" || w == "/dev/stdin":
		case strings.HasPrefix(w, "-"):
		case !found:
			text, have, sure := scriptText(c, w)
			if !have {
				return nil, nil, false
			}
			if !sure {
				return []shell.Effect{printedCode(c, c.Args[i].From)}, nil, true
			}
			src, found, argv = text, true, c.Args[i+1:]
			break words
		}
	}
	if !found {
		text, have, sure := stdinText(c)
		if !have {
			return nil, nil, false
		}
		if !sure {
			return []shell.Effect{pipedCode(c)}, nil, true
		}
		src = text
	}
	o := &result{steps: stepsBase + stepsEach*len(src)}
	r := reader{job: &job{args: argv}, out: o, lang: lua}
	r.bind("argv", value{form: list, items: r.arguments()})
	r.tcl(r.whole(src))
	return o.finish(c)
}

// tcl looks at each place where a command can begin.
func (r *reader) tcl(s string) {
	starts := true
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '#' && starts:
			i += len(lineFrom(s, i))
		case (c == '\n' || c == ';' || c == '[' || c == '{') && !(starts && strings.HasPrefix(s[i:], "{*}{")):
			starts = true
			i++
		case c <= ' ':
			i++
		case starts && !r.spend():
			return
		case starts:
			words, next := r.tclWords(s, i)
			if r.tclCommand(words) {
				i = next
				continue
			}
			starts = false
			for i < len(s) && s[i] > ' ' && s[i] != ';' && s[i] != '[' && s[i] != '{' {
				i++
			}
		case c == '"':
			i++
		default:
			i++
		}
	}
}

// tclWords cuts the command at i into words, up to its end.
func (r *reader) tclWords(s string, i int) ([]value, int) {
	var words []value
	from := i
	defer func() { r.out.steps -= i - from }()
	for i < len(s) && len(words) < 64 && r.out.steps > i-from {
		switch c := s[i]; {
		case c == '\n' || c == ';' || c == ']' || c == '}':
			return words, i
		case c <= ' ':
			i++
		case c == '"':
			var t string
			t, i = sedPart(s, i+1, '"')
			words = append(words, r.tclFill(unescape(t, lua)))
		case strings.HasPrefix(s[i:], "{*}"): // the words of a list
			i += 3
			if i < len(s) && s[i] == '{' {
				t, n := bracketed(s[i:min(len(s), i+4096)], '{', '}')
				for w := range strings.FieldsSeq(t) {
					words = append(words, r.tclFill(w))
				}
				i += n
			} else if i < len(s) && s[i] == '[' {
				t, n := bracketed(s[i:min(len(s), i+4096)], '[', ']')
				if v := r.tclSub(t); v.form == list {
					words = append(words, v.items...)
				} else {
					words = append(words, v)
				}
				i += max(n, 1)
			}
		case c == '{':
			t, n := bracketed(s[i:min(len(s), i+4096)], '{', '}')
			words = append(words, known(t))
			i += n
		case c == '[':
			t, n := bracketed(s[i:min(len(s), i+4096)], '[', ']')
			words = append(words, r.tclSub(t))
			i += max(n, 1)
		default:
			j := i
			for i < len(s) && s[i] > ' ' && s[i] != ';' && s[i] != ']' && s[i] != '}' {
				i++
			}
			words = append(words, r.tclFill(unescape(s[j:i], lua)))
		}
	}
	return words, i
}

// tclFill puts the values of variables in.
func (r *reader) tclFill(s string) value {
	i := strings.IndexByte(s, '$')
	if i < 0 {
		return known(s)
	}
	if v, ok := r.vars[s[1:]]; ok && i == 0 { // all of it, which may be a list
		return v
	}
	v := known(s[:i])
	for n := 0; i >= 0 && n < 16; n++ {
		s = s[i+1:]
		k := 0
		for k < len(s) && (isLetter(s[k]) || isDigit(s[k]) || s[k] == ':' || s[k] == '(' || s[k] == ')') {
			k++
		}
		switch name := s[:k]; name {
		case "env(HOME)", "::env(HOME)":
			v = join(v, known(homeMark))
		default:
			v = join(v, r.vars[name])
		}
		s = s[k:]
		if i = strings.IndexByte(s, '$'); i < 0 {
			v = join(v, known(s))
		} else {
			v = join(v, known(s[:i]))
		}
	}
	return v
}

// tclCommand reads one command. It reports whether its words are used up.
func (r *reader) tclCommand(words []value) bool {
	if len(words) == 0 {
		return false
	}
	if as, ok := r.vars["alias "+words[0].str()]; ok { // interp alias, rename
		words = append(append([]value(nil), as.items...), words[1:]...)
	}
	switch words[0].str() {
	case "interp":
		if len(words) > 5 && words[1].str() == "alias" {
			r.bind("alias "+words[3].str(), value{form: list, items: words[5:]})
		}
	case "rename":
		if len(words) == 3 {
			r.bind("alias "+words[2].str(), value{form: list, items: words[1:2]})
		}
	case "exec", "spawn", "exp_spawn":
		rest := words[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0].str(), "-") {
			rest = rest[1:]
		}
		r.argvOf(rest, 0)
		return true
	case "system":
		r.runs(argvTextPlain(words[1:]))
		return true
	case "set":
		if len(words) == 3 {
			r.bind(words[1].str(), words[2])
		}
	case "foreach":
		if len(words) > 3 {
			r.bind(words[1].str(), element(tclList(words[2])))
		}
	case "proc":
		if len(words) == 4 {
			r.bind("proc "+words[1].str(), value{form: list, items: words[2:4]})
		}
	case "puts":
		if len(words) > 2 && words[len(words)-2].class == "sock" {
			r.writesTo(words[len(words)-1:], true, 0)
		}
	case "file":
		return r.tclFile(words[1:])
	case "open":
		return r.tclOpen(words[1:])
	case "socket":
		r.tclSocket(words[1:])
	case "eval", "source", "uplevel":
		r.unresolved("runs unknown code", words[0].str())
	default:
		r.tclProc(words)
	}
	return false
}

// tclOpen opens a file or a command.
func (r *reader) tclOpen(args []value) bool {
	if len(args) == 0 {
		return false
	}
	p := expandHome(args[0])
	switch cmd, runs := strings.CutPrefix(p.str(), "|"); {
	case runs:
		r.runs(strings.TrimSpace(cmd))
	case len(args) > 1 && strings.ContainsAny(args[1].str(), "wa"):
		r.writes("> ", p, 0)
	default:
		r.reads(p)
	}
	return true
}

// tclProc runs a procedure of the code itself with what it is given.
func (r *reader) tclProc(words []value) {
	p, ok := r.vars["proc "+words[0].str()]
	if !ok || r.level >= maxLevel {
		if ok {
			r.unresolved("contains code nested too deeply", words[0].str())
		}
		return
	}
	names := strings.Fields(p.items[0].str())
	for i, n := range names {
		switch {
		case i+1 < len(words):
			r.bind(n, words[i+1])
		default:
			r.bind(n, value{})
		}
	}
	r.level++
	r.tcl(p.items[1].str())
	r.level--
}

func (r *reader) tclSocket(args []value) value {
	for len(args) > 0 && strings.HasPrefix(args[0].str(), "-") {
		if args[0].str() == "-server" {
			r.out.socket = true
			return value{class: "sock"}
		}
		args = args[1:]
	}
	return r.connects(args[:min(1, len(args))])
}

// tclList is a list, also one that is written as a text.
func tclList(v value) value {
	if v.form != text || v.glob || !strings.Contains(v.text, " ") {
		return v
	}
	out := value{form: list, taint: v.taint}
	for w := range strings.FieldsSeq(v.text) {
		if len(out.items) >= maxElements {
			break
		}
		out.items = append(out.items, known(w))
	}
	return out
}

// tclSub is the value of a command in brackets. What it does is read where the
// brackets are met.
func (r *reader) tclSub(s string) value {
	if r.depth >= maxDepth || !r.spend() {
		return value{}
	}
	r.depth++
	defer func() { r.depth-- }()
	words, _ := r.tclWords(strings.TrimLeft(s, " \t\n"), 0)
	if len(words) == 0 {
		return value{}
	}
	args := words[1:]
	switch words[0].str() {
	case "list", "concat":
		return value{form: list, items: args}
	case "glob":
		return tclGlob(args)
	case "lindex":
		if v := tclList(positional(args, 0, "")); v.form == list && len(args) == 2 {
			if n, err := strconv.Atoi(args[1].str()); err == nil && n >= 0 && n < len(v.items) {
				return v.items[n]
			}
		}
		return element(positional(args, 0, ""))
	case "lsort", "string", "subst", "lrange", "join", "split":
		if len(args) > 0 {
			return element(args[len(args)-1:][0])
		}
	case "file":
		return tclPath(args)
	case "open":
		if len(args) > 0 && facts.SecretFile(args[0].str()) {
			return value{class: "file", taint: fromFile | fromSecret}
		}
		return value{class: "file", taint: fromFile}
	case "read", "gets":
		if len(args) > 0 {
			return value{taint: args[0].taint}
		}
	case "socket":
		return r.tclSocket(args)
	case "exec":
		return value{taint: fromCommand}
	}
	return value{}
}

// tclGlob is what glob finds, as a pattern.
func tclGlob(args []value) value {
	dir := value{}
	for len(args) > 0 && strings.HasPrefix(args[0].str(), "-") {
		switch args[0].str() {
		case "-directory", "-path":
			dir = positional(args, 1, "")
			args = args[1:]
		case "-types", "-type":
			args = args[1:]
		}
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return value{}
	}
	out := expandHome(args[0])
	if dir.form == text {
		out = join(join(expandHome(dir), known("/")), out)
	}
	out.glob = true
	return out
}

// tclPath is a path that file makes of others.
func tclPath(args []value) value {
	if len(args) < 2 {
		return value{}
	}
	switch args[0].str() {
	case "join":
		parts := append([]value(nil), args[1:]...)
		parts[0] = expandHome(parts[0])
		return joinPaths(parts, false)
	case "normalize", "nativename", "readlink":
		return expandHome(args[1])
	case "dirname":
		return dirname(expandHome(args[1]))
	}
	return value{}
}

func (r *reader) tclFile(words []value) bool {
	if len(words) < 2 {
		return false
	}
	rest := words[1:]
	cmd := rmFile
	for len(rest) > 0 && strings.HasPrefix(rest[0].str(), "-") {
		if rest[0].str() == "-force" {
			cmd = rmTree
		}
		rest = rest[1:]
	}
	switch words[0].str() {
	case "delete":
		for i := range rest {
			p := expandHome(rest[i])
			r.deletesOne(cmd, &p, 0)
		}
		return true
	case "rename", "copy":
		if len(rest) == 2 {
			cmd = "mv -- "
			if words[0].str() == "copy" {
				cmd = "cp -- "
			}
			r.runs(cmd + quote(&rest[0]) + " " + quote(&rest[1]))
			return true
		}
	}
	return false
}

// argvTextPlain writes words as they are, with spaces between.
func argvTextPlain(words []value) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[i].str())
	}
	return b.String()
}
