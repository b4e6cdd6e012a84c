package localhttp

import (
	"io"
	"log"
	"net"
	"sync/atomic"
	"time"
)

// discardLog discards the log of net/http, because clients receive their errors in the response.
var discardLog = log.New(io.Discard, "", 0)

// A limiter limits the number of concurrent connections. Other users have a few slots of their own, so
// that they cannot use up those of this user.
type limiter struct {
	net.Listener
	own, otherUsers chan struct{}
}

// limitConns returns ln with the connection limits of s.
func (s *Server) limitConns(ln net.Listener) net.Listener {
	return &limiter{ln, make(chan struct{}, s.opts.Limits.Conns), make(chan struct{}, s.opts.Limits.OtherConns)}
}

// Accept returns the next connection for which there is a free slot. Others receive an error response.
func (l *limiter) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer := findPeer(c)
		places := l.own
		if peer.Known && !peer.IsSameUser() && peer.UID != 0 {
			places = l.otherUsers
		}
		select {
		case places <- struct{}{}:
			return &conn{Conn: c, peer: peer, slots: places}, nil
		default:
			go rejectConn(c)
		}
	}
}

// rejectConn answers c, for which there is no free slot, with an error, and closes it.
func rejectConn(c net.Conn) {
	defer c.Close()
	body := string(errorJSON("too many connections at a time", "close those that are not used, or try again in a moment")) + "\n"
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"+body)
	// Read what was already sent; otherwise the client gets a reset instead of the answer.
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(c, maxHeader))
}

// A conn is a connection that occupies a slot.
type conn struct {
	net.Conn
	peer   *Peer
	slots  chan struct{}
	closed atomic.Bool
}

// Close closes the connection and frees its slot.
func (c *conn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		<-c.slots
	}
	return c.Conn.Close()
}

type peerKey struct{}

// peerOf returns the peer that Accept recorded for c, or the zero Peer.
func peerOf(c net.Conn) *Peer {
	if own, ok := c.(*conn); ok {
		return own.peer
	}
	return &Peer{}
}
