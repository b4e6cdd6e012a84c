package mockmodel

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// The server is also a proxy that blocks all other hosts. An agent whose proxy variables name the
// server can only reach the model, and its attempts to reach other hosts are recorded. Agents that
// use the proxy for requests to the model as well reach the model through it.

// outsideTarget returns the host that a proxy request is for, and reports whether that is another host
// than the model.
func (s *Server) outsideTarget(r *http.Request) (string, bool) {
	target := ""
	switch {
	case r.Method == http.MethodConnect:
		target = r.Host
	case r.URL.IsAbs():
		target = r.URL.Host
	}
	return target, target != "" && target != s.addr
}

// blockOutside records and denies a request for target, another host.
func (s *Server) blockOutside(w http.ResponseWriter, r *http.Request, target string) {
	s.recordRequest(Request{Method: r.Method, Path: r.URL.Path, Outside: target, Turn: -1})
	writeJSON(w, http.StatusForbidden, errorBody(http.StatusForbidden, "the proxy blocks all hosts except the model"))
}

// tunnel connects an agent that sent a CONNECT request to the model.
func (s *Server) tunnel(w http.ResponseWriter) {
	to, err := net.Dial("tcp", s.addr)
	if err != nil {
		writeJSON(w, http.StatusBadGateway, errorBody(http.StatusBadGateway, err.Error()))
		return
	}
	defer to.Close()
	from, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		writeJSON(w, http.StatusBadGateway, errorBody(http.StatusBadGateway, err.Error()))
		return
	}
	defer from.Close()
	if _, err := io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	// When one direction ends, the other is closed too.
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(to, buf)
		_ = to.Close()
	})
	both.Go(func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
	})
	both.Wait()
}
