package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// literal is the output of an interpreter whose code only prints texts that can be
// worked out: python3 -c 'print("r"+"m")'. Anything more is left to those who
// read code.
func literal(c *shell.Call) (string, bool) {
	p := printing{name: c.Name}
	code, ok := p.code(c)
	if !ok || len(code) > 4096 {
		return "", false
	}
	if p.value {
		v := p.expr(&code)
		return v.text + "\n", !p.bad && strings.TrimSpace(code) == ""
	}
	for code != "" && !p.bad {
		var stmt string
		stmt, code = cutCode(code)
		p.statement(strings.TrimSpace(stmt))
	}
	return string(p.out), !p.bad && p.printed
}

// A printing is code on its way to what it prints.
type printing struct {
	name    string
	out     []byte
	vars    []string // names and values
	printed bool
	lines   bool // print ends a line by itself
	value   bool // the code is a value that is printed: node -p
	dots    bool // a dot joins texts
	bad     bool
	depth   int
	work    int // bytes that were joined
}

// A made is a value: a text, or a list of texts.
type made struct {
	text string
	list []string
	many bool
}

// code is the code among the words of a call, when it is all that there is.
func (p *printing) code(c *shell.Call) (string, bool) {
	flag := ""
	switch tongue := facts.TongueOf(c.Name); {
	case c.Name == "perl":
		flag, p.dots = "e", true
	case tongue == facts.PHP:
		flag, p.dots, p.name = "r", true, "php"
	case tongue == facts.Ruby:
		flag, p.name = "e", "ruby"
	case tongue == facts.Lua:
		flag, p.lines, p.name = "e", true, "lua"
	case tongue.JavaScript():
		flag, p.lines = "e", true
	case tongue == facts.Python:
		flag, p.lines = "c", true
	case tongue == facts.Tcl:
		p.name = "tclsh"
	default:
		return "", false
	}
	args := c.Args
	for len(args) > 0 {
		t := args[0].Text
		switch {
		case len(t) < 2 || t[0] != '-' || t[1] == '-' && t != "--print" && t != "--eval":
			return "", false
		case strings.HasPrefix(t, "-M") || strings.HasPrefix(t, "-I"):
			args = args[1:]
			continue
		case t == "-p" || t == "-pe" || t == "--print":
			if flag != "e" || p.name == "perl" || p.name == "ruby" {
				return "", false
			}
			p.value = true
		case t == "-le" || t == "-lE":
			p.lines = true
		case t == "-E" && c.Name == "perl", t == "--eval":
		case t != "-"+flag:
			return "", false
		}
		if len(args) != 2 || !args[1].Known() {
			return "", false
		}
		return args[1].Text, true
	}
	// Without words it reads code.
	if text, sure := stdin(c); sure && flag != "" || sure && p.name == "tclsh" {
		return text, true
	}
	return "", false
}

// cutCode cuts the first statement off.
func cutCode(code string) (stmt, rest string) {
	var quote byte
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == ';' || c == '\n':
			return code[:i], code[i+1:]
		}
	}
	return code, ""
}

// verbs print what follows them.
var verbs = [...]string{"print", "puts", "say", "echo", "console.log", "printf", "process.stdout.write", "sys.stdout.write", "io.write", "STDOUT.write", "$stdout.write", "$stdout.print"}

func (p *printing) statement(stmt string) {
	for _, pre := range [...]string{"import ", "from ", "use ", "require ", "#", "<?php"} {
		if stmt == "" || strings.HasPrefix(stmt, pre) {
			return
		}
	}
	for _, v := range verbs {
		rest, ok := strings.CutPrefix(stmt, v)
		if ok && rest != "" && strings.IndexByte(" \t(\"'", rest[0]) >= 0 {
			p.print(v, strings.TrimSpace(rest))
			return
		}
	}
	name, val, ok := strings.Cut(stmt, "=")
	name = strings.TrimLeft(strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "const "), "let "), "my ")), "$")
	if !ok || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
		p.bad = true
		return
	}
	v := p.expr(&val)
	p.bad = p.bad || v.many || strings.TrimSpace(val) != ""
	p.vars = append(p.vars, name, v.text)
}

// print takes up one statement that prints.
func (p *printing) print(verb, rest string) {
	p.printed = true
	line := verb == "puts" || verb == "say" || verb == "console.log" || verb == "print" && p.lines
	if p.name == "lua" && verb == "io.write" || strings.HasSuffix(verb, ".write") {
		line = false
	}
	// The brackets around all of it belong to print itself.
	if inner, ok := strings.CutPrefix(rest, "("); ok && strings.HasSuffix(inner, ")") {
		rest = inner[:len(inner)-1]
	}
	for n := 0; ; n++ {
		if key, val, ok := strings.Cut(rest, "="); ok && n > 0 && (strings.TrimSpace(key) == "end" || strings.TrimSpace(key) == "file") {
			line = line && strings.TrimSpace(key) != "end"
			p.expr(&val)
			rest = val
		} else {
			v := p.expr(&rest)
			if n > 0 && p.name != "perl" && p.name != "php" && p.name != "ruby" {
				p.out = append(p.out, ' ')
			}
			p.bad = p.bad || v.many
			p.out = append(p.out, v.text...)
		}
		rest = strings.TrimSpace(rest)
		if p.bad || rest == "" {
			break
		}
		if rest[0] != ',' {
			p.bad = true
			return
		}
		rest = rest[1:]
	}
	if line {
		p.out = append(p.out, '\n')
	}
}

// expr reads texts that are joined.
func (p *printing) expr(s *string) made {
	v := p.term(s)
	for !p.bad {
		*s = strings.TrimLeft(*s, " \t")
		if *s == "" {
			return v
		}
		switch {
		case strings.HasPrefix(*s, ".."):
			*s = (*s)[2:]
		case (*s)[0] == '+', (*s)[0] == '.' && p.dots:
			*s = (*s)[1:]
		case (*s)[0] == '"' || (*s)[0] == '\'': // texts side by side
		default:
			return v
		}
		next := p.term(s)
		if v.many != next.many {
			p.bad = true
		}
		v.text += next.text
		v.list = append(v.list, next.list...)
		if p.work += len(v.text); p.work > maxOutput || len(v.list) > maxWords {
			p.bad = true
		}
	}
	return v
}

// term reads one value with what is done to it.
func (p *printing) term(s *string) made {
	if p.depth++; p.depth > 64 {
		p.bad = true
		return made{}
	}
	defer func() { p.depth-- }()
	*s = strings.TrimLeft(*s, " \t\n")
	if *s == "" {
		p.bad = true
		return made{}
	}
	var v made
	switch c := (*s)[0]; {
	case c == '"' || c == '\'' || c == '`':
		v = p.quoted(s, "")
	case c == '(':
		*s = (*s)[1:]
		v = p.expr(s)
		p.expect(s, ')')
	case c == '[':
		*s = (*s)[1:]
		v.many = true
		for _, one := range p.arguments(s, ']') {
			v.list = append(v.list, one.text)
		}
	case c >= '0' && c <= '9':
		n := 1
		for n < len(*s) && ((*s)[n] >= '0' && (*s)[n] <= '9' || digit((*s)[n]) < 16 || (*s)[n] == 'x') {
			n++
		}
		v.text, *s = (*s)[:n], (*s)[n:]
	case startsName(c) || c == '$':
		v = p.word(s)
	default:
		p.bad = true
	}
	for !p.bad && p.suffix(s, &v) {
	}
	return v
}

func (p *printing) expect(s *string, c byte) {
	*s = strings.TrimLeft(*s, " \t\n")
	if *s == "" || (*s)[0] != c {
		p.bad = true
		return
	}
	*s = (*s)[1:]
}

// arguments reads values with commas up to a bracket.
func (p *printing) arguments(s *string, end byte) []made {
	var out []made
	for !p.bad && len(out) < maxWords {
		*s = strings.TrimLeft(*s, " \t\n")
		if *s != "" && (*s)[0] == end {
			break
		}
		out = append(out, p.expr(s))
		*s = strings.TrimLeft(*s, " \t\n")
		if *s == "" || (*s)[0] != ',' {
			break
		}
		*s = (*s)[1:]
	}
	p.expect(s, end)
	return out
}

// quoted reads a string; pre is what stands before it, as in r"…".
func (p *printing) quoted(s *string, pre string) made {
	quote, i := (*s)[0], 1
	for i < len(*s) && (*s)[i] != quote {
		if (*s)[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(*s) {
		p.bad = true
		return made{}
	}
	body := (*s)[1:i]
	*s = (*s)[i+1:]
	switch {
	case strings.ContainsAny(pre, "fF") && strings.Contains(body, "{"), quote == '`' && strings.Contains(body, "${"):
		p.bad = true
	case quote == '"' && (p.name == "perl" && strings.ContainsAny(body, "$@") || p.name == "php" && strings.Contains(body, "$") || p.name == "ruby" && strings.Contains(body, "#{") || p.name == "tclsh" && strings.ContainsAny(body, "$[")):
		p.bad = true // a variable is in it
	case quote == '\'' && (p.name == "perl" || p.name == "ruby" || p.name == "php") || strings.ContainsAny(pre, "rR"):
		return made{text: strings.NewReplacer(`\'`, `'`, `\\`, `\`).Replace(body)}
	}
	return made{text: string(ansiC(nil, body))}
}

// word reads a name: a string's prefix, a variable or a function with its values.
func (p *printing) word(s *string) made {
	n := 1
	for n < len(*s) && (startsName((*s)[n]) || (*s)[n] >= '0' && (*s)[n] <= '9' || !p.dots && (*s)[n] == '.' || (*s)[n] == ':') {
		n++
	}
	name := (*s)[:n]
	*s = (*s)[n:]
	if *s != "" && ((*s)[0] == '"' || (*s)[0] == '\'') && n <= 2 {
		return p.quoted(s, name)
	}
	// A method of a variable is read with its name.
	base, method, dotted := strings.Cut(strings.TrimLeft(name, "$"), ".")
	for i := len(p.vars) - 2; i >= 0; i -= 2 {
		if p.vars[i] == base {
			if dotted {
				*s = "." + method + *s
			}
			return made{text: p.vars[i+1]}
		}
	}
	if *s != "" && (*s)[0] == '(' {
		*s = (*s)[1:]
		return p.call(name, p.arguments(s, ')'))
	}
	switch name {
	case "chr":
		return made{text: "chr"} // as in map(chr, …)
	case "new": // new Buffer(…)
		*s = strings.TrimLeft(*s, " ")
		return p.word(s)
	}
	p.bad = true
	return made{}
}
