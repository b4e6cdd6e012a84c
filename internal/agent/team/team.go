// Package team reads agent files: which agents there are, what they run on, what
// they may do. Their hooks are read by the docker-agent dialect.
package team

import (
	"strings"
	"time"
)

// A Team is what an agent file declares.
type Team struct {
	File   string // "" when the file was given as text
	Agents []Agent
	Models []Model
	// Permissions are the file's rules for all agents.
	Permissions Permissions
	// Ignored are keys of the grammar that are not run here, each named once
	// with its line.
	Ignored []string
}

// An Agent is one agent of a team.
type Agent struct {
	Name          string
	Model         string // a name of the team's models, or provider/model
	Description   string
	Instruction   string
	Welcome       string
	Toolsets      []Toolset
	SubAgents     []string
	Handoffs      []string
	ForceHandoff  string // the agent that goes on after each answer of this one
	MaxIterations int    // 0 = no limit
	// Fallback are models that answer when Model does not.
	Fallback Fallback
	// CompactAt is the share of the context at which the conversation is compacted, more
	// than 0 and at most 1; 0 = the model's, or else the default. NoCompaction switches
	// it off.
	CompactAt    float64
	NoCompaction bool
	Commands     []Command
	// Skills is set if the agent has skills, those of SkillNames; none = all that are
	// found.
	Skills     bool
	SkillNames []string
	// Permissions are rules for this agent alone, beside the team's.
	Permissions Permissions
	Line        int // where the file declares it

	emptyModel bool // the key is there and holds none
}

// A Fallback is what answers when an agent's model does not.
type Fallback struct {
	Models   []string      // names of the team's models, or provider/model, in order
	Retries  int           // how often a model that has no time is asked again
	Cooldown time.Duration // how long a model that was asked too often is left alone
}

// A Toolset is a group of tools.
type Toolset struct {
	Type  string   // shell, filesystem, think, …
	Tools []string // which of them; none = all
	Safer bool     // of a shell: destructive commands are asked for
	// Shared is set if all agents have one list, of type todo.
	Shared bool
	// Path is the file of a memory, below the directory of the agent file; "" = one of
	// the agent's own.
	Path string
	// Timeout bounds a fetch; 0 = the default. If there are Allowed domains, only they
	// and what is below them are fetched from, and never the Blocked ones.
	Timeout          time.Duration
	Allowed, Blocked []string
	// Server is where the tools of a toolset of type mcp are; nil for all others.
	Server *Server
}

// A Command is a named prompt of an agent.
type Command struct{ Name, Prompt string }

// A Model describes how to reach a model.
type Model struct {
	Name                    string // how agents call it
	Provider                string
	Model                   string
	BaseURL                 string
	TokenKey                string // the environment variable that holds the key
	UnloadAPI               string
	Context                 int     // tokens; 0 = unknown
	CompactAt               float64 // as of an agent; 0 = the default
	MaxTokens               int
	Temperature             *float64
	InputPrice, OutputPrice *float64 // USD for a million tokens; nil = unknown
	// Prices of input that was read from a cache or written to one; nil = as
	// other input.
	CachedPrice, CacheWritePrice *float64
}

// Permissions are rules for tool calls: a tool's name, or name:argument=glob.
type Permissions struct{ Allow, Ask, Deny []string }

// Default is the agent that a conversation begins with: root, else the file's
// first. A team that was read without an error has one.
func (t *Team) Default() *Agent {
	if a, ok := t.Agent("root"); ok {
		return a
	}
	if len(t.Agents) == 0 {
		return nil
	}
	return &t.Agents[0]
}

// Model returns how to reach the model that an agent names: one of the team's
// models, or provider/model.
func (t *Team) Model(ref string) (Model, bool) {
	for _, m := range t.Models {
		if m.Name == ref {
			return m, true
		}
	}
	provider, name, ok := strings.Cut(ref, "/")
	if !ok || provider == "" || name == "" {
		return Model{}, false
	}
	return Model{Name: ref, Provider: provider, Model: name}, true
}

// Agent finds an agent by name.
func (t *Team) Agent(name string) (*Agent, bool) {
	for i := range t.Agents {
		if t.Agents[i].Name == name {
			return &t.Agents[i], true
		}
	}
	return nil, false
}
