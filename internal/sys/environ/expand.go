package environ

import "strings"

// A form selects which references to a variable are expanded.
type form uint8

const (
	anyForm form = iota // $V, ${V} and ${env.V}
	envOnly             // ${env.V}
)

// expand returns s with references to variables of environ, in the form f, replaced by their values.
// An unset variable is empty; a $ that does not begin a reference is literal.
func expand(s string, environ []string, f form) string {
	s, _ = expandForm(s, environ, f)
	return s
}

// Expand returns s with references to variables of environ replaced by their values: ${env.V} and, if
// bare is set, also $V and ${V}. It also returns the name of the first variable that is not set, or ""
// if all are.
func Expand(s string, environ []string, bare bool) (filled, unset string) {
	if bare {
		return expandForm(s, environ, anyForm)
	}
	return expandForm(s, environ, envOnly)
}

// expandForm is expand that also returns the name of the first variable that is not set.
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

// parseReference returns the name of the variable that s begins with a reference to, and the length of
// the reference. The length is 0 if s does not begin with one.
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
	if !prefixed && f == envOnly || !isVarName(name) {
		return "", 0
	}
	return name, end + 1
}

// isVarName reports whether s is a valid name in braces, which includes Windows names such as
// ProgramFiles(x86).
func isVarName(s string) bool {
	n := nameLen(s)
	rest := s[n:]
	return n > 0 && (rest == "" || rest[0] == '(' && nameLen(rest[1:]) == len(rest)-2 && rest[len(rest)-1] == ')')
}

// nameLen returns the length of the variable name that s begins with, or 0 if there is none.
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
