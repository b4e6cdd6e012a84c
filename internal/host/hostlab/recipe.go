package hostlab

import (
	"context"
	"time"
)

// A Recipe describes how one host is installed and run.
type Recipe struct {
	Name, Package, Version string // the program is called Name
	Entry                  string // the program below node_modules; may be a pattern
	Node                   bool   // Node.js runs the entry
	NodeJS                 string // the version of Node.js to use; "" = the one in PATH
	// InstallDirs are folders below a person's home where the host's own installer puts it.
	InstallDirs []string
	// DelegateArgs are the arguments of its tool for sub-agents beside a prompt; nil = it has no such
	// tool.
	DelegateArgs map[string]any
	// CallerTool is a tool that calls tools which the model is not offered from the start; "" = there
	// is none.
	CallerTool string
	Timeout    time.Duration

	Args func(s *Space, r Run) []string
	// Driver drives the host for a person; the zero Driver cannot.
	Driver Driver
	// Stdin is set if the prompt goes to standard input.
	Stdin bool
	Env   func(s *Space) map[string]string
	// Folders are folders of the home that the host needs and does not create.
	Folders []string
	// Files returns the contents of files that the host's variables and flags name, by their names in
	// the lab's own folder.
	Files func(s *Space) map[string]any
	// Settings returns settings that must be in a file of the user, and its path below the home, for a
	// host that reads them nowhere else.
	Settings func(s *Space) (path string, settings map[string]any)
	// Approve approves the hooks in home and project in the host's own way, and returns how many there
	// were; nil = the host needs no approval.
	Approve func(ctx context.Context, s *Space) (int, error)
}

// Recipes are the recipes of all hosts that can be run.
type Recipes []*Recipe

// Hosts returns the names of the hosts.
func (rs Recipes) Hosts() []string {
	var names []string
	for _, r := range rs {
		names = append(names, r.Name)
	}
	return names
}

// ForHost returns the recipe of a host, nil if there is none.
func (rs Recipes) ForHost(name string) *Recipe {
	for _, r := range rs {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// FakeKey is an API key that hosts accept and no provider would.
const FakeKey = "not-a-key"

// MCPServers returns the settings of the space's MCP server in the form of most hosts.
func MCPServers(one map[string]any) map[string]any {
	return map[string]any{"mcpServers": map[string]any{ToolServer: one}}
}
