// Package localhttp serves HTTP on this machine only, on loopback addresses and unix
// sockets, for other programs; browsers reach nothing but the pages of Options.Browser.
//
// A request passes through the listener (listen.go), which checks its peer and the number
// of connections; the guard (guard.go), which checks host name, origin, user, token, size
// and time; and a route, which returns JSON. The caller defines the routes; the package does
// not depend on hooks.
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

// Limits bound what a client may use. A zero field means the default.
type Limits struct {
	Conns      int           // concurrent connections of this user
	OtherConns int           // concurrent connections of other users
	Streams    int           // concurrent streams
	Header     time.Duration // for sending the header of a request
	Body       time.Duration // for sending its body
	Idle       time.Duration // between two requests
	Grace      time.Duration // for pending requests when the server ends
}

const (
	maxHeader    = 16 << 10
	maxBody      = 1 << 20 // unless the route sets its own limit
	maxDrained   = 64 << 20
	writeTimeout = 30 * time.Second
)

// withDefaults returns l with defaults in place of zero fields.
func (l Limits) withDefaults() Limits {
	usual := Limits{Conns: 64, OtherConns: 4, Header: 5 * time.Second, Body: 10 * time.Second, Idle: time.Minute, Grace: 10 * time.Second}
	for _, one := range []struct{ is, else_ *time.Duration }{{&l.Header, &usual.Header}, {&l.Body, &usual.Body}, {&l.Idle, &usual.Idle}, {&l.Grace, &usual.Grace}} {
		if *one.is == 0 {
			*one.is = *one.else_
		}
	}
	if l.Conns == 0 {
		l.Conns = usual.Conns
	}
	if l.OtherConns == 0 {
		l.OtherConns = usual.OtherConns
	}
	if l.Streams == 0 {
		l.Streams = max(l.Conns*3/4, 1)
	}
	return l
}

// Options configure a server.
type Options struct {
	Routes  []Route
	Token   Token // for routes that require one
	Limits  Limits
	Browser http.Handler // for pages, at paths that are not those of routes; nil = browsers are refused
	OnPanic func(error)  // called with the panics of routes; may be nil
}

// A Server serves the routes of its options.
type Server struct {
	opts  Options
	guard *guard
	http  *http.Server
	// streams holds an element for each open stream, all of which end with ending.
	streams chan struct{}
	ending  context.Context
	end     context.CancelFunc
}

// New returns a server for opts.
func New(opts Options) *Server {
	opts.Limits = opts.Limits.withDefaults()
	s := &Server{opts: opts, guard: &guard{opts: &opts}, streams: make(chan struct{}, opts.Limits.Streams)}
	s.ending, s.end = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: s.guard, ReadHeaderTimeout: opts.Limits.Header, IdleTimeout: opts.Limits.Idle, MaxHeaderBytes: maxHeader,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(context.WithValue(ctx, peerKey{}, peerOf(c)), serverKey{}, s)
		},
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     discardLog,
	}
	return s
}

// Serve serves on ln until ctx is done, and then until the pending requests are answered or the grace
// time has passed.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer s.end()
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.limitConns(ln)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.end()
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

// ownUID is the id of this process's user, or -1 if the system has no user ids.
var ownUID = os.Getuid()
