package model

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/team"
)

// A Config says which model to open, and what it may take from its place.
type Config struct {
	// Model says how to reach it. Without a provider in it, Ref does.
	Model team.Model
	// Ref is provider/model.
	Ref string
	// Agent is who calls it: a script may have a part for each agent.
	Agent string
	// Dir is where the agent file is, for scripted/FILE.
	Dir string
	// Getenv reads the environment; nil = the process's.
	Getenv func(string) string
	// Scripts are the scripts that are being played. Agents whose models are
	// opened with the same Scripts play one script together; nil = alone.
	Scripts *Scripts
	// Connect bounds how long a connection may take, Idle how long nothing may
	// arrive on it; 0 = [DefaultConnect], [DefaultIdle].
	Connect, Idle time.Duration
	// Replaced says that another model answers in place of this one: then a server
	// that fails is asked again Retries times, and one that was asked too often is not
	// waited for.
	Replaced bool
	Retries  int
}

// The time that providers get. A local engine may load a model from disk before
// it says its first word.
const (
	DefaultConnect = 15 * time.Second
	DefaultIdle    = 5 * time.Minute
)

// A provider is one that is known by name.
type provider struct {
	name     string
	baseURL  string
	host     string // the variable that may name another host
	path     string // behind that host
	tokenKey string
}

func providers() []provider {
	return []provider{
		{name: "openai", baseURL: "https://api.openai.com/v1", tokenKey: "OPENAI_API_KEY"},
		{name: "dmr", baseURL: "http://localhost:12434/engines/v1", host: "MODEL_RUNNER_HOST", path: "/engines/v1"},
		{name: "ollama", baseURL: "http://localhost:11434/v1"},
	}
}

// otherWords are providers that do not speak chat completions, wherever they
// are served.
func otherWords() []string {
	return []string{"anthropic", "google", "amazon-bedrock", "chatgpt", "github-copilot"}
}

// New opens a model. Nothing is sent anywhere until it is called.
func New(c Config) (Model, error) {
	m := c.Model
	if m.Provider == "" {
		provider, name, ok := strings.Cut(c.Ref, "/")
		if !ok || provider == "" || name == "" {
			return nil, fmt.Errorf("model %q: write provider/model, such as scripted/demo", c.Ref)
		}
		m.Provider, m.Model = provider, name
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if m.Provider == "scripted" {
		return openScripted(c, m)
	}
	chat, err := openChat(c, m)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", m.Provider+"/"+m.Model, err)
	}
	return chat, nil
}

// complete fills in what a known provider stands for.
func complete(m *team.Model, getenv func(string) string) error {
	for _, name := range otherWords() {
		if m.Provider == name {
			return fmt.Errorf("%s does not speak chat completions, which is all that is spoken here yet: use openai, dmr, ollama, a base_url that does, or scripted/demo", name)
		}
	}
	for _, p := range providers() {
		if p.name != m.Provider || m.BaseURL != "" {
			continue
		}
		m.BaseURL = p.baseURL
		if host := getenv(p.host); p.host != "" && host != "" {
			m.BaseURL = strings.TrimRight(host, "/") + p.path
		}
		if m.TokenKey == "" {
			m.TokenKey = p.tokenKey
		}
	}
	if m.BaseURL == "" {
		return errors.New("nobody knows where it is served: write base_url under models, or use openai, dmr, ollama or scripted")
	}
	return nil
}

// expand replaces ${VAR} and ${env.VAR} in an address. A variable that is not
// set is an error, since the address would be another.
func expand(s string, getenv func(string) string) (string, error) {
	var missing []string
	out := os.Expand(s, func(name string) string {
		name = strings.TrimPrefix(name, "env.")
		v := getenv(name)
		if v == "" {
			missing = append(missing, name)
		}
		return v
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("base_url needs the environment variable %s, which is not set", strings.Join(missing, ", "))
	}
	return out, nil
}
