package windows

import "strings"

// A flow is a value, or what goes through a pipe: what is known of it.
type flow struct {
	text     string   // with a hole for what is not known
	items    []string // of a list
	paths    []string // the files that a listing names, as patterns
	class    string   // block, shadowcopy; of a part of an expression: word, type
	deep     bool     // the listing goes into directories
	fixed    bool     // text is meant: the value is a literal
	computed bool     // it is made of known texts, in a way that is not followed
	file     bool     // it holds a file's content
	secret   bool     // it holds secrets
	of       string   // the one variable that is its secret
	net      bool     // it holds what another machine sent
}

func unsure() flow { return flow{text: hole} }

func literal(s string) flow { return flow{text: s, fixed: true} }

// from marks a value with where another one comes from.
func (f flow) from(g flow) flow {
	switch {
	case g.secret && !f.secret:
		f.of = g.of
	case g.secret && f.of != g.of:
		f.of = "" // several
	}
	f.file, f.secret, f.net = f.file || g.file, f.secret || g.secret, f.net || g.net
	f.computed = f.computed || g.computed
	return f
}

// A word is an argument of a command.
type word struct {
	flow
	raw   string // as it was written
	bare  bool   // it is not quoted: it may be a parameter
	more  bool   // a comma joins it to the word before
	block bool   // { … }
}

// A command is one part of a pipeline.
type command struct {
	words  []word
	redir  [][2]string // operator and target
	source string
}

// psScript reads statements; in is what is piped into them.
func (r *reader) psScript(s string, in flow) flow {
	if r.depth >= maxDepth {
		r.exceeds("is nested too deeply to be checked", s)
		return flow{}
	}
	r.depth++
	defer func() { r.depth-- }()
	last := flow{}
	for i := 0; i < len(s) && r.spend(0); {
		c := s[i]
		switch {
		case c <= ' ' || c == ';' || c == ')' || c == '}':
			i++
			continue
		case c == '#' || strings.HasPrefix(s[i:], "<#"):
			i = commentEnd(s, i)
			continue
		case c == '|' || c == '&' && strings.HasPrefix(s[i:], "&&"):
			i++
			continue
		}
		if n, ok := r.assignment(s, i); ok {
			i = n
			continue
		}
		last, i = r.pipeline(s, i, in)
	}
	return last
}

// oneOf reports whether c is in the set.
func oneOf(set string, c byte) bool { return strings.IndexByte(set, c) >= 0 }

// skip goes over bytes of the set.
func skip(s string, i int, set string) int {
	for i < len(s) && oneOf(set, s[i]) {
		i++
	}
	return i
}

// commentEnd is where the comment at i ends: with its line, or at #>.
func commentEnd(s string, i int) int {
	stop, behind := "\n", 0
	if s[i] == '<' {
		stop, behind = "#>", 2
	}
	if n := strings.Index(s[i:], stop); n >= 0 {
		return i + n + behind
	}
	return len(s)
}

// assignment reads `$x = value`, and goes behind it.
func (r *reader) assignment(s string, i int) (int, bool) {
	if s[i] == '[' { // [string]$x = …
		if j := strings.IndexByte(s[i:], ']'); j > 0 && i+j+1 < len(s) && s[i+j+1] == '$' {
			i += j + 1
		}
	}
	if s[i] != '$' || i+1 >= len(s) {
		return i, false
	}
	name, j := varName(s, i)
	j = skip(s, j, " \t")
	plus := strings.HasPrefix(s[j:], "+=")
	if name == "" || j >= len(s) || !plus && (s[j] != '=' || strings.HasPrefix(s[j:], "==")) {
		return i, false
	}
	j++
	if plus {
		j++
	}
	j = skip(s, j, " \t")
	if j >= len(s) {
		return j, true
	}
	v, end := r.value(s, j)
	if plus {
		v = joined(r.variable(name), v)
	}
	r.bind(name, v)
	return max(end, j), true
}

func (r *reader) bind(name string, v flow) {
	if r.vars == nil {
		r.vars = make(map[string]flow, 4)
	}
	if len(r.vars) < 256 {
		r.vars[lower(name)] = v
	}
}

// value reads the right side of an assignment, or what stands between brackets:
// an expression, or a pipeline whose output is the value.
func (r *reader) value(s string, i int) (flow, int) {
	i = skip(s, i, " \t\n")
	if i >= len(s) {
		return flow{}, i
	}
	if !expressive(s[i:]) {
		return r.pipeline(s, i, flow{})
	}
	v, i := r.expression(s, i, false)
	i = skip(s, i, " \t")
	if i < len(s) && s[i] == '|' && !strings.HasPrefix(s[i:], "||") {
		return r.pipeline(s, i+1, v)
	}
	return v, i
}

// expressive reports whether an expression begins here, and not a command.
func expressive(s string) bool {
	switch c := s[0]; c {
	case '\'', '"', '$', '(', '[', '@', '-', '!', ',', '{':
		return true
	default:
		return digit(c)
	}
}

// pipeline reads commands up to the end of the statement and runs them.
func (r *reader) pipeline(s string, i int, in flow) (flow, int) {
	out := in
	first := true
	for i < len(s) && r.spend(0) {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' && !first || s[i] == '\r') {
			i++
		}
		if i >= len(s) {
			break
		}
		from := i
		if first && expressive(s[i:]) && s[i] != '{' {
			// An expression at the head of a pipe: 'x' | iex.
			var v flow
			v, i = r.expression(s, i, false)
			out = v.from(in)
			i = r.valueInto(s, i, v)
		} else {
			var c command
			c, i = r.command(s, i)
			i = min(i, len(s))
			c.source = strings.TrimSpace(s[from:i])
			out = r.psRun(&c, out, !first)
		}
		first = false
		i = skip(s, i, " \t\r")
		if i < len(s) && s[i] == '|' && !strings.HasPrefix(s[i:], "||") {
			i++
			continue
		}
		if i == from {
			i++
		}
		break
	}
	return out, i
}

// valueInto sees to a value that is written to a file: $null > x.
func (r *reader) valueInto(s string, i int, v flow) int {
	if i >= len(s) || !redirects(s[i:]) {
		return i
	}
	op, target, end := r.redirection(s, i)
	if op != "" {
		r.redirect(printer(v), op, target)
	}
	return end
}

// printer is a program that prints a value, for the judgement of redirections:
// nothing is printed of nothing.
func printer(v flow) string {
	if v.fixed && len(v.items) == 0 && (strings.TrimSpace(v.text) == "" || strings.EqualFold(v.text, "$null")) {
		return ":"
	}
	return "echo"
}

// command reads the words of one command.
func (r *reader) command(s string, i int) (command, int) {
	var c command
	comma := false
	for i < len(s) && len(c.words) < 512 && r.spend(0) {
		switch ch := s[i]; {
		case oneOf("\n;)}|", ch), ch == '&' && (len(c.words) > 0 || at(s, i+1) == '&'):
			return c, i
		case ch <= ' ' || ch == '&':
			i++
		case ch == '.' && len(c.words) == 0 && oneOf(" {(", at(s, i+1)):
			i++ // . script
		case ch == '`' && oneOf("\n\r", at(s, i+1)):
			i += 2
		case ch == '#' || strings.HasPrefix(s[i:], "<#"):
			i = commentEnd(s, i)
		case ch == ',':
			comma = true
			i++
		case redirects(s[i:]):
			op, target, n := r.redirection(s, i)
			if op != "" {
				c.redir = append(c.redir, [2]string{op, target})
			}
			i = n
		default:
			w, n := r.word(s, i)
			w.more = comma && len(c.words) > 1
			comma = false
			w.raw = s[i:min(n, len(s))]
			c.words = append(c.words, w)
			i = min(max(n, i+1), len(s))
		}
	}
	return c, i
}

// redirects reports whether a redirection begins here: > 2> *>>.
func redirects(s string) bool {
	if s[0] == '>' {
		return true
	}
	return len(s) > 1 && s[1] == '>' && (digit(s[0]) || s[0] == '*')
}

// redirection reads a redirection and goes behind it. One to another stream, as
// 2>&1, has no operator.
func (r *reader) redirection(s string, i int) (op, target string, end int) {
	from := i
	if s[i] != '>' {
		i++
	}
	for i < len(s) && s[i] == '>' && i-from < 3 {
		i++
	}
	op = ">"
	if strings.HasSuffix(s[from:i], ">>") {
		op = ">>"
	}
	if i < len(s) && s[i] == '&' {
		return "", "", min(i+2, len(s))
	}
	i = skip(s, i, " ")
	w, n := r.word(s, i)
	return op, w.text, min(max(n, i+1), len(s))
}

// word reads one argument.
func (r *reader) word(s string, i int) (word, int) {
	if i >= len(s) {
		return word{}, len(s)
	}
	switch {
	case s[i] == '{':
		in, n := nested(s, i)
		return word{flow: literal(in), block: true}, n
	case bracketed(s, i):
		v, n := r.operand(s, i)
		return word{flow: v}, n
	}
	var b strings.Builder
	w := word{bare: true}
	for i < len(s) && r.spend(0) {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			v, n := r.operand(s, i)
			w.flow = w.flow.from(v)
			b.WriteString(v.text)
			if b.Len() == len(v.text) {
				w.bare = false
			}
			i = n
		case c == '$' && at(s, i+1) > ' ':
			v, n := r.operand(s, i)
			if b.Len() == 0 && (at(s, n) <= ' ' || oneOf(";|),}&", s[n])) {
				return word{flow: v}, n
			}
			w.flow = w.flow.from(v)
			b.WriteString(v.text)
			i = min(max(n, i+1), len(s))
		case c == '`' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		case c <= ' ' || oneOf(";|),}({&", c) || c == '>' && b.Len() > 0:
			return w.done(b.String()), i
		default:
			b.WriteByte(c)
			i++
		}
	}
	return w.done(b.String()), i
}

// bracketed reports whether the word at i is a value between brackets: (…), $(…),
// @(…), [type].
func bracketed(s string, i int) bool {
	switch next := at(s, i+1); s[i] {
	case '(':
		return true
	case '$':
		return next == '('
	case '@':
		return oneOf("('\"{", next)
	case '[':
		return strings.Contains(s[i:min(len(s), i+80)], "]")
	}
	return false
}

// done is the word with its text.
func (w word) done(text string) word {
	w.text = text
	w.fixed = !strings.Contains(text, hole)
	return w
}

// nested returns what stands between the bracket at i and its closer, and where
// it goes on. Brackets in quotes do not count.
func nested(s string, i int) (string, int) {
	open := s[i]
	close := byte(')')
	switch open {
	case '{':
		close = '}'
	case '[':
		close = ']'
	}
	level := 0
	for j := i; j < len(s); j++ {
		switch c := s[j]; c {
		case open:
			level++
		case close:
			if level--; level == 0 {
				return s[i+1 : j], j + 1
			}
		case '`':
			j++
		case '\'', '"':
			if k := strings.IndexByte(s[j+1:], c); k >= 0 {
				j += k + 1
			}
		}
	}
	return s[min(i+1, len(s)):], len(s)
}
