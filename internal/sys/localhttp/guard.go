package localhttp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Refusal states why a request is refused, and the remedy.
type Refusal struct {
	Status      int
	Why, Remedy string
	allow       string // the allowed methods, for the Allow header
}

// JSON returns the refusal as the body of a response.
func (r *Refusal) JSON() []byte { return errorJSON(r.Why, r.Remedy) }

// errorJSON returns a JSON object with the members error and remedy.
func errorJSON(why, remedy string) []byte {
	o := rawjson.Object{'{'}
	o.Text("error", why)
	o.Text("remedy", remedy)
	o.Close()
	return o
}

// A guard checks requests before it calls their routes.
type guard struct{ opts *Options }

// ServeHTTP answers r. A panic of the route becomes an internal server error.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if bug := recover(); bug != nil {
			if g.opts.OnPanic != nil {
				g.opts.OnPanic(fmt.Errorf("%s: %v", r.URL.Path, bug))
			}
			g.writeAnswer(w, r, Answer{Status: http.StatusInternalServerError, Body: errorJSON("a bug in checkrein", "see the server's output")})
		}
	}()
	if g.opts.Browser != nil && !g.isRoutePath(r.URL.Path) {
		g.browse(w, r)
		return
	}
	if a := g.reply(w, r); !a.sent {
		g.writeAnswer(w, r, a)
	}
}

// reply checks r and returns the answer of its route, or of the refusal.
func (g *guard) reply(w http.ResponseWriter, r *http.Request) Answer {
	peer, _ := r.Context().Value(peerKey{}).(*Peer)
	if peer == nil {
		peer = &Peer{}
	}
	req := &Request{Peer: peer, Query: r.URL.Query(), Header: r.Header}
	route, refusal := findRoute(g.opts.Routes, r, req)
	if outside := g.refuseOutsider(r, req.Peer); outside != nil {
		refusal = outside // the answer must not reveal which paths exist
	}
	if refusal == nil {
		refusal = g.refuseCaller(route, r, req)
	}
	if refusal != nil {
		if route != nil && route.Refuse != nil && refusal.Status != http.StatusMethodNotAllowed {
			return route.Refuse(refusal)
		}
		if refusal.allow != "" {
			w.Header().Set("Allow", refusal.allow)
		}
		return Answer{Status: refusal.Status, Body: refusal.JSON()}
	}
	if refusal := g.readBody(w, r, route, req); refusal != nil {
		return Answer{Status: refusal.Status, Body: refusal.JSON()}
	}
	if route.Stream != nil {
		return g.stream(w, r, route, req)
	}
	return route.Do(r.Context(), req)
}

// stream answers r with the stream of route.
func (g *guard) stream(w http.ResponseWriter, r *http.Request, route *Route, req *Request) Answer {
	if route.Check != nil {
		if refusal := route.Check(req); refusal != nil {
			return Answer{Status: refusal.Status, Body: refusal.JSON()}
		}
	}
	s, err := OpenStream(w, r)
	if err != nil {
		return ErrorAnswer(http.StatusServiceUnavailable, err.Error(), "close streams that are not read")
	}
	defer s.Close()
	route.Stream(req, s)
	return Answer{sent: true}
}

// refuseOutsider returns a refusal for a request from outside, or nil. A request is from outside if it
// names a host other than localhost, as after DNS rebinding, if it comes from a web page, or if it
// comes from another user.
func (g *guard) refuseOutsider(r *http.Request, peer *Peer) *Refusal {
	switch {
	case !isLoopbackHost(r.Host):
		return &Refusal{Status: http.StatusMisdirectedRequest, Why: fmt.Sprintf("the request is for the host %q, but this server answers only for localhost", r.Host), Remedy: "use http://localhost or http://127.0.0.1 with the server's port"}
	case len(r.Header["Origin"]) > 0, !isNotFromPage(r.Header["Sec-Fetch-Site"]):
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from a web page in a browser", Remedy: "call the API from your own program, without the Origin and Sec-Fetch-Site headers"}
	case peer.Known && !peer.IsSameUser() && peer.UID != 0:
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from another user on this machine", Remedy: "call as the user who started the server"}
	}
	return nil
}

// isNotFromPage reports whether site, the values of the Sec-Fetch-Site header, shows that no web page
// made the request.
func isNotFromPage(site []string) bool {
	return len(site) == 0 || len(site) == 1 && site[0] == "none"
}

// isLoopbackHost reports whether host, a Host header, names this machine.
func isLoopbackHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// refuseCaller returns a refusal if the caller may not use route, or nil.
func (g *guard) refuseCaller(route *Route, r *http.Request, req *Request) *Refusal {
	switch {
	case route.SameUser && !req.Peer.IsSameUser():
		return &Refusal{Status: http.StatusForbidden, Why: "checkrein cannot tell whether the request comes from this server's user", Remedy: "call from this machine as that user"}
	case (route.SameUser || route.Person) && isForwarded(r.Header):
		return &Refusal{Status: http.StatusForbidden, Why: "the request came through a proxy", Remedy: "call the server directly"}
	case route.Person && req.Peer.MayDescendFrom(os.Getpid()):
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from a process that this session started", Remedy: "only a person may do this: call it from your own terminal"}
	case route.Token && !g.opts.Token.matches(r.Header.Get("Authorization")):
		return &Refusal{Status: http.StatusUnauthorized, Why: "the token is missing or wrong", Remedy: "send the header: Authorization: Bearer TOKEN"}
	}
	return nil
}

// readBody reads the body into req if the route takes one. It returns a refusal if the body is invalid
// or too large, or nil.
func (g *guard) readBody(w http.ResponseWriter, r *http.Request, route *Route, req *Request) *Refusal {
	if route.Method != http.MethodPost {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Why: "the Content-Type is not JSON", Remedy: "send the header: Content-Type: application/json"}
	}
	body, refusal := g.readAll(w, r, cmp.Or(route.Max, maxBody))
	if refusal != nil {
		return refusal
	}
	if !route.AnyBody {
		if err := rawjson.CheckObject(body); err != nil {
			return &Refusal{Status: http.StatusBadRequest, Why: "the body is not a JSON object: " + err.Error(), Remedy: "send a single object, in UTF-8"}
		}
	}
	req.Body = body
	return nil
}

// readAll returns the body of r. It returns a refusal if the body is larger than limit, or arrives too
// slowly.
func (g *guard) readAll(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, *Refusal) {
	tooLarge := &Refusal{Status: http.StatusRequestEntityTooLarge, Why: fmt.Sprintf("the body is larger than %d bytes", limit), Remedy: "send a smaller body, and put long text into files"}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.opts.Limits.Body))
	if r.ContentLength > limit {
		// A client that is still sending does not read the answer.
		_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var most *http.MaxBytesError
	switch {
	case errors.As(err, &most):
		return nil, tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Refusal{Status: http.StatusRequestTimeout, Why: fmt.Sprintf("the body did not arrive within %v", g.opts.Limits.Body), Remedy: "send the body at once"}
	case err != nil:
		return nil, &Refusal{Status: http.StatusBadRequest, Why: "the body cannot be read: " + err.Error(), Remedy: "send the whole body"}
	}
	// Nothing more is read from the client after the body, and the answer may take long.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}

// writeAnswer writes a as the response to r. It sets no header that would let other origins read it.
func (g *guard) writeAnswer(w http.ResponseWriter, r *http.Request, a Answer) {
	h := w.Header()
	h.Set("Content-Type", cmp.Or(a.Type, "application/json"))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if a.Status >= 400 {
		h.Set("Connection", "close") // the rest of the request is not read
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(a.Body, '\n'))
	}
}
