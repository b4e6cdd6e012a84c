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

// A Route describes a path that a server answers, and who may request it.
type Route struct {
	Method   string
	Path     string // a part in braces matches any text: /api/sessions/{id}/steer
	Token    bool   // the request must have the token
	SameUser bool   // only for processes that certainly belong to this user
	Person   bool   // only for a person: not for descendants of this process, and not through proxies
	AnyBody  bool   // Do checks the body itself
	Max      int64  // maximum size of the body in bytes; 0 means 1 MiB
	// Refuse returns the answer for callers that the guard refuses. If it is nil, the answer
	// is that of the refusal.
	Refuse func(*Refusal) Answer
	// Do returns the answer to a request. The context ends when the client disconnects.
	Do func(context.Context, *Request) Answer
	// Stream is called instead of Do if it is set, and if Check, unless that is nil, returns no
	// refusal. The stream is closed when it returns.
	Stream func(*Request, *Stream)
	Check  func(*Request) *Refusal
	Doc    Doc
}

// A Doc describes a route, for a description of all routes. The values of In and Out do not matter, only
// their types.
type Doc struct {
	About   string
	Query   []Param
	In      any    // the body of a request; nil = an object without members
	Out     any    // the body of a response, or the data of each event of a stream
	Refused any    // a refusal; nil = one as of ErrorAnswer
	Type    string // the content type of a response, if it is not JSON or a stream
}

// A Param is a parameter in an address.
type Param struct{ Name, About string }

// A Request is a request that passed the guard.
type Request struct {
	Body   []byte
	Query  url.Values
	Header http.Header
	Peer   *Peer
	parts  map[string]string
}

// PathPart returns the text in place of {name} in the path.
func (r *Request) PathPart(name string) string { return r.parts[name] }

// proxyHeaders lists headers that proxies add, in addition to the prefixes in isForwarded.
var proxyHeaders = [...]string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Proxy-Connection", "X-Proxyuser-Ip"}

// isForwarded reports whether h has headers that proxies add.
func isForwarded(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "X-Forwarded") || strings.HasPrefix(name, "X-Original-") || strings.HasPrefix(name, "X-Envoy-") || strings.HasPrefix(name, "Cf-") || strings.HasPrefix(name, "Tailscale-") || slices.Contains(proxyHeaders[:], name) {
			return true
		}
	}
	return false
}

// An Answer is the response to a client. The zero Status means 200; Body is JSON unless Type says
// otherwise.
type Answer struct {
	Status int
	Body   []byte
	Type   string
	sent   bool // as a stream
}

// ErrorAnswer returns an answer with status and a body that states the reason why and the remedy.
func ErrorAnswer(status int, why, remedy string) Answer {
	return Answer{Status: status, Body: errorJSON(why, remedy)}
}

// findRoute returns the route for r, and sets the parts of the path in req. If there is none it
// returns a refusal, together with a route of the same path if only the method is wrong.
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
		return other, &Refusal{Status: http.StatusMethodNotAllowed, Why: "this path does not accept " + r.Method, Remedy: "use " + strings.Join(methods, " or "), allow: strings.Join(methods, ", ")}
	}
	var there []string
	for i := range routes {
		there = append(there, routes[i].Path)
	}
	return nil, &Refusal{Status: http.StatusNotFound, Why: fmt.Sprintf("unknown path %q%s", r.URL.Path, suggest.Hint(r.URL.Path, there)), Remedy: "use one of " + strings.Join(slices.Compact(there), ", ")}
}

// matchPath reports whether path matches row, the path of a route, and returns the texts in place of
// its braces.
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
