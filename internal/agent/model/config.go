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

// A Config describes which model to open, and what it may take from its place.
type Config struct {
	// Model is how to reach it. Without a provider in it, Ref does.
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
	// Replaced is set if another model answers in place of this one: then a server
	// that fails is asked again Retries times, and one that was asked too often is not
	// waited for.
	Replaced bool
	Retries  int
	// Guards is set if the answer decides about an agent. Its project may have set
	// variables, so none but the key counts.
	Guards bool
	// Known is the table of models that tells sizes and prices where the agent file does
	// not; nil = the one that comes with the program.
	Known *catalogue.Table
	// Program is the program that calls models of providers; "" = the one beside the
	// program that runs.
	Program string
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
	wire     string
	baseURL  string
	host     string   // the variable that may name another host
	path     string   // behind that host
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

// Steering lists the variables that are set and lead calls of models elsewhere, or would
// for other programs. What asks on behalf of a guard passes them by.
func Steering(getenv func(string) string) (set []string) {
	names := append([]string{"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST"}, environ.Moving()...)
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

// notSpoken are providers with a wire of their own that nothing here speaks.
func notSpoken() []string { return []string{"amazon-bedrock", "chatgpt", "github-copilot"} }

// A MachineError reports what a model needs and this machine does not have, such as a
// program or a variable. The same model may be opened elsewhere.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }

func (e *MachineError) Unwrap() error { return e.Err }

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
	out, err := openOutside(c, m)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", m.Provider+"/"+m.Model, err)
	}
	return out, nil
}

// complete fills in what a known provider means, and returns the wire that it speaks.
// Where the person's own file has it served counts before the usual place. Any other
// with an address is taken for an engine that speaks chat completions.
func complete(m *team.Model, own catalogue.Provider, guards bool, getenv func(string) string) (wire string, err error) {
	if slices.Contains(notSpoken(), m.Provider) {
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
			break // it may be somebody else's server, and the usual key is not for it
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
		return "", &MachineError{fmt.Errorf("base_url needs the environment variable %s, which is not set", strings.Join(missing, ", "))}
	}
	return out, nil
}
