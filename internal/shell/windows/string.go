package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// readSingleQuoted reads the single-quoted string at s[i], and returns its value and the index after
// it.
func readSingleQuoted(s string, i int) (flow, int) {
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		if s[j] == '\'' {
			if j+1 < len(s) && s[j+1] == '\'' {
				j++
			} else {
				return literalFlow(b.String()), j + 1
			}
		}
		b.WriteByte(s[j])
	}
	return literalFlow(b.String()), len(s)
}

// readDoubleQuoted reads the double-quoted string at s[i], and returns its value with variables
// replaced and the index after it.
func (r *evaluator) readDoubleQuoted(s string, i int) (flow, int) {
	out := flow{literal: true}
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
			b.WriteByte(unescape(s[j]))
		case c == '$' && j+1 < len(s) && s[j+1] == '(':
			in, n := bracketedText(s, j+1)
			v := r.evalBracketed(in)
			out = out.withSourcesOf(v)
			b.WriteString(v.text)
			j = n - 1
		case c == '$':
			name, n := varName(s, j)
			if name == "" {
				b.WriteByte(c)
				continue
			}
			v := r.variableValue(name)
			out = out.withSourcesOf(v)
			b.WriteString(v.text)
			j = n - 1
		default:
			b.WriteByte(c)
		}
	}
	out.text = b.String()
	return out, len(s)
}

// unescape returns the character that a backquote followed by c stands for.
func unescape(c byte) byte {
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

// readAtExpression reads @'…'@, @"…"@, @(…) or @{…} at s[i], and returns its value and the index after
// it.
func (r *evaluator) readAtExpression(s string, i int) (flow, int) {
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
			v, _ := r.readDoubleQuoted("\""+strings.ReplaceAll(body, `"`, "`\"")+"\"", 0)
			return v, n
		}
		return literalFlow(body), n
	case '(':
		in, n := bracketedText(s, i+1)
		return r.evalBracketed(in), n
	case '{':
		in, n := bracketedText(s, i+1)
		out := flow{class: "table"}
		for _, a := range r.evalArguments(strings.NewReplacer(";", ",", "=", ",", "\n", ",").Replace(in)) {
			out = out.withSourcesOf(a)
		}
		out.text = placeholder
		return out, n
	}
	return flow{}, i + 1
}

// varName returns the name of the variable at s[i] without $ and braces, and the index after it.
func varName(s string, i int) (name string, next int) {
	j := i + 1
	if j < len(s) && s[j] == '{' {
		if k := strings.IndexByte(s[j:], '}'); k > 0 {
			return s[j+1 : j+k], j + k + 1
		}
		return "", j
	}
	for j < len(s) && (isLetter(s[j]) || s[j] >= '0' && s[j] <= '9' || s[j] == '_' || s[j] == '?' ||
		s[j] == ':' && j+1 < len(s) && isLetter(s[j+1]) && s[min(j+1, len(s)-1)] != ':') {
		j++
	}
	return s[i+1 : j], j
}

// variableValue returns the value of the variable name, or an unknown value.
func (r *evaluator) variableValue(name string) flow {
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
			return literalFlow("$env:" + n)
		case "home":
			return literalFlow("~")
		}
		return flow{text: placeholder, secret: facts.IsSecretName(n), secretVar: n}
	}
	switch low {
	case "home":
		return literalFlow("~")
	case "profile":
		return literalFlow(`~\Documents\PowerShell\Microsoft.PowerShell_profile.ps1`)
	case "pwd", "psscriptroot", "executioncontext.sessionstate.path.currentlocation":
		return literalFlow(".")
	case "true", "false", "null":
		return literalFlow("$" + low)
	}
	return unknownFlow()
}
