package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// cmdScript reads the commands of a text for cmd.exe.
func (r *reader) cmdScript(s string) {
	if r.depth >= maxDepth {
		r.exceeds("is nested too deeply to be checked", s)
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	in := flow{}
	for s != "" && r.spend(0) {
		part, op, rest := cmdCut(s)
		part = strings.TrimSpace(part)
		out := flow{}
		if part != "" {
			out = r.cmdCommand(part, in)
		}
		in = flow{}
		if op == "|" {
			in = out
		}
		s = rest
	}
}

// cmdCut cuts the first command off: up to & && | || or the line's end, outside
// of quotes and brackets.
func cmdCut(s string) (part, op, rest string) {
	quoted := false
	level := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\n':
			if level == 0 {
				return s[:i], "\n", s[i+1:]
			}
			quoted = false
		case quoted:
		case c == '^':
			i++
		case c == '(':
			level++
		case c == ')':
			if level--; level < 0 {
				level = 0
			}
		case (c == '&' || c == '|') && level == 0:
			if c == '&' && i > 0 && (s[i-1] == '>' || s[i-1] == '<') { // 2>&1
				continue
			}
			if i+1 < len(s) && s[i+1] == c {
				return s[:i], s[i : i+2], s[i+2:]
			}
			return s[:i], s[i : i+1], s[i+1:]
		}
	}
	return s, "", ""
}

// cmdWords cuts a command into words, with redirections apart. Carets, quotes and
// variables are resolved.
func (r *reader) cmdWords(s string) (words []string, redir [][2]string) {
	s = r.percent(s)
	var b strings.Builder
	any, quoted := false, false
	flush := func() {
		if any {
			words = append(words, b.String())
			b.Reset()
			any = false
		}
	}
	for i := 0; i < len(s) && len(words) < 512; i++ {
		switch c := s[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case quoted:
			b.WriteByte(c)
		case c == '^':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
				any = true
			}
		case c == '>' || c == '<':
			if fd := b.String(); fd == "1" || fd == "2" {
				b.Reset()
				any = false
			}
			flush()
			op, target, end := cmdRedirection(s, i)
			if op != "" {
				redir = append(redir, [2]string{op, target})
			}
			i = end - 1
		case c <= ' ' || c == ',' || c == ';' || c == '=' && len(words) == 0:
			flush()
		case c == '/' && any && len(words) == 0 && letter(at(s, i+1)): // del/s
			flush()
			b.WriteByte(c)
			any = true
		default:
			b.WriteByte(c)
			any = true
		}
	}
	flush()
	return words, redir
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// cmdRedirection reads a redirection and goes behind it. One to another stream, as
// 2>&1, has no operator.
func cmdRedirection(s string, i int) (op, target string, end int) {
	op = s[i : i+1]
	if i++; at(s, i) == '>' {
		op = ">>"
		i++
	}
	i = skip(s, i, " ")
	if at(s, i) == '&' {
		return "", "", i + 2
	}
	from, quoted := i, false
	for i < len(s) && (quoted || s[i] > ' ' && s[i] != '>' && s[i] != '<') {
		if s[i] == '"' {
			quoted = !quoted
		}
		i++
	}
	return op, strings.Trim(s[from:i], `"`), i
}

// percent puts a hole in place of %variables%, but for those that name directories.
func (r *reader) percent(s string) string {
	var b strings.Builder
	for r.spend(0) {
		before, rest, open := strings.Cut(s, "%")
		b.WriteString(before)
		if !open {
			break
		}
		name, after, closed := strings.Cut(rest, "%")
		switch {
		case !closed || strings.ContainsAny(name, ` \/"`): // %1, %i
			b.WriteString(hole)
			s = strings.TrimLeft(rest, "*~0123456789")
			continue
		case facts.InList(directoryVariables, lower(name)):
			b.WriteString("%" + name + "%")
		default:
			b.WriteString(hole)
		}
		s = after
	}
	return b.String()
}

// directoryVariables are the variables whose values are directories of the person or the
// system.
const directoryVariables = "userprofile homepath temp tmp systemroot windir systemdrive homedrive programfiles programdata appdata localappdata"
