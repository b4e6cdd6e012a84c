package environ

import "strings"

// A form selects the spellings of a variable that count.
type form uint8

const (
	anyForm form = iota // $V, ${V} and ${env.V}
	envOnly             // ${env.V}
)

// expand replaces the variables of s by their values. An unset one is empty; a $ that does not begin a
// variable is literal.
func expand(s string, environ []string, f form) string {
	s, _ = expandForm(s, environ, f)
	return s
}

// Expand replaces the variables of a text by their values: ${env.V}, and with bare also $V and ${V}.
// It returns the name of the first one that is not set; "" if all are.
func Expand(s string, environ []string, bare bool) (filled, unset string) {
	if bare {
		return expandForm(s, environ, anyForm)
	}
	return expandForm(s, environ, envOnly)
}

func expandForm(s string, environ []string, f form) (filled, unset string) {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		name, n := parseReference(s, f)
		if n == 0 {
			out.WriteByte('$')
			s = s[1:]
			continue
		}
		value, set := Lookup(environ, name)
		if !set && unset == "" {
			unset = name
		}
		out.WriteString(value)
		s = s[n:]
	}
	if out.Len() == 0 {
		return s, unset
	}
	out.WriteString(s)
	return out.String(), unset
}

// parseReference returns the name of the variable that s begins with, and the length of its spelling;
// 0 if s does not begin with a variable.
func parseReference(s string, f form) (name string, n int) {
	if len(s) < 2 || s[0] != '$' {
		return "", 0
	}
	if s[1] != '{' {
		n := nameLen(s[1:])
		if n == 0 || f == envOnly {
			return "", 0
		}
		return s[1 : 1+n], 1 + n
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return "", 0
	}
	name, prefixed := strings.CutPrefix(s[2:end], "env.")
	if !prefixed && f == envOnly || !isName(name) {
		return "", 0
	}
	return name, end + 1
}

// isName reports whether s is a valid name of a variable. In braces that includes names of Windows
// such as ProgramFiles(x86).
func isName(s string) bool {
	n := nameLen(s)
	rest := s[n:]
	return n > 0 && (rest == "" || rest[0] == '(' && nameLen(rest[1:]) == len(rest)-2 && rest[len(rest)-1] == ')')
}

// nameLen returns the length of the name that s begins with.
func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
