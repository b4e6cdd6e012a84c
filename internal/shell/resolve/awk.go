package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// awked is the output of awk with a program that only prints.
func awked(args []shell.Word, in string, fed bool) (string, bool) {
	sep, code := "", ""
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-F" && i+1 < len(args):
			i++
			sep = args[i].Text
		case strings.HasPrefix(t, "-F"):
			sep = t[2:]
		case t == "" || t[0] == '-' || code != "" || !args[i].Known():
			return "", false
		default:
			code = strings.TrimSpace(t)
		}
	}
	body, begin := strings.CutPrefix(code, "BEGIN")
	body = strings.TrimSpace(body)
	if body == "1" && !begin && fed {
		return in, true
	}
	if len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' || !begin && !fed {
		return "", false
	}
	a := awkProgram{sep: sep}
	if begin {
		a.run(body[1 : len(body)-1])
		return string(a.out), !a.bad
	}
	for line := range strings.Lines(in) {
		a.line = strings.TrimSuffix(line, "\n")
		if a.run(body[1 : len(body)-1]); a.bad || len(a.out) > maxOutput {
			return "", false
		}
	}
	return string(a.out), !a.bad
}

// An awkProgram is the few statements of awk that are followed.
type awkProgram struct {
	sep, line string
	vars      []string // names and values
	out       []byte
	bad       bool
}

func (a *awkProgram) run(body string) {
	for body != "" && !a.bad {
		var stmt string
		stmt, body = cutOutside(body, ";\n")
		stmt = strings.TrimSpace(stmt)
		switch {
		case stmt == "":
		case stmt == "print":
			a.out = append(append(a.out, a.line...), '\n')
		case strings.HasPrefix(stmt, "printf"):
			words := a.list(strings.Trim(strings.TrimSpace(stmt[6:]), "()"))
			text, sure := formatted(words)
			a.bad = a.bad || !sure
			a.out = append(a.out, text...)
		case strings.HasPrefix(stmt, "print"):
			for i, w := range a.list(stmt[5:]) {
				if i > 0 {
					a.out = append(a.out, ' ')
				}
				a.out = append(a.out, w.Text...)
			}
			a.out = append(a.out, '\n')
		default:
			name, val, ok := strings.Cut(stmt, "=")
			name = strings.TrimSpace(name)
			if !ok || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
				a.bad = true
				return
			}
			a.vars = append(a.vars, name, a.text(val))
		}
	}
}

// list is an expression with commas.
func (a *awkProgram) list(text string) []shell.Word {
	var out []shell.Word
	for text != "" {
		var one string
		one, text = cutOutside(text, ",")
		out = append(out, shell.Word{Text: a.text(one)})
	}
	return out
}

// text is strings, fields and variables that stand side by side.
func (a *awkProgram) text(s string) string {
	var b strings.Builder
	for s = strings.TrimSpace(s); s != "" && !a.bad; s = strings.TrimSpace(s) {
		switch c := s[0]; {
		case c == '"':
			end := 1
			for end < len(s) && s[end] != '"' {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(s) {
				a.bad = true
				return ""
			}
			b.Write(ansiC(nil, s[1:end]))
			s = s[end+1:]
		case c == '$' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
			n := 1
			for n < len(s) && s[n] >= '0' && s[n] <= '9' {
				n++
			}
			b.WriteString(a.field(number(s[1:n])))
			s = s[n:]
		case startsName(c):
			n := 1
			for n < len(s) && (startsName(s[n]) || s[n] >= '0' && s[n] <= '9') {
				n++
			}
			i := len(a.vars) - 2
			for i >= 0 && a.vars[i] != s[:n] {
				i -= 2
			}
			if i < 0 || n < len(s) && s[n] == '(' {
				a.bad = true
				return ""
			}
			b.WriteString(a.vars[i+1])
			s = s[n:]
		default:
			a.bad = true
		}
	}
	return b.String()
}

func (a *awkProgram) field(n int) string {
	if n == 0 {
		return a.line
	}
	parts := strings.Fields(a.line)
	if a.sep != "" {
		parts = strings.Split(a.line, a.sep)
	}
	if n > len(parts) {
		return ""
	}
	return parts[n-1]
}

// cutOutside cuts at the first of set that is not in a string.
func cutOutside(s, set string) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(set, s[i]) >= 0:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
