package localhttp

import (
	"io"
	"log"
	"net"
	"sync/atomic"
	"time"
)

// quiet takes what net/http has to say of connections: what clients did wrong they are
// told themselves.
var quiet = log.New(io.Discard, "", 0)

// A limiter lets in no more connections than may be at a time. Those of other users
// have a few places of their own, so that they cannot take everybody else's.
type limiter struct {
	net.Listener
	own, strangers chan struct{}
}

func (s *Server) limited(ln net.Listener) net.Listener {
	return &limiter{ln, make(chan struct{}, s.opts.Limits.Conns), make(chan struct{}, s.opts.Limits.Strangers)}
}

// Accept returns the next connection that there is a place for. The others are told.
func (l *limiter) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer := lookUp(c)
		places := l.own
		if peer.Known && !peer.Same() && peer.UID != 0 {
			places = l.strangers
		}
		select {
		case places <- struct{}{}:
			return &conn{Conn: c, peer: peer, places: places}, nil
		default:
			go tooMany(c)
		}
	}
}

// tooMany turns a connection away.
func tooMany(c net.Conn) {
	defer c.Close()
	body := string(problem("too many connections at a time", "close those that are not used, or try again in a moment")) + "\n"
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"+body)
	// What was sent already must be read, or the client sees a reset and no answer.
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(c, maxHeader))
}

// A conn is a connection that has a place.
type conn struct {
	net.Conn
	peer   *Peer
	places chan struct{}
	closed atomic.Bool
}

// Close gives the place back.
func (c *conn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		<-c.places
	}
	return c.Conn.Close()
}

type peerKey struct{}

func peerOf(c net.Conn) *Peer {
	if own, ok := c.(*conn); ok {
		return own.peer
	}
	return &Peer{}
}
