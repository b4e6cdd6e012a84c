// Package localhttp answers HTTP on this machine alone: loopback addresses and unix
// sockets. Other programs are let in, browsers are not.
//
// A request goes one way: listener (listen.go: who connects, and how many) → guard
// (guard.go: host name, origin, user, token, size, time) → a row of the table of
// routes → JSON. What the rows do is the caller's; the package knows no hooks.
package localhttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Limits bound what a client may take. The zero Limits are those below.
type Limits struct {
	Conns     int           // connections of this user at a time
	Strangers int           // those of other users
	Header    time.Duration // to send a request's header
	Body      time.Duration // to send its body
	Idle      time.Duration // between two requests
	Grace     time.Duration // for requests that are at work when the server ends
}

const (
	maxHeader  = 16 << 10
	maxBody    = 1 << 20 // of routes that say nothing else
	maxDrained = 64 << 20
	answering  = 30 * time.Second
)

func (l Limits) orUsual() Limits {
	usual := Limits{Conns: 64, Strangers: 4, Header: 5 * time.Second, Body: 10 * time.Second, Idle: time.Minute, Grace: 10 * time.Second}
	for _, one := range []struct{ is, else_ *time.Duration }{{&l.Header, &usual.Header}, {&l.Body, &usual.Body}, {&l.Idle, &usual.Idle}, {&l.Grace, &usual.Grace}} {
		if *one.is == 0 {
			*one.is = *one.else_
		}
	}
	if l.Conns == 0 {
		l.Conns = usual.Conns
	}
	if l.Strangers == 0 {
		l.Strangers = usual.Strangers
	}
	return l
}

// Options are what a server works with.
type Options struct {
	Routes []Route
	Token  Token // of the routes that need one
	Limits Limits
	Bug    func(error) // is told of mistakes of ours; nil = nobody
}

// A Server answers.
type Server struct {
	opts  Options
	guard *guard
	http  *http.Server
}

// New returns a server.
func New(opts Options) *Server {
	opts.Limits = opts.Limits.orUsual()
	s := &Server{opts: opts, guard: &guard{opts: &opts}}
	s.http = &http.Server{
		Handler: s.guard, ReadHeaderTimeout: opts.Limits.Header, IdleTimeout: opts.Limits.Idle, MaxHeaderBytes: maxHeader,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, peerOf(c))
		},
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     quiet,
	}
	return s
}

// Serve answers until ctx is done, and then until what it is at work on is answered.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.limited(ln)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Limits.Grace)
	defer cancel()
	if err := s.http.Shutdown(grace); err != nil {
		_ = s.http.Close()
		return fmt.Errorf("requests were still running after %v: %w", s.opts.Limits.Grace, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// uid is the user of this process; -1 where there are none.
var uid = os.Getuid()
