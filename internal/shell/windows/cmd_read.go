package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// evalCmdScript adds the effects of the commands in s, text for cmd.exe.
func (r *evaluator) evalCmdScript(s string) {
	if r.depth >= maxDepth {
		r.addLimitExceeded("is nested too deeply to be checked", s)
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	in := flow{}
	for s != "" && r.spendBudget(0) {
		part, op, rest := cutCmdCommand(s)
		part = strings.TrimSpace(part)
		out := flow{}
		if part != "" {
			out = r.evalCmdCommand(part, in)
		}
		in = flow{}
		if op == "|" {
			in = out
		}
		s = rest
	}
}

// cutCmdCommand splits s after its first command, at &, &&, |, || or a newline outside quotes and
// brackets. It returns the command, the operator after it and the rest of s.
func cutCmdCommand(s string) (part, op, rest string) {
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
			if c == '&' && i > 0 && (s[i-1] == '>' || s[i-1] == '<') { // as in 2>&1
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

// splitCmdWords splits the cmd.exe command s into words and redirections, which are pairs of an
// operator and a target. Carets, quotes and variables are resolved.
func (r *evaluator) splitCmdWords(s string) (words []string, redir [][2]string) {
	s = r.replaceCmdVars(s)
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
			op, target, end := readCmdRedirect(s, i)
			if op != "" {
				redir = append(redir, [2]string{op, target})
			}
			i = end - 1
		case c <= ' ' || c == ',' || c == ';' || c == '=' && len(words) == 0:
			flush()
		case c == '/' && any && len(words) == 0 && isLetter(byteAt(s, i+1)): // as in del/s
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

// byteAt returns s[i], or 0 if i is beyond the end of s.
func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// readCmdRedirect reads the redirection at s[i], and returns its operator, its target and the index
// after it. The operator is empty if the target is another stream, as in 2>&1.
func readCmdRedirect(s string, i int) (op, target string, end int) {
	op = s[i : i+1]
	if i++; byteAt(s, i) == '>' {
		op = ">>"
		i++
	}
	i = skipSet(s, i, " ")
	if byteAt(s, i) == '&' {
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

// replaceCmdVars replaces %variables% in s with placeholders, except those that name directories.
func (r *evaluator) replaceCmdVars(s string) string {
	var b strings.Builder
	for r.spendBudget(0) {
		before, rest, open := strings.Cut(s, "%")
		b.WriteString(before)
		if !open {
			break
		}
		name, after, closed := strings.Cut(rest, "%")
		switch {
		case !closed || strings.ContainsAny(name, ` \/"`): // a parameter such as %1 or %i
			b.WriteString(placeholder)
			s = strings.TrimLeft(rest, "*~0123456789")
			continue
		case facts.InList(directoryVariables, lower(name)):
			b.WriteString("%" + name + "%")
		default:
			b.WriteString(placeholder)
		}
		s = after
	}
	return b.String()
}

// directoryVariables lists the variables that name directories of the user or the system.
const directoryVariables = "userprofile homepath temp tmp systemroot windir systemdrive homedrive programfiles programdata appdata localappdata"
