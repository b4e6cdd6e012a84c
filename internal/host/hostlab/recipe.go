package hostlab

import (
	"context"
	"time"
)

// A Recipe describes how one host is installed and run.
type Recipe struct {
	Name, Package, Version string // Name is also the name of the program
	Entry                  string // the path of the program in node_modules; may be a pattern
	Node                   bool   // Node.js runs the entry
	NodeJS                 string // the version of Node.js to use; "" = the one in PATH
	// InstallDirs are directories in the home directory in which the host's own installer installs it.
	InstallDirs []string
	// DelegateArgs are the arguments of its tool for sub-agents, without the prompt; nil = it has no such
	// tool.
	DelegateArgs map[string]any
	// CallerTool is a tool that calls tools which are not offered to the model at first; "" = there is
	// none.
	CallerTool string
	Timeout    time.Duration

	Args func(s *Space, r Run) []string
	// Driver drives the host on behalf of a user; the zero Driver cannot.
	Driver Driver
	// Stdin is set if the prompt is passed on standard input.
	Stdin bool
	Env   func(s *Space) map[string]string
	// Folders are directories in the home directory that the host needs but does not create.
	Folders []string
	// Files returns the contents of the files that the host's variables and flags refer to, by their
	// names in the lab's own directory.
	Files func(s *Space) map[string]any
	// Settings returns settings that must be in a file of the user, and the path of that file in the
	// home directory. It is for hosts that read them nowhere else.
	Settings func(s *Space) (path string, settings map[string]any)
	// Approve approves the hooks in home and project with the host's own mechanism, and returns how many
	// there were; nil = the host needs no approval.
	Approve func(ctx context.Context, s *Space) (int, error)
}

// Recipes is a list of the recipes of all hosts that can be run.
type Recipes []*Recipe

// Hosts returns the names of the hosts.
func (rs Recipes) Hosts() []string {
	var names []string
	for _, r := range rs {
		names = append(names, r.Name)
	}
	return names
}

// ForHost returns the recipe of the host called name, or nil if there is none.
func (rs Recipes) ForHost(name string) *Recipe {
	for _, r := range rs {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// FakeKey is an API key that hosts accept and that no provider would accept.
const FakeKey = "not-a-key"

// MCPServers returns settings in the form of most hosts that define the space's MCP server; one is its
// definition.
func MCPServers(one map[string]any) map[string]any {
	return map[string]any{"mcpServers": map[string]any{ToolServer: one}}
}
