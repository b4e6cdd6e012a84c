// Package mcp gives agents the tools of MCP servers: programs that a run starts, and servers that it
// reaches over HTTP.
//
// Servers are not trusted. Their descriptions of tools are cleaned and limited in size. If a server
// fails, is late or answers wrongly, the call returns an error, and the run continues.
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
	"github.com/checkrein/checkrein/internal/catalog/walls"
)

// Limits holds the limits of a server. A zero field means the default.
type Limits struct {
	Start    time.Duration // until it has listed its tools, since programs may be downloaded first
	Call     time.Duration // until a call is answered
	End      time.Duration // between the end of its input and its exit
	Restarts int           // how many times it is started again; less than 0 = never
	Tools    int           // number of tools
	Message  int           // bytes of one message
	Noise    int           // bytes of output that is not a message
}

// withDefaults returns l with the defaults in place of zero fields.
func (l Limits) withDefaults() Limits {
	return Limits{
		Start: cmp.Or(l.Start, time.Minute), Call: cmp.Or(l.Call, 5*time.Minute), End: cmp.Or(l.End, 2*time.Second),
		Restarts: cmp.Or(l.Restarts, 5), Tools: cmp.Or(l.Tools, 256), Message: cmp.Or(l.Message, 16<<20), Noise: cmp.Or(l.Noise, 64<<20),
	}
}

// Options configure a pool.
type Options struct {
	Dir     string   // the working directory of programs
	Environ []string // programs get what every program needs, and what their entry names
	// Program is the path of the checkrein program, which sets up the sandboxes of servers. If it is "", a
	// server with a sandbox is not started.
	Program string
	// Walls returns where programs behind walls run; nil means that only the account's home directory is
	// known.
	Walls func() (walls.Place, error)
	// Notify shows the user a message about a server, which contains no control characters. It must be
	// safe for concurrent use.
	Notify func(text string)
	Limits Limits
}

// A Pool holds the servers of a run.
type Pool struct {
	opts Options
	// life ends all servers when the pool is closed.
	life context.Context
	end  context.CancelFunc

	programs sync.WaitGroup // running programs

	mu      sync.Mutex
	servers map[*team.Server]*server
}

// NewPool returns a pool. It does not start any servers yet.
func NewPool(opts Options) *Pool {
	opts.Limits = opts.Limits.withDefaults()
	p := &Pool{opts: opts, servers: map[*team.Server]*server{}}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Tools returns the tools of set, and starts its server if necessary. If the server cannot be started,
// there are no tools and the user gets a message, since an agent without some of its tools is better
// than none. If it had tools before, it keeps them, and calls return the error. Tools whose names are
// taken are left out.
func (p *Pool) Tools(ctx context.Context, set *team.Toolset, taken func(name string) bool) []tool.Tool {
	s := p.serverOf(set)
	list, err := s.listTools(ctx, taken)
	switch why := cleanText(fmt.Sprint(err), maxError); {
	case err == nil:
	case list == nil:
		p.opts.Notify("the MCP server " + s.spec.Label + " cannot be used, so the agent has none of its tools: " + why)
	default:
		p.opts.Notify("the MCP server " + s.spec.Label + " changed its tools, but does not list them: " + why)
	}
	return list
}

// ToolsChanged reports whether a server of agent announced that its tools changed.
func (p *Pool) ToolsChanged(agent *team.Agent) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(agent.Toolsets, func(set team.Toolset) bool {
		s := p.servers[set.Server]
		return s != nil && s.changed.Load()
	})
}

// serverOf returns the server of set, and adds it to the pool if it is new.
func (p *Pool) serverOf(set *team.Toolset) *server {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.servers[set.Server]
	if s == nil {
		s = &server{spec: set.Server, selected: set.Tools, pool: p, turn: make(chan struct{}, 1)}
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

// Kill ends all servers immediately, for a program that must exit. It waits for them only briefly.
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
