// Package server is the HTTP API of checkrein serve: events in, answers out, and what the desk shows.
//
// Requests pass the checks of package localhttp before they reach a route here. Programs send the
// token of [ReadToken]; browsers get the page of Options.Page and none of the API.
package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// Options configure a server.
type Options struct {
	// Dir is the directory of events that name none.
	Dir string
	// Open returns the kit that answers an event.
	Open func(app.Options) (*app.Kit, error)
	// Program and Companion are the paths of checkrein and checkreind.
	Program, Companion string

	Feed *feed.Feed // of the user's ledger

	Token  localhttp.Token
	Limits localhttp.Limits
	Page   http.Handler      // what browsers get at /; nil = they are refused
	Routes []localhttp.Route // routes in addition to the server's own
	// Report is called with faults of the server itself.
	Report func(error)
}

// A Server answers the requests of checkrein serve.
type Server struct {
	opts    Options
	http    *localhttp.Server
	streams atomic.Int64
	seen    sync.Map // process.ID → true for processes that sent an event
}

// New returns a server for opts.
func New(opts Options) *Server {
	s := &Server{opts: opts}
	s.http = localhttp.New(localhttp.Options{
		Routes: append(s.routes(), opts.Routes...), Token: opts.Token, Limits: opts.Limits, Browser: opts.Page, OnPanic: opts.Report,
	})
	return s
}

// Serve serves on ln until ctx is done, and then until the pending requests are answered.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error { return s.http.Serve(ctx, ln) }

// routes returns the server's own routes.
func (s *Server) routes() []localhttp.Route {
	return []localhttp.Route{
		{Method: http.MethodPost, Path: "/v1/events", Token: true, AnyBody: true, Max: maxEvent, Do: s.answerEvent},
		{Method: http.MethodGet, Path: "/v1/events/stream", Token: true, Stream: s.streamEvents, Check: checkStream},
	}
}

// isNew reports whether the process id did not send an event before.
func (s *Server) isNew(id process.ID) bool {
	_, again := s.seen.LoadOrStore(id, true)
	return !again
}
