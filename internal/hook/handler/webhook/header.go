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

// A header is an HTTP header that a hook sets. Its value is the concatenation of its parts.
type header struct {
	name  string
	value []headerPart
}

// A headerPart is literal text, or the name of an environment variable. Only listed variables are
// replaced by their values, so that a repository's hook cannot choose which secrets are sent.
type headerPart struct {
	text     string
	variable string
	listed   bool
}

// framingHeaders lists the headers that determine where a request ends and for which server it is. Hooks
// cannot set them.
var framingHeaders = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// readHeaders reads headers from obj, a JSON object of strings. The function allowed reports whether a
// variable is listed. The error joins all mistakes.
func readHeaders(obj []byte, allowed func(variable string) bool) ([]header, error) {
	var out []header
	var errs []error
	rawjson.Each(obj, func(key string, val []byte) bool {
		name := textproto.CanonicalMIMEHeaderKey(key)
		text, isText := rawjson.Text(val)
		switch {
		case !isHeaderName(key):
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
		out = append(out, header{name, parseHeaderValue(text, allowed)})
		return true
	})
	return out, errors.Join(errs...)
}

// parseHeaderValue splits the value s of a header at its variables. A $ that does not begin
// ${env.NAME} is literal.
func parseHeaderValue(s string, allowed func(variable string) bool) []headerPart {
	const open = "${env."
	var out []headerPart
	text := ""
	for {
		before, rest, found := strings.Cut(s, open)
		text += before
		if !found {
			return append(out, headerPart{text: text})
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariableName(name) {
			text += open
			s = rest
			continue
		}
		out = append(out, headerPart{text: text}, headerPart{variable: name, listed: allowed(name)})
		text, s = "", after
	}
}

// fillHeaders returns headers with the values of their variables in env, and a note for each variable
// that is empty. Notes and errors do not contain values.
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

// isHeaderName reports whether s is a valid header name.
func isHeaderName(s string) bool {
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

// isVariableName reports whether s is a valid name of an environment variable.
func isVariableName(s string) bool {
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
