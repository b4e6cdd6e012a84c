package localhttp

import (
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

// A Refusal is why a request is not answered, with what to do.
type Refusal struct {
	Status      int
	Why, Remedy string
	allow       string // the methods that there are
}

// JSON is the refusal as clients get it.
func (r *Refusal) JSON() []byte { return problem(r.Why, r.Remedy) }

func problem(why, remedy string) []byte {
	o := rawjson.Object{'{'}
	o.Text("error", why)
	o.Text("remedy", remedy)
	o.Close()
	return o
}

// A guard stands before the routes.
type guard struct{ opts *Options }

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if bug := recover(); bug != nil {
			if g.opts.Bug != nil {
				g.opts.Bug(fmt.Errorf("%s: %v", r.URL.Path, bug))
			}
			g.answer(w, r, Answer{Status: http.StatusInternalServerError, Body: problem("a bug in checkrein", "see the server's output")})
		}
	}()
	g.answer(w, r, g.reply(w, r))
}

// reply is what a request gets.
func (g *guard) reply(w http.ResponseWriter, r *http.Request) Answer {
	peer, _ := r.Context().Value(peerKey{}).(*Peer)
	if peer == nil {
		peer = &Peer{}
	}
	req := &Request{Peer: peer, Query: r.URL.Query()}
	route, refusal := find(g.opts.Routes, r, req)
	if outside := g.outside(r, req.Peer); outside != nil {
		refusal = outside // which is told nothing of what there is
	}
	if refusal == nil {
		refusal = g.caller(route, r, req)
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
	if refusal := g.body(w, r, route, req); refusal != nil {
		return Answer{Status: refusal.Status, Body: refusal.JSON()}
	}
	return route.Do(r.Context(), req)
}

// outside refuses what comes from elsewhere: through a name that somebody else's name
// server made up, from a page in a browser, from another user.
func (g *guard) outside(r *http.Request, peer *Peer) *Refusal {
	switch {
	case !isLoopback(r.Host):
		return &Refusal{Status: http.StatusMisdirectedRequest, Why: fmt.Sprintf("the request is for the host %q, but this server answers only for localhost", r.Host), Remedy: "use http://localhost or http://127.0.0.1 with the server's port"}
	case len(r.Header["Origin"]) > 0, !fromNoPage(r.Header["Sec-Fetch-Site"]):
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from a web page in a browser", Remedy: "call the API from your own program, without the Origin and Sec-Fetch-Site headers"}
	case peer.Known && !peer.Same() && peer.UID != 0:
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from another user on this machine", Remedy: "call as the user who started the server"}
	}
	return nil
}

// fromNoPage reports whether a request was made by no page, as browsers mark them.
func fromNoPage(site []string) bool {
	return len(site) == 0 || len(site) == 1 && site[0] == "none"
}

// isLoopback reports whether a Host header names this machine from within.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// caller refuses who may not ask for this.
func (g *guard) caller(route *Route, r *http.Request, req *Request) *Refusal {
	switch {
	case route.Same && !req.Peer.Same():
		return &Refusal{Status: http.StatusForbidden, Why: "checkrein cannot tell whether the request comes from this server's user", Remedy: "call from this machine as that user"}
	case (route.Same || route.Person) && forwarded(r.Header):
		return &Refusal{Status: http.StatusForbidden, Why: "the request came through a proxy", Remedy: "call the server directly"}
	case route.Person && req.Peer.Below(os.Getpid()):
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from a process that this session started", Remedy: "only a person may do this: call it from your own terminal"}
	case route.Token && !g.opts.Token.opens(r.Header.Get("Authorization")):
		return &Refusal{Status: http.StatusUnauthorized, Why: "the token is missing or wrong", Remedy: "send the header: Authorization: Bearer TOKEN"}
	}
	return nil
}

// body reads the body, if the route has one.
func (g *guard) body(w http.ResponseWriter, r *http.Request, route *Route, req *Request) *Refusal {
	if route.Method != http.MethodPost {
		return nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Why: "the Content-Type is not JSON", Remedy: "send the header: Content-Type: application/json"}
	}
	limit := route.Max
	if limit == 0 {
		limit = maxBody
	}
	tooLarge := &Refusal{Status: http.StatusRequestEntityTooLarge, Why: fmt.Sprintf("the body is larger than %d bytes", limit), Remedy: "send less; put large texts into files"}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.opts.Limits.Body))
	if r.ContentLength > limit {
		// Who is still sending does not see an answer.
		_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
		return tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var most *http.MaxBytesError
	switch {
	case errors.As(err, &most):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{Status: http.StatusRequestTimeout, Why: fmt.Sprintf("the body did not arrive within %v", g.opts.Limits.Body), Remedy: "send the body at once"}
	case err != nil:
		return &Refusal{Status: http.StatusBadRequest, Why: "the body cannot be read: " + err.Error(), Remedy: "send the whole body"}
	}
	// Behind the body nobody waits for the client, but it may be waited for the answer.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if !route.Any {
		if err := rawjson.CheckObject(body); err != nil {
			return &Refusal{Status: http.StatusBadRequest, Why: "the body is not a JSON object: " + err.Error(), Remedy: "send a single object, in UTF-8"}
		}
	}
	req.Body = body
	return nil
}

// answer writes what a request gets. No header lets other origins read it.
func (g *guard) answer(w http.ResponseWriter, r *http.Request, a Answer) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if a.Status >= 400 {
		h.Set("Connection", "close") // what it still sends is not read
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answering))
	w.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(a.Body, '\n'))
	}
}
