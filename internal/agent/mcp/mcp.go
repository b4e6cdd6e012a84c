// Package mcp gives agents the tools of MCP servers: programs that a run starts, and
// servers that it reaches over HTTP.
//
// A server is a stranger. What it says of its tools is data that is cleaned and
// bounded; what it does not do, does too late or does wrongly is an error of the call
// that asked for it, and the run goes on.
package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
)

// Limits are what a server may take. A zero field is the default.
type Limits struct {
	Start    time.Duration // until it has said which tools it has: programs may be fetched first
	Call     time.Duration // until a call is answered
	End      time.Duration // between the end of its input and its own
	Restarts int           // how often one that ended is started again; less than 0 = never
	Tools    int           // how many tools an agent gets from it
	Message  int           // bytes of one message
	Noise    int           // bytes that are no message
}

func (l Limits) orDefault() Limits {
	return Limits{
		Start: cmp.Or(l.Start, time.Minute), Call: cmp.Or(l.Call, 5*time.Minute), End: cmp.Or(l.End, 2*time.Second),
		Restarts: cmp.Or(l.Restarts, 5), Tools: cmp.Or(l.Tools, 256), Message: cmp.Or(l.Message, 16<<20), Noise: cmp.Or(l.Noise, 64<<20),
	}
}

// Options are what servers work with.
type Options struct {
	Dir     string   // where programs are started
	Environ []string // of which they get what every program needs, and what their entry names
	// Tell shows the person a message about a server. It is called from several
	// goroutines. The text is cleaned.
	Tell   func(text string)
	Limits Limits
}

// A Pool holds the servers of a run.
type Pool struct {
	opts Options
	// life ends with the pool, and every server with it.
	life context.Context
	end  context.CancelFunc

	programs sync.WaitGroup // those that have not ended

	mu      sync.Mutex
	servers map[*team.Server]*server
}

// NewPool returns a pool in which nothing is started yet.
func NewPool(opts Options) *Pool {
	opts.Limits = opts.Limits.orDefault()
	p := &Pool{opts: opts, servers: map[*team.Server]*server{}}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Tools returns the tools of a toolset, of a server that is started if need be. One
// that cannot be started has none, and the person is told why: an agent without some
// of its tools is better than none. One that had tools before keeps them: what is wrong
// shows when they are called. Tools whose names are taken are left out.
func (p *Pool) Tools(ctx context.Context, set *team.Toolset, taken func(name string) bool) []tool.Tool {
	s := p.server(set)
	list, err := s.list(ctx, taken)
	switch why := clean(fmt.Sprint(err), maxTold); {
	case err == nil:
	case list == nil:
		p.opts.Tell("the MCP server " + s.spec.Label + " cannot be used, so the agent has none of its tools: " + why)
	default:
		p.opts.Tell("the MCP server " + s.spec.Label + " does not say which tools it has now: " + why)
	}
	return list
}

// Changed reports whether a server of an agent says that its tools are others now.
func (p *Pool) Changed(agent *team.Agent) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(agent.Toolsets, func(set team.Toolset) bool {
		s := p.servers[set.Server]
		return s != nil && s.changed.Load()
	})
}

func (p *Pool) server(set *team.Toolset) *server {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.servers[set.Server]
	if s == nil {
		s = &server{spec: set.Server, only: set.Tools, pool: p, turn: make(chan struct{}, 1)}
		p.servers[set.Server] = s
	}
	return s
}

// Close ends all servers.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range p.servers {
		wg.Go(s.close)
	}
	wg.Wait()
	p.Kill()
}

// Kill ends all servers at once. It is for a program that must end.
func (p *Pool) Kill() {
	p.end()
	gone := make(chan struct{})
	go func() {
		p.programs.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(p.opts.Limits.End):
	}
}
