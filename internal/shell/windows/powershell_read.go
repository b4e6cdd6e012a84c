package windows

import "strings"

// A flow is what is known about a value or about the data in a pipe.
type flow struct {
	text      string   // with placeholders for unknown parts
	items     []string // the items of a list
	paths     []string // the files that a listing names, as patterns
	class     string   // block, table or shadowcopy; for a part of an expression: word or type
	deep      bool     // the listing includes subdirectories
	literal   bool     // the value is literal text
	computed  bool     // it is computed from known text in a way that is not followed
	fromFile  bool     // it contains the content of a file
	secret    bool     // it contains secrets
	secretVar string   // the variable with the secret, if there is only one
	fromNet   bool     // it comes from another machine
}

// unknownFlow returns an unknown value.
func unknownFlow() flow { return flow{text: placeholder} }

// literalFlow returns a value with the known text s.
func literalFlow(s string) flow { return flow{text: s, literal: true} }

// withSourcesOf returns f with the sources of g added, such as files and secrets.
func (f flow) withSourcesOf(g flow) flow {
	switch {
	case g.secret && !f.secret:
		f.secretVar = g.secretVar
	case g.secret && f.secretVar != g.secretVar:
		f.secretVar = "" // there are several
	}
	f.fromFile, f.secret, f.fromNet = f.fromFile || g.fromFile, f.secret || g.secret, f.fromNet || g.fromNet
	f.computed = f.computed || g.computed
	return f
}

// A word is an argument of a command, or its name.
type word struct {
	flow
	raw    string // the source text
	bare   bool   // it is not quoted and may be a parameter
	joined bool   // a comma joins it to the word before
	block  bool   // { … }
}

// A command is one part of a pipeline.
type command struct {
	words  []word
	redir  [][2]string // operator and target
	source string
}

// evalScript adds the effects of the statements in s, which in is piped into, and returns the output
// of the last one.
func (r *evaluator) evalScript(s string, in flow) flow {
	if r.depth >= maxDepth {
		r.addLimitExceeded("is nested too deeply to be checked", s)
		return flow{}
	}
	r.depth++
	defer func() { r.depth-- }()
	last := flow{}
	for i := 0; i < len(s) && r.spendBudget(0); {
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
		if n, ok := r.evalAssignment(s, i); ok {
			i = n
			continue
		}
		last, i = r.evalPipeline(s, i, in)
	}
	return last
}

// isOneOf reports whether set contains c.
func isOneOf(set string, c byte) bool { return strings.IndexByte(set, c) >= 0 }

// skipSet returns the index of the first byte of s from i on that is not in set.
func skipSet(s string, i int, set string) int {
	for i < len(s) && isOneOf(set, s[i]) {
		i++
	}
	return i
}

// commentEnd returns the index after the comment at s[i], which ends at the end of its line or after
// #>.
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

// evalAssignment evaluates the assignment `$x = value` at s[i], and returns the index after it. It
// reports false if there is none.
func (r *evaluator) evalAssignment(s string, i int) (next int, ok bool) {
	if s[i] == '[' { // as in [string]$x = …
		if j := strings.IndexByte(s[i:], ']'); j > 0 && i+j+1 < len(s) && s[i+j+1] == '$' {
			i += j + 1
		}
	}
	if s[i] != '$' || i+1 >= len(s) {
		return i, false
	}
	name, j := varName(s, i)
	j = skipSet(s, j, " \t")
	plus := strings.HasPrefix(s[j:], "+=")
	if name == "" || j >= len(s) || !plus && (s[j] != '=' || strings.HasPrefix(s[j:], "==")) {
		return i, false
	}
	j++
	if plus {
		j++
	}
	j = skipSet(s, j, " \t")
	if j >= len(s) {
		return j, true
	}
	v, end := r.evalValue(s, j)
	if plus {
		v = joinFlows(r.variableValue(name), v)
	}
	r.setVariable(name, v)
	return max(end, j), true
}

// setVariable sets the variable name to v. It does nothing if there are too many variables.
func (r *evaluator) setVariable(name string, v flow) {
	if r.vars == nil {
		r.vars = make(map[string]flow, 4)
	}
	if len(r.vars) < 256 {
		r.vars[lower(name)] = v
	}
}

// evalValue returns the value of the expression or pipeline at s[i], and the index after it.
func (r *evaluator) evalValue(s string, i int) (flow, int) {
	i = skipSet(s, i, " \t\n")
	if i >= len(s) {
		return flow{}, i
	}
	if !beginsExpression(s[i:]) {
		return r.evalPipeline(s, i, flow{})
	}
	v, i := r.evalExpression(s, i, false)
	i = skipSet(s, i, " \t")
	if i < len(s) && s[i] == '|' && !strings.HasPrefix(s[i:], "||") {
		return r.evalPipeline(s, i+1, v)
	}
	return v, i
}

// beginsExpression reports whether s, which must not be empty, begins with an expression as opposed to
// a command.
func beginsExpression(s string) bool {
	switch c := s[0]; c {
	case '\'', '"', '$', '(', '[', '@', '-', '!', ',', '{':
		return true
	default:
		return isDigit(c)
	}
}

// evalPipeline adds the effects of the pipeline at s[i], which in is piped into, and returns its
// output and the index after it.
func (r *evaluator) evalPipeline(s string, i int, in flow) (flow, int) {
	out := in
	first := true
	for i < len(s) && r.spendBudget(0) {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' && !first || s[i] == '\r') {
			i++
		}
		if i >= len(s) {
			break
		}
		from := i
		if first && beginsExpression(s[i:]) && s[i] != '{' {
			// The pipeline begins with an expression, as in 'x' | iex.
			var v flow
			v, i = r.evalExpression(s, i, false)
			out = v.withSourcesOf(in)
			i = r.evalValueRedirect(s, i, v)
		} else {
			var c command
			c, i = r.readCommand(s, i)
			i = min(i, len(s))
			c.source = strings.TrimSpace(s[from:i])
			out = r.evalCommand(&c, out, !first)
		}
		first = false
		i = skipSet(s, i, " \t\r")
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

// evalValueRedirect adds the effect of a redirection at s[i] that writes the value v to a file, as in
// $null > x. It returns the index after the redirection, or i if there is none.
func (r *evaluator) evalValueRedirect(s string, i int, v flow) int {
	if i >= len(s) || !beginsRedirect(s[i:]) {
		return i
	}
	op, target, end := r.readRedirect(s, i)
	if op != "" {
		r.addRedirect(printerFor(v), op, target)
	}
	return end
}

// printerFor returns a program that prints v, for judging redirections: ":" for an empty value, or
// else "echo".
func printerFor(v flow) string {
	if v.literal && len(v.items) == 0 && (strings.TrimSpace(v.text) == "" || strings.EqualFold(v.text, "$null")) {
		return ":"
	}
	return "echo"
}

// readCommand reads the words and redirections of the command at s[i], and returns the index after it.
func (r *evaluator) readCommand(s string, i int) (command, int) {
	var c command
	comma := false
	for i < len(s) && len(c.words) < 512 && r.spendBudget(0) {
		switch ch := s[i]; {
		case isOneOf("\n;)}|", ch), ch == '&' && (len(c.words) > 0 || byteAt(s, i+1) == '&'):
			return c, i
		case ch <= ' ' || ch == '&':
			i++
		case ch == '.' && len(c.words) == 0 && isOneOf(" {(", byteAt(s, i+1)):
			i++ // the operator that runs a script, as in . script
		case ch == '`' && isOneOf("\n\r", byteAt(s, i+1)):
			i += 2
		case ch == '#' || strings.HasPrefix(s[i:], "<#"):
			i = commentEnd(s, i)
		case ch == ',':
			comma = true
			i++
		case beginsRedirect(s[i:]):
			op, target, n := r.readRedirect(s, i)
			if op != "" {
				c.redir = append(c.redir, [2]string{op, target})
			}
			i = n
		default:
			w, n := r.readWord(s, i)
			w.joined = comma && len(c.words) > 1
			comma = false
			w.raw = s[i:min(n, len(s))]
			c.words = append(c.words, w)
			i = min(max(n, i+1), len(s))
		}
	}
	return c, i
}

// beginsRedirect reports whether s, which must not be empty, begins with a redirection such as > or 2>
// or *>>.
func beginsRedirect(s string) bool {
	if s[0] == '>' {
		return true
	}
	return len(s) > 1 && s[1] == '>' && (isDigit(s[0]) || s[0] == '*')
}

// readRedirect reads the redirection at s[i], and returns its operator, its target and the index after
// it. The operator is empty if the target is another stream, as in 2>&1.
func (r *evaluator) readRedirect(s string, i int) (op, target string, end int) {
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
	i = skipSet(s, i, " ")
	w, n := r.readWord(s, i)
	return op, w.text, min(max(n, i+1), len(s))
}

// readWord reads the argument at s[i], and returns the index after it.
func (r *evaluator) readWord(s string, i int) (word, int) {
	if i >= len(s) {
		return word{}, len(s)
	}
	switch {
	case s[i] == '{':
		in, n := bracketedText(s, i)
		return word{flow: literalFlow(in), block: true}, n
	case isBracketedValue(s, i):
		v, n := r.evalOperand(s, i)
		return word{flow: v}, n
	}
	var b strings.Builder
	w := word{bare: true}
	for i < len(s) && r.spendBudget(0) {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			v, n := r.evalOperand(s, i)
			w.flow = w.flow.withSourcesOf(v)
			b.WriteString(v.text)
			if b.Len() == len(v.text) {
				w.bare = false
			}
			i = n
		case c == '$' && byteAt(s, i+1) > ' ':
			v, n := r.evalOperand(s, i)
			if b.Len() == 0 && (byteAt(s, n) <= ' ' || isOneOf(";|),}&", s[n])) {
				return word{flow: v}, n
			}
			w.flow = w.flow.withSourcesOf(v)
			b.WriteString(v.text)
			i = min(max(n, i+1), len(s))
		case c == '`' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		case c <= ' ' || isOneOf(";|),}({&", c) || c == '>' && b.Len() > 0:
			return w.withText(b.String()), i
		default:
			b.WriteByte(c)
			i++
		}
	}
	return w.withText(b.String()), i
}

// isBracketedValue reports whether the word at s[i] is a value between brackets: (…), $(…), @(…) or
// [type].
func isBracketedValue(s string, i int) bool {
	switch next := byteAt(s, i+1); s[i] {
	case '(':
		return true
	case '$':
		return next == '('
	case '@':
		return isOneOf("('\"{", next)
	case '[':
		return strings.Contains(s[i:min(len(s), i+80)], "]")
	}
	return false
}

// withText returns w with text as its value.
func (w word) withText(text string) word {
	w.text = text
	w.literal = !strings.Contains(text, placeholder)
	return w
}

// bracketedText returns the text between the bracket at s[i] and its counterpart, and the index after
// that. Brackets in quotes do not count. If there is no counterpart, it returns the rest of s.
func bracketedText(s string, i int) (text string, next int) {
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
