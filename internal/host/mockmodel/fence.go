package mockmodel

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// The server is a proxy, too: one that lets nobody out. An agent whose proxy
// variables point here cannot reach anybody but the model, and whom it tried to
// reach is in the record. Agents that send everything to a proxy, the model's
// requests included, reach the model through it.

// outside returns whom a request wants to reach, if that is not the model.
func (s *Server) outside(r *http.Request) (string, bool) {
	target := ""
	switch {
	case r.Method == http.MethodConnect:
		target = r.Host
	case r.URL.IsAbs():
		target = r.URL.Host
	}
	return target, target != "" && target != s.addr
}

// refuse records an attempt to leave and turns it down.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, target string) {
	s.add(Request{Method: r.Method, Path: r.URL.Path, Outside: target, Turn: -1})
	writeJSON(w, http.StatusForbidden, errorBody(http.StatusForbidden, "there is no way out of here"))
}

// tunnel connects an agent that asked for a tunnel to the model.
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
	// Whoever ends first ends the other.
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
