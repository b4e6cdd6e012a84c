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

// A Route is a row of what a server answers.
type Route struct {
	Method string
	Path   string // a part in braces is any text: /api/sessions/{id}/steer
	Token  bool   // it needs the token
	Same   bool   // it is for processes of this user, proven
	Person bool   // it is for a person: not for processes below this one, nor through proxies
	Any    bool   // whoever answers says what is wrong with the body
	Max    int64  // how large the body may be; 0 = 1 MiB
	// Refuse answers for callers whom the guard refuses; nil = as everywhere.
	Refuse func(*Refusal) Answer
	// Do answers. The context ends when the client leaves.
	Do func(context.Context, *Request) Answer
}

// A Request is one that passed the guard.
type Request struct {
	Body  []byte
	Query url.Values
	Peer  *Peer
	parts map[string]string
}

// Part is what stands in the place of {name} in the path.
func (r *Request) Part(name string) string { return r.parts[name] }

// passedOn are other headers that proxies add, beside the families in forwarded.
var passedOn = [...]string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Proxy-Connection", "X-Proxyuser-Ip"}

// forwarded reports whether a proxy says that it passed the request on.
func forwarded(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded") || strings.HasPrefix(name, "X-Original-") || strings.HasPrefix(name, "X-Envoy-") || strings.HasPrefix(name, "Cf-") || strings.HasPrefix(name, "Tailscale-") || slices.Contains(passedOn[:], name) {
			return true
		}
	}
	return false
}

// An Answer is what a client gets: a status, 200 if it is 0, and JSON.
type Answer struct {
	Status int
	Body   []byte
}

// Refused is the answer to a request that cannot be done.
func Refused(status int, why, remedy string) Answer { return Answer{status, problem(why, remedy)} }

// find finds the row of a request, also beside the refusal of its method.
func find(routes []Route, r *http.Request, req *Request) (*Route, *Refusal) {
	var other *Route
	var methods []string
	for i := range routes {
		parts, ok := match(routes[i].Path, r.URL.Path)
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

// match reports whether a path is that of a row, with what stands in its braces.
func match(row, path string) (parts map[string]string, ok bool) {
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
