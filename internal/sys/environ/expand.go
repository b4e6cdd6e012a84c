package environ

import "strings"

// A form describes which spellings of a variable count.
type form uint8

const (
	anyForm form = iota // $V, ${V} and ${env.V}
	envOnly             // ${env.V}
)

// expand fills in the variables of s. One that is not set is empty; a $ that
// begins no variable stays.
func expand(s string, environ []string, f form) string {
	s, _ = fill(s, environ, f)
	return s
}

// Fill fills in the variables of a text, ${env.V}, and where bare ones count also $V
// and ${V}. It names the first that is not set; "" = all are.
func Fill(s string, environ []string, bare bool) (filled, unset string) {
	if bare {
		return fill(s, environ, anyForm)
	}
	return fill(s, environ, envOnly)
}

func fill(s string, environ []string, f form) (filled, unset string) {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		name, n := reference(s, f)
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

// reference reads the variable that s begins with. It returns its name and the
// length of its spelling, which is 0 when s does not begin with a variable.
func reference(s string, f form) (name string, n int) {
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

// isName reports whether s names a variable. In braces that includes what
// Windows has, ProgramFiles(x86).
func isName(s string) bool {
	n := nameLen(s)
	rest := s[n:]
	return n > 0 && (rest == "" || rest[0] == '(' && nameLen(rest[1:]) == len(rest)-2 && rest[len(rest)-1] == ')')
}

// nameLen returns how many bytes at the start of s make up a name.
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
