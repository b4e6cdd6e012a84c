package localhttp

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// JoinLocalhost returns ln, which listens on 127.0.0.1 or ::1, with the same port of the other. Browsers
// try both for localhost, so another user's program at the second could pose as the server. It reports
// whether none can: if a program uses that port, the result is ln itself.
func JoinLocalhost(ln net.Listener) (net.Listener, bool) {
	at, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return ln, false
	}
	other, known := map[string]string{"127.0.0.1": "[::1]", "::1": "127.0.0.1"}[at.IP.String()]
	if !known {
		return ln, false
	}
	second, err := net.Listen("tcp", fmt.Sprint(other, ":", at.Port))
	if err != nil {
		return ln, !errors.Is(err, syscall.EADDRINUSE) // otherwise this machine lacks the address
	}
	p := &pair{Listener: ln, second: second, conns: make(chan accepted), done: make(chan struct{})}
	go p.accept(ln)
	go p.accept(second)
	return p, true
}

// A pair is two listeners as one. Its address is that of the first.
type pair struct {
	net.Listener
	second net.Listener
	conns  chan accepted
	done   chan struct{}
	once   sync.Once
}

type accepted struct {
	conn net.Conn
	err  error
}

// accept passes on the connections of ln.
func (p *pair) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		select {
		case p.conns <- accepted{c, err}:
		case <-p.done:
			if err == nil {
				c.Close()
			}
			return
		}
	}
}

func (p *pair) Accept() (net.Conn, error) {
	select {
	case a := <-p.conns:
		return a.conn, a.err
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pair) Close() error {
	p.once.Do(func() { close(p.done) })
	return errors.Join(p.Listener.Close(), p.second.Close())
}
