// Package server is the HTTP API of checkrein serve: events in, answers out, and what the desk shows.
//
// Requests pass the checks of package localhttp before they reach a route here. Programs send the
// token of [ReadToken]; browsers get the page of Options.Page and none of the API.
package server

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

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
	opts     Options
	http     *localhttp.Server
	routes   []localhttp.Route
	policies *policies
	streams  atomic.Int64
	metrics  metrics
	upkeep   upkeep
	peers    peers
}

// New returns a server for opts.
func New(opts Options) *Server {
	s := &Server{opts: opts, peers: peers{seen: map[process.ID]time.Time{}, unknown: map[*localhttp.Peer][]*app.Kit{}, noted: make(chan struct{})}}
	s.policies = &policies{open: s.openKit, report: opts.Report, kits: map[place]*policy{}}
	s.routes = append(s.ownRoutes(), opts.Routes...)
	s.http = localhttp.New(localhttp.Options{
		Routes: s.routes, Token: opts.Token, Limits: opts.Limits, Browser: opts.Page, OnPanic: opts.Report,
	})
	return s
}

// Serve serves on ln until ctx is done, and then until the pending requests are answered.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer s.peers.search.Wait()
	return s.http.Serve(ctx, ln)
}

// openKit opens the kit for events from at.
func (s *Server) openKit(at place) (*app.Kit, error) {
	return s.opts.Open(app.Options{Dir: at.dir, Session: at.session, Agent: at.agent, AgentIsGuess: true, Host: OverHTTP, Caller: OverHTTP, Program: s.opts.Program, Companion: s.opts.Companion, Upkeep: s.upkeep.request})
}

// ownRoutes returns the server's own routes.
func (s *Server) ownRoutes() []localhttp.Route {
	event := localhttp.Doc{About: "Judge an event", In: map[string]any{}, Out: Outcome{}, Query: []localhttp.Param{
		{Name: "event", About: "the name of the event, if the body has none"},
		{Name: "explain", About: "true = also return why each hook ran or not"},
	}}
	forHost := event
	forHost.About = "Judge an event in the form of this agent"
	project := []localhttp.Param{{Name: "dir", About: "a directory of the project, as an absolute path; default: where the server was started"}}
	return []localhttp.Route{
		{Method: http.MethodPost, Path: "/v1/events", Token: true, AnyBody: true, Max: maxEvent, Do: s.answerEvent, Doc: event},
		{Method: http.MethodPost, Path: "/v1/events/{host}", Token: true, AnyBody: true, Max: maxEvent, Do: s.answerEvent, Doc: forHost},
		{Method: http.MethodGet, Path: "/v1/events/stream", Token: true, Stream: s.streamEvents, Check: checkStream, Doc: localhttp.Doc{About: "Follow new records", Out: feed.Batch{}, Query: streamParams()}},
		{Method: http.MethodGet, Path: "/v1/hooks", Token: true, Do: s.listHooks, Doc: localhttp.Doc{About: "List the hooks of a project", Out: HookList{}, Query: project}},
		{Method: http.MethodGet, Path: "/v1/grants", Token: true, Do: s.listGrants, Doc: localhttp.Doc{About: "List the grants that people gave", Out: GrantList{}, Query: project}},
		{Method: http.MethodGet, Path: "/v1/policies", Token: true, Do: s.listPolicies, Doc: localhttp.Doc{About: "List the policies in force", Out: PolicyList{}, Query: project}},
		{Method: http.MethodPost, Path: "/v1/policies/reload", Token: true, Do: s.reloadPolicies, Doc: localhttp.Doc{About: "Read all configuration files now", Out: PolicyList{}, Query: project}},
		{Method: http.MethodGet, Path: "/metrics", Token: true, Do: s.showMetrics, Doc: localhttp.Doc{About: "Metrics of this server, for Prometheus", Type: metricsType}},
		{Method: http.MethodGet, Path: "/healthz", Do: s.showHealth, Doc: localhttp.Doc{About: "Whether the server can judge events; needs no token", Out: Health{}}},
		{Method: http.MethodGet, Path: "/openapi.json", Do: s.showOpenAPI, Doc: localhttp.Doc{About: "This description; needs no token", Out: map[string]any{}}},
	}
}
