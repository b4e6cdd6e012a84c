package localhttp

import (
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// discardLog discards the log of net/http, because clients receive their errors in the response.
var discardLog = log.New(io.Discard, "", 0)

// A limiter limits the number of concurrent connections. Other users have a few slots of their own, so
// that they cannot use up those of this user, and a process of this user has at most its share.
type limiter struct {
	net.Listener
	own, otherUsers chan struct{}
	share           int

	mu   sync.Mutex
	open map[*conn]bool // connections of this user
}

// limitConns returns ln with the connection limits of s.
func (s *Server) limitConns(ln net.Listener) net.Listener {
	most := s.opts.Limits.Conns
	return &limiter{Listener: ln, own: make(chan struct{}, most), otherUsers: make(chan struct{}, s.opts.Limits.OtherConns), share: max(most*3/4, 1), open: map[*conn]bool{}}
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
		} else if l.hasItsShare(peer) {
			go rejectConn(c)
			continue
		}
		select {
		case places <- struct{}{}:
			own := &conn{Conn: c, peer: peer, slots: places, of: l}
			if places == l.own {
				l.mu.Lock()
				l.open[own] = true
				l.mu.Unlock()
			}
			return own, nil
		default:
			go rejectConn(c)
		}
	}
}

// hasItsShare reports whether the process of peer has as many connections as one process may have. It
// reads what all processes have open only when that many connections are of unknown processes, and
// otherwise what those have open that may have their share, since a process may connect again and again.
func (l *limiter) hasItsShare(peer *Peer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) < l.share {
		return false
	}
	counts, unknown := map[int]int{}, []*Peer{peer}
	for c := range l.open {
		if c.peer.holder == 0 {
			unknown = append(unknown, c.peer)
		}
		counts[c.peer.holder]++
	}
	if len(unknown) > l.share {
		findHoldersAnywhere(unknown)
	} else {
		for pid, n := range counts {
			if pid > 0 && n+len(unknown) > l.share {
				findHolders(unknown, pid)
			}
		}
	}
	if peer.holder <= 0 {
		return false
	}
	count := 0
	for c := range l.open {
		if c.peer.holder == peer.holder {
			count++
		}
	}
	return count >= l.share
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
	of     *limiter
	closed atomic.Bool
}

// Close closes the connection and frees its slot.
func (c *conn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		<-c.slots
		c.of.mu.Lock()
		delete(c.of.open, c)
		c.of.mu.Unlock()
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
