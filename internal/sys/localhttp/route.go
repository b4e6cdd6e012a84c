package localhttp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Route is a row of the table of paths that a server answers.
type Route struct {
	Method   string
	Path     string // a part in braces is any text: /api/sessions/{id}/steer
	Token    bool   // it needs the token
	SameUser bool   // it is only for processes that are certainly this user's
	Person   bool   // it is for a person: not for descendants of this process, nor through proxies
	AnyBody  bool   // Do checks the body itself
	Max      int64  // largest body in bytes; 0 means 1 MiB
	// Refuse returns the answer for callers that the guard refuses; nil for the default.
	Refuse func(*Refusal) Answer
	// Do returns the answer. The context ends when the client disconnects.
	Do func(context.Context, *Request) Answer
}

// A Request is a request that passed the guard.
type Request struct {
	Body  []byte
	Query url.Values
	Peer  *Peer
	parts map[string]string
}

// Part returns the text in place of {name} in the path.
func (r *Request) Part(name string) string { return r.parts[name] }

// proxyHeaders are headers that proxies add, besides the prefixes in isForwarded.
var proxyHeaders = [...]string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Proxy-Connection", "X-Proxyuser-Ip"}

// isForwarded reports whether a request has headers of a proxy.
func isForwarded(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded") || strings.HasPrefix(name, "X-Original-") || strings.HasPrefix(name, "X-Envoy-") || strings.HasPrefix(name, "Cf-") || strings.HasPrefix(name, "Tailscale-") || slices.Contains(proxyHeaders[:], name) {
			return true
		}
	}
	return false
}

// An Answer is the response to a client: a status, 200 if it is 0, and JSON.
type Answer struct {
	Status int
	Body   []byte
}

// ErrorAnswer returns the answer to a request that cannot be served.
func ErrorAnswer(status int, why, remedy string) Answer {
	return Answer{status, errorJSON(why, remedy)}
}

// findRoute returns the row of a request. If only its method is wrong, it returns the row together
// with the refusal.
func findRoute(routes []Route, r *http.Request, req *Request) (*Route, *Refusal) {
	var other *Route
	var methods []string
	for i := range routes {
		parts, ok := matchPath(routes[i].Path, r.URL.Path)
		if !ok {
			continue
		}
		if routes[i].Method == r.Method {
			req.parts = parts
			return &routes[i], nil
		}
		other, methods = &routes[i], append(methods, routes[i].Method)
	}
	if other != nil {
		return other, &Refusal{Status: http.StatusMethodNotAllowed, Why: r.Method + " is not what this path takes", Remedy: "use " + strings.Join(methods, " or "), allow: strings.Join(methods, ", ")}
	}
	var there []string
	for i := range routes {
		there = append(there, routes[i].Path)
	}
	return nil, &Refusal{Status: http.StatusNotFound, Why: fmt.Sprintf("unknown path %q%s", r.URL.Path, suggest.Hint(r.URL.Path, there)), Remedy: "there is " + strings.Join(slices.Compact(there), ", ")}
}

// matchPath reports whether a path matches that of a row, and returns the texts in place of its
// braces.
func matchPath(row, path string) (parts map[string]string, ok bool) {
	a, b := strings.Split(row, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return nil, false
	}
	for i := range a {
		name, open := strings.CutPrefix(a[i], "{")
		switch {
		case !open && a[i] != b[i], open && b[i] == "":
			return nil, false
		case open:
			if parts == nil {
				parts = map[string]string{}
			}
			parts[strings.TrimSuffix(name, "}")] = b[i]
		}
	}
	return parts, true
}
