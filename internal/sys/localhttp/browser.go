package localhttp

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

// isRoutePath reports whether name begins like the path of a route, so that browsers get no page there.
func (g *guard) isRoutePath(name string) bool {
	first := firstSegment(name)
	for i := range g.opts.Routes {
		if firstSegment(g.opts.Routes[i].Path) == first {
			return true
		}
	}
	return false
}

// firstSegment returns the first segment of the path name.
func firstSegment(name string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	return first
}

// browse passes r to the handler for browsers if it comes from the server's own pages or was typed.
// The handler gets a body that was read to its end; sessions are its own concern.
func (g *guard) browse(w http.ResponseWriter, r *http.Request) {
	refusal := g.refuseBrowser(r)
	if refusal == nil && r.Method == http.MethodPost {
		var body []byte
		body, refusal = g.readAll(w, r, maxBody)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	if refusal != nil {
		h.Set("Connection", "close")
		http.Error(w, refusal.Why+"\n"+refusal.Remedy, refusal.Status)
		return
	}
	g.opts.Browser.ServeHTTP(w, r)
}

// refuseBrowser returns a refusal for a request that a page of another origin may have caused, or nil.
func (g *guard) refuseBrowser(r *http.Request) *Refusal {
	if peer, _ := r.Context().Value(peerKey{}).(*Peer); peer != nil && peer.Known && !peer.IsSameUser() && peer.UID != 0 {
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from another user on this machine", Remedy: "open the page as the user who started the server"}
	}
	origin, site := r.Header["Origin"], r.Header["Sec-Fetch-Site"]
	switch {
	case !isOwnHost(r):
		return &Refusal{Status: http.StatusMisdirectedRequest, Why: fmt.Sprintf("the request is for the host %q, but this server answers only for localhost", r.Host), Remedy: "use http://localhost or http://127.0.0.1 with the server's port"}
	case len(origin) > 1, len(origin) == 1 && origin[0] != "http://"+r.Host,
		len(site) > 1, len(site) == 1 && site[0] != "none" && site[0] != "same-origin":
		return &Refusal{Status: http.StatusForbidden, Why: "the request comes from a page of another site", Remedy: "open the page yourself: checkrein open"}
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		return &Refusal{Status: http.StatusMethodNotAllowed, Why: "pages do not accept " + r.Method, Remedy: "use GET or POST"}
	case !strings.HasPrefix(r.URL.Path, "/"), path.Clean(r.URL.Path) != r.URL.Path && path.Clean(r.URL.Path)+"/" != r.URL.Path:
		return &Refusal{Status: http.StatusNotFound, Why: "unknown path", Remedy: "open the page: checkrein open"}
	}
	return nil
}

// isOwnHost reports whether the Host header of r is the address of the connection on which r came, by
// the names that a browser uses for it.
func isOwnHost(r *http.Request) bool {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = strings.Trim(r.Host, "[]"), "80"
	}
	if name != "localhost" && name != "127.0.0.1" && name != "::1" {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || port == fmt.Sprint(local.Port)
}
