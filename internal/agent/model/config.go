package model

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Config describes which model to open and how to reach it.
type Config struct {
	// Model describes how to reach the model. If it has no provider, Ref counts.
	Model team.Model
	// Ref is provider/model.
	Ref string
	// Agent is the calling agent, since a script may have a separate part for each agent.
	Agent string
	// Dir is the directory of the agent file, for scripted/FILE.
	Dir string
	// Getenv reads the environment; nil = the process's.
	Getenv func(string) string
	// Scripts are the scripts being played. Agents whose models have the same Scripts play one script
	// together; nil means that this model plays its script alone.
	Scripts *Scripts
	// Connect limits how long a connection may take, Idle how long nothing may arrive on
	// it; 0 = [DefaultConnect], [DefaultIdle].
	Connect, Idle time.Duration
	// HasFallback is set if another model is tried after this one. A failing server is then called
	// again Retries times, and a rate limit is not waited for.
	HasFallback bool
	Retries     int
	// Guards is set if the answer decides about an agent. The agent's project may have set variables,
	// so only the key is read from the environment.
	Guards bool
	// Known is the table of context sizes and prices, for models for which the agent file has none;
	// nil means the built-in table.
	Known *catalogue.Table
	// Program is the program that calls the models of providers; "" = the one in the directory of the
	// running program.
	Program string
}

// The default timeouts. A local engine may load a model from disk before it answers.
const (
	DefaultConnect = 15 * time.Second
	DefaultIdle    = 5 * time.Minute
)

// A provider describes how to reach a provider that is known by name.
type provider struct {
	name     string
	wire     string
	baseURL  string
	host     string   // the variable that may name another host
	path     string   // the path of the API on that host
	tokenKey []string // the variables that may hold the key, the usual one first
}

func providers() []provider {
	return []provider{
		{name: "openai", wire: line.OpenAI, baseURL: "https://api.openai.com/v1", tokenKey: []string{"OPENAI_API_KEY"}},
		{name: "anthropic", wire: line.Anthropic, baseURL: "https://api.anthropic.com", tokenKey: []string{"ANTHROPIC_API_KEY"}},
		{name: "google", wire: line.Google, baseURL: "https://generativelanguage.googleapis.com", tokenKey: []string{"GOOGLE_API_KEY", "GEMINI_API_KEY"}},
		{name: "dmr", wire: line.OpenAI, baseURL: "http://localhost:12434/engines/v1", host: "MODEL_RUNNER_HOST", path: "/engines/v1"},
		{name: "ollama", wire: line.OpenAI, baseURL: "http://localhost:11434/v1"},
	}
}

// RedirectingVars returns the environment variables that are set and redirect model calls, here or in
// other programs. Calls on behalf of a guard ignore them.
func RedirectingVars(getenv func(string) string) (set []string) {
	names := append([]string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST"}, environ.RedirectVars()...)
	for _, p := range providers() {
		if p.host != "" {
			names = append(names, p.host)
		}
	}
	for _, name := range names {
		if getenv(name) != "" && !strings.EqualFold(name, "NO_PROXY") {
			set = append(set, name)
		}
	}
	return set
}

// unsupportedProviders returns providers whose APIs are not supported.
func unsupportedProviders() []string { return []string{"amazon-bedrock", "chatgpt", "github-copilot"} }

// A MachineError means that this machine lacks something that a model needs, such as a program or a
// variable. The model may work on another machine.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }

func (e *MachineError) Unwrap() error { return e.Err }

// New returns the model that c describes. It sends nothing until the model is called.
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
	out, err := openProvider(c, m)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", m.Provider+"/"+m.Model, err)
	}
	return out, nil
}

// resolveProvider sets the address and key of m and returns the protocol of its provider. own, from
// the user's models.yaml, takes precedence over the usual address. An unknown provider with an address
// is assumed to have a chat completions API.
func resolveProvider(m *team.Model, own catalogue.Provider, guards bool, getenv func(string) string) (wire string, err error) {
	if slices.Contains(unsupportedProviders(), m.Provider) {
		return "", fmt.Errorf("%s is not supported: use openai, anthropic, google, dmr, ollama, the base_url of an engine with a chat completions API, or scripted/demo", m.Provider)
	}
	if m.BaseURL == "" && own.BaseURL != "" {
		m.BaseURL = own.BaseURL
		if m.TokenKey == "" {
			m.TokenKey = own.TokenKey
		}
	}
	wire = line.OpenAI
	for _, p := range providers() {
		if p.name != m.Provider {
			continue
		}
		wire = p.wire
		if m.BaseURL != "" {
			break // the server may not be the provider's, so it does not get the usual key
		}
		m.BaseURL = p.baseURL
		if host := getenv(p.host); p.host != "" && host != "" && !guards {
			m.BaseURL = strings.TrimRight(host, "/") + p.path
		}
		if m.TokenKey == "" && len(p.tokenKey) > 0 {
			m.TokenKey = p.tokenKey[max(0, slices.IndexFunc(p.tokenKey, func(name string) bool { return getenv(name) != "" }))]
		}
	}
	if m.BaseURL == "" {
		return "", errors.New("this provider has no base_url: add one under models, or under providers in your models.yaml, or use openai, anthropic, google, dmr, ollama or scripted")
	}
	return wire, nil
}

// expandVars returns s with ${VAR} and ${env.VAR} replaced by their values. A variable that is not set
// is an error, because the result would be wrong.
func expandVars(s string, getenv func(string) string) (string, error) {
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
		return "", &MachineError{fmt.Errorf("base_url needs the environment variable %s, which is not set", strings.Join(missing, ", "))}
	}
	return out, nil
}
