package webhook

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A header is one that a hook sets; its value is the concatenation of its parts.
type header struct {
	name  string
	value []part
}

// A part is a text, or else the name of a variable. Only listed variables are filled in: a
// repository's hook must not choose which secrets are sent.
type part struct {
	text     string
	variable string
	listed   bool
}

// framingHeaders determine where a request ends and which server it is for.
var framingHeaders = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// readHeaders reads an object of strings; the error joins all mistakes.
func readHeaders(obj []byte, allowed func(variable string) bool) ([]header, error) {
	var out []header
	var errs []error
	rawjson.Each(obj, func(key string, val []byte) bool {
		name := textproto.CanonicalMIMEHeaderKey(key)
		text, isText := rawjson.Text(val)
		switch {
		case !isToken(key):
			errs = append(errs, fmt.Errorf("header %q: not a valid header name", key))
		case slices.Contains(framingHeaders, name):
			errs = append(errs, fmt.Errorf("header %s: it is set automatically; remove it", name))
		case slices.ContainsFunc(out, func(h header) bool { return h.name == name }):
			errs = append(errs, fmt.Errorf("header %s is set twice: remove one", name))
		case !isText:
			errs = append(errs, fmt.Errorf("header %s: the value must be a string; put it in quotes", name))
		case !isHeaderValue(text):
			errs = append(errs, fmt.Errorf("header %s: the value contains a line break or another control character", name))
		}
		out = append(out, header{name, parseValue(text, allowed)})
		return true
	})
	return out, errors.Join(errs...)
}

// parseValue splits a header's value at its variables. A $ that does not begin ${env.NAME} is literal.
func parseValue(s string, allowed func(variable string) bool) []part {
	const open = "${env."
	var out []part
	text := ""
	for {
		before, rest, found := strings.Cut(s, open)
		text += before
		if !found {
			return append(out, part{text: text})
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariable(name) {
			text += open
			s = rest
			continue
		}
		out = append(out, part{text: text}, part{variable: name, listed: allowed(name)})
		text, s = "", after
	}
}

// fillHeaders returns the headers with their variables filled in, and a note on each variable that is
// empty. Values do not appear in notes and errors.
func fillHeaders(headers []header, env []string) (http.Header, []string, error) {
	out := make(http.Header, len(headers))
	var notes []string
	var errs []error
	note := func(format, name string) {
		if s := fmt.Sprintf(format, name); !slices.Contains(notes, s) {
			notes = append(notes, s)
		}
	}
	for _, h := range headers {
		var value strings.Builder
		for _, p := range h.value {
			value.WriteString(p.text)
			if p.variable == "" {
				continue
			}
			if !p.listed {
				note("${env.%[1]s} is left empty: list %[1]s in allowed_env to send it", p.variable)
				continue
			}
			v, set := environ.Lookup(env, p.variable)
			if !set {
				note("${env.%[1]s} is empty: %[1]s is not set", p.variable)
			}
			value.WriteString(v)
		}
		if !isHeaderValue(value.String()) {
			errs = append(errs, fmt.Errorf("header %s: a variable in it contains a line break or another control character", h.name))
		}
		out[h.name] = []string{value.String()}
	}
	return out, notes, errors.Join(errs...)
}

// isToken reports whether s is a valid header name.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if !isAlnum(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isHeaderValue reports whether s is a valid header value.
func isHeaderValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

// isVariable reports whether s is a valid name of an environment variable.
func isVariable(s string) bool {
	for _, c := range []byte(s) {
		if !isAlnum(c) && c != '_' {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
