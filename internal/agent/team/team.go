// Package team reads agent files: the agents, their models and their permissions. Their hooks are read
// by the docker-agent dialect.
package team

import (
	"strings"
	"time"
)

// A Team holds the declarations of an agent file.
type Team struct {
	File   string // "" if the file was passed as text
	Agents []Agent
	Models []Model
	// Permissions are the file's rules for all agents.
	Permissions Permissions
	// Ignored describes the keys of the grammar that have no effect here, each with its line.
	Ignored []string
}

// An Agent is one agent of a team.
type Agent struct {
	Name          string
	Model         string // the name of one of the team's models, or provider/model
	Description   string
	Instruction   string
	Welcome       string
	Toolsets      []Toolset
	SubAgents     []string
	Handoffs      []string
	ForceHandoff  string // the agent that continues after each answer of this one
	MaxIterations int    // 0 = no limit
	// Fallback are models that are tried if Model does not answer.
	Fallback Fallback
	// CompactAt is the share of the context at which the conversation is compacted, greater than 0 and
	// at most 1; 0 means that of the model, or else the default. NoCompaction turns compaction off.
	CompactAt    float64
	NoCompaction bool
	Commands     []Command
	// Skills is set if the agent has skills: those of SkillNames, or all if there are none.
	Skills     bool
	SkillNames []string
	// Permissions are rules for this agent, in addition to the team's.
	Permissions Permissions
	Line        int // where the file declares it

	emptyModel bool // the key exists but is empty
}

// A Fallback lists the models that are tried if an agent's model does not answer.
type Fallback struct {
	Models   []string      // names of the team's models, or provider/model, in order
	Retries  int           // how many times an overloaded model is called again
	Cooldown time.Duration // how long a rate-limited model is skipped
}

// A Toolset is a group of tools.
type Toolset struct {
	Type  string   // shell, filesystem, think, …
	Tools []string // the selected tools; none = all
	Safer bool     // of a shell: ask about destructive commands
	// Shared is set if all agents share one list. It is only for the type todo.
	Shared bool
	// Path is the file of a memory, below the directory of the agent file; "" = the agent's own.
	Path string
	// Timeout limits a fetch; 0 means the default. If Allowed is not empty, only these domains and
	// their subdomains can be fetched from. Blocked domains never can.
	Timeout          time.Duration
	Allowed, Blocked []string
	// Server is the server of a toolset of type mcp; nil for all other types.
	Server *Server
}

// A Command is a named prompt of an agent.
type Command struct{ Name, Prompt string }

// A Model describes how to reach a model.
type Model struct {
	Name                    string // the name that agents use
	Provider                string
	Model                   string
	BaseURL                 string
	TokenKey                string // the environment variable that holds the key
	UnloadAPI               string
	Context                 int     // tokens; 0 = unknown
	CompactAt               float64 // as in Agent; 0 = the default
	MaxTokens               int
	Temperature             *float64
	InputPrice, OutputPrice *float64 // USD for a million tokens; nil = unknown
	// Prices of input read from a cache or written to one; nil = as other input.
	CachedPrice, CacheWritePrice *float64
}

// Permissions holds rules for tool calls: a tool's name, or name:argument=glob.
type Permissions struct{ Allow, Ask, Deny []string }

// DefaultAgent returns the agent with which a conversation begins: root, or else the first of the
// file. It returns nil if there are no agents, which does not happen after Parse without an error.
func (t *Team) DefaultAgent() *Agent {
	if a, ok := t.Agent("root"); ok {
		return a
	}
	if len(t.Agents) == 0 {
		return nil
	}
	return &t.Agents[0]
}

// Model returns the model that ref names: one of the team's models, or one in the form provider/model.
// It reports false if ref is neither.
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

// Agent returns the agent with this name. It reports false if there is none.
func (t *Team) Agent(name string) (*Agent, bool) {
	for i := range t.Agents {
		if t.Agents[i].Name == name {
			return &t.Agents[i], true
		}
	}
	return nil, false
}
