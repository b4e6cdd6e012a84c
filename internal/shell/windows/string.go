package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// singleQuoted reads a string in which nothing is filled in.
func singleQuoted(s string, i int) (flow, int) {
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		if s[j] == '\'' {
			if j+1 < len(s) && s[j+1] == '\'' {
				j++
			} else {
				return literal(b.String()), j + 1
			}
		}
		b.WriteByte(s[j])
	}
	return literal(b.String()), len(s)
}

// doubleQuoted reads a string and fills its variables in.
func (r *reader) doubleQuoted(s string, i int) (flow, int) {
	out := flow{fixed: true}
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; {
		case c == '"' && j+1 < len(s) && s[j+1] == '"':
			b.WriteByte('"')
			j++
		case c == '"':
			out.text = b.String()
			return out, j + 1
		case c == '`' && j+1 < len(s):
			j++
			b.WriteByte(escaped(s[j]))
		case c == '$' && j+1 < len(s) && s[j+1] == '(':
			in, n := nested(s, j+1)
			v := r.inside(in)
			out = out.from(v)
			b.WriteString(v.text)
			j = n - 1
		case c == '$':
			name, n := varName(s, j)
			if name == "" {
				b.WriteByte(c)
				continue
			}
			v := r.variable(name)
			out = out.from(v)
			b.WriteString(v.text)
			j = n - 1
		default:
			b.WriteByte(c)
		}
	}
	out.text = b.String()
	return out, len(s)
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return c
}

// atSign reads @'…'@, @"…"@, @(…) and @{…}.
func (r *reader) atSign(s string, i int) (flow, int) {
	switch c := s[i+1]; c {
	case '\'', '"':
		stop := "\n" + string(c) + "@"
		body := s[i+2:]
		n := len(s)
		if k := strings.Index(body, stop); k >= 0 {
			body, n = body[:k], i+2+k+len(stop)
		}
		body = strings.TrimPrefix(strings.TrimPrefix(body, "\r"), "\n")
		if c == '"' {
			v, _ := r.doubleQuoted("\""+strings.ReplaceAll(body, `"`, "`\"")+"\"", 0)
			return v, n
		}
		return literal(body), n
	case '(':
		in, n := nested(s, i+1)
		return r.inside(in), n
	case '{':
		in, n := nested(s, i+1)
		out := flow{class: "table"}
		for _, a := range r.arguments(strings.NewReplacer(";", ",", "=", ",", "\n", ",").Replace(in)) {
			out = out.from(a)
		}
		out.text = hole
		return out, n
	}
	return flow{}, i + 1
}

// varName returns the name of the variable at i, without $, and where it ends.
func varName(s string, i int) (string, int) {
	j := i + 1
	if j < len(s) && s[j] == '{' {
		if k := strings.IndexByte(s[j:], '}'); k > 0 {
			return s[j+1 : j+k], j + k + 1
		}
		return "", j
	}
	for j < len(s) && (letter(s[j]) || s[j] >= '0' && s[j] <= '9' || s[j] == '_' || s[j] == '?' ||
		s[j] == ':' && j+1 < len(s) && letter(s[j+1]) && s[min(j+1, len(s)-1)] != ':') {
		j++
	}
	return s[i+1 : j], j
}

// variable is the value of a variable.
func (r *reader) variable(name string) flow {
	low := lower(name)
	for _, scope := range [...]string{"script:", "global:", "local:", "private:"} {
		low = strings.TrimPrefix(low, scope)
	}
	if v, ok := r.vars[low]; ok {
		return v
	}
	if n, ok := strings.CutPrefix(low, "env:"); ok {
		switch n {
		case "userprofile", "homepath", "temp", "tmp", "systemroot", "windir", "systemdrive", "programfiles", "programdata", "appdata", "localappdata":
			return literal("$env:" + n)
		case "home":
			return literal("~")
		}
		return flow{text: hole, secret: facts.SecretName(n), of: n}
	}
	switch low {
	case "home":
		return literal("~")
	case "profile":
		return literal(`~\Documents\PowerShell\Microsoft.PowerShell_profile.ps1`)
	case "pwd", "psscriptroot", "executioncontext.sessionstate.path.currentlocation":
		return literal(".")
	case "true", "false", "null":
		return literal("$" + low)
	}
	return unsure()
}
