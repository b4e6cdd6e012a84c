package hostlab

import (
	"context"
	"time"
)

// A Recipe is how one host is installed and run, as data.
type Recipe struct {
	Name, Package, Version string // its program has its name
	Entry                  string // below node_modules; may be a pattern
	Node                   bool   // Node.js runs the entry
	NodeJS                 string // the version of Node.js that it gets; "" = that of PATH
	// Places are folders below a person's home where the host's own installer puts it.
	Places []string
	// Delegate is what its tool for sub-agents takes beside a prompt; nil = it offers
	// no such tool.
	Delegate map[string]any
	// Bridge is a tool that calls those which the model is not offered from the start;
	// "" = there is none.
	Bridge  string
	Timeout time.Duration

	Args func(s *Space, r Run) []string
	// Desk drives the host for a person; empty = nobody knows how.
	Desk Desk
	// Stdin is set if the prompt goes there instead.
	Stdin bool
	Env   func(s *Space) map[string]string
	// Folders are those of the home that the host wants there and does not make.
	Folders []string
	// Files are those that the host's variables point to, by name in the
	// folder of the lab's own files.
	Files func(s *Space) map[string]any
	// Settings are what must stand in a file of the user, by its path below
	// the home: for a host that takes it from nowhere else.
	Settings func(s *Space) (path string, settings map[string]any)
	// Approve approves the hooks in home and project the host's own way, and returns how
	// many; nil = the host wants no approval.
	Approve func(ctx context.Context, s *Space) (int, error)
}

// Recipes are those of all hosts that can be run.
type Recipes []*Recipe

// Hosts returns the names of the hosts.
func (rs Recipes) Hosts() []string {
	var names []string
	for _, r := range rs {
		names = append(names, r.Name)
	}
	return names
}

// Named returns the recipe of a host, nil if there is none.
func (rs Recipes) Named(name string) *Recipe {
	for _, r := range rs {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// FakeKey is what hosts take for a key: nobody would.
const FakeKey = "not-a-key"

// Servers returns the settings of the MCP server, as most hosts write them.
func Servers(one map[string]any) map[string]any {
	return map[string]any{"mcpServers": map[string]any{ToolServer: one}}
}
