package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/text/message"
)

// cacheLife is how long the output of a command is shown again.
const cacheLife = 5 * time.Second

// A cache holds what commands printed a moment ago. It is safe for concurrent use; a command runs once
// at a time.
type cache struct {
	mu   sync.Mutex
	held map[string]cached
}

type cached struct {
	at  time.Time
	out []byte
}

// run runs a command in the project that the session of ctx shows.
func (p *Page) run(ctx context.Context, args ...string) ([]byte, error) {
	return p.opts.Run(ctx, p.project(ctx), args...)
}

// read runs a command and decodes the JSON that it prints into data.
func (p *Page) read(ctx context.Context, data any, args ...string) error {
	c := &p.answers
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(append(args, p.project(ctx)), "\x00")
	have, ok := c.held[key]
	if now := p.opts.Now(); !ok || now.Sub(have.at) > cacheLife {
		out, err := p.run(ctx, append(args, "--json")...)
		if err != nil {
			return fmt.Errorf("checkrein %s: %w", strings.Join(args, " "), err)
		}
		if c.held == nil {
			c.held = map[string]cached{}
		}
		have = cached{now, out}
		c.held[key] = have
	}
	return json.Unmarshal(have.out, data)
}

// A notice is a message of a command.
type notice struct {
	Level string `json:"level"` // error, warn, info or ok
	About string `json:"about"`
	message.Message
}

// showNeeds shows what is wrong with the wiring of agents, and how to repair it.
func (p *Page) showNeeds(r *http.Request) (screen, error) {
	var v struct {
		Messages  []notice `json:"messages"`
		Hosts     []*agent `json:"hosts"`
		Connected bool     // an agent is
		Quiet     []string // connected agents that have not called yet
	}
	if err := p.read(r.Context(), &v, "status"); err != nil {
		return screen{}, err
	}
	v.Connected = slices.ContainsFunc(v.Hosts, (*agent).IsConnected)
	for _, a := range v.Hosts {
		if a.IsConnected() && a.Seen.Count == 0 {
			v.Quiet = append(v.Quiet, a.Title)
		}
	}
	v.Messages = slices.DeleteFunc(v.Messages, func(m notice) bool { return m.Level != "error" && m.Level != "warn" })
	return screen{Name: "needs", Part: true, Data: &v}, nil
}
