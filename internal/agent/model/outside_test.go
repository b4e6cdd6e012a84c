package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// The test's own program plays the one that calls models.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "call" {
		playProgram()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// playProgram behaves as the name of the model says.
func playProgram() {
	var call line.Call
	if err := line.NewReader(os.Stdin).Read(&call); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer := func(a Answer) {
		raw, _ := json.Marshal(a)
		_ = line.Write(os.Stdout, line.Reply{Answer: raw})
	}
	switch call.Model {
	case "call": // tells what it was asked
		raw, _ := json.Marshal(call)
		answer(Answer{Text: string(raw)})
	case "environment":
		answer(Answer{Text: strings.Join(os.Environ(), "\n")})
	case "deltas":
		_ = line.Write(os.Stdout, line.Reply{Delta: "He"})
		_ = line.Write(os.Stdout, line.Reply{Delta: "llo"})
		answer(Answer{Text: "Hello", Usage: &Usage{Input: 1000, Output: 100}, ToolCalls: []ToolCall{{ID: "a"}, {ID: "a"}, {}}})
	case "never":
		_ = line.Write(os.Stdout, line.Reply{Delta: "He"})
		select {}
	case "lines":
		fmt.Println("{garbage")
	case "fails":
		fmt.Fprintln(os.Stderr, "panic: \x1b[2Jout of memory")
		os.Exit(2)
	}
}

func openPlayed(t *testing.T, m team.Model, pairs ...string) Model {
	t.Helper()
	m.Provider, m.BaseURL = "near", "http://127.0.0.1:1/v1"
	return openModel(t, Config{Model: m, Program: os.Args[0], Getenv: getenvOf(pairs...)})
}

func getenvOf(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// testKey returns an invalid key that looks like a real one.
func testKey() string { return "sk-" + strings.Repeat("Zx9", 10) }

func TestProviderModel(t *testing.T) {
	t.Parallel()
	price := 2.0
	m := openPlayed(t, team.Model{Model: "deltas", Context: 4096, UnloadAPI: "/u", InputPrice: &price, OutputPrice: &price})
	if m.ID() != "near/deltas" || m.ContextLimit() != 4096 || m.Endpoint() != (Endpoint{"near", "deltas", "http://127.0.0.1:1/v1", "/u"}) {
		t.Errorf("id %s, limit %d, endpoint %+v", m.ID(), m.ContextLimit(), m.Endpoint())
	}
	a, err := callModel(t, m, Request{Messages: make([]Message, 2)})
	if err != nil || a.Text != "Hello" || math.Abs(*a.Cost-0.0022) > 1e-12 {
		t.Errorf("%+v, %v", a, err)
	}
	if ids := []string{a.ToolCalls[0].ID, a.ToolCalls[1].ID, a.ToolCalls[2].ID}; !slices.Equal(ids, []string{"a", "call_2_1", "call_2_2"}) {
		t.Errorf("calls %q", ids)
	}
}

// The program gets the whole call, and only what it needs of the environment.
func TestProgramInput(t *testing.T) {
	t.Parallel()
	warm := 0.5
	m := openPlayed(t, team.Model{Model: "call", TokenKey: "KEY", MaxTokens: 7, Temperature: &warm}, "KEY", testKey())
	a, err := m.Call(t.Context(), Request{Messages: []Message{{Role: User, Content: "go"}}, Tools: []Definition{{Name: "x"}}, Schema: &Schema{Name: "s", JSON: json.RawMessage(`{}`)}}, nil)
	want := `"wire":"openai","provider":"near","model":"call","base_url":"http://127.0.0.1:1/v1","token_key":"KEY","max_tokens":7,"temperature":0.5,` +
		`"limits":{"connect_ns":15000000000,"idle_ns":300000000000,"retries":2},"request":{"messages":[{"role":"user","content":"go"}],"tools":[{"name":"x"}],"schema":{"name":"s","json":{}}}}`
	if err != nil || !strings.HasSuffix(a.Text, want) || strings.Contains(a.Text, testKey()) {
		t.Errorf("%s, %v", a.Text, err)
	}
	m = openPlayed(t, team.Model{Model: "environment", TokenKey: "KEY"}, "KEY", testKey(), "OPENAI_BASE_URL", "http://elsewhere", "OTHER_KEY", "x", "HTTPS_PROXY", "http://p", "HOME", "/h")
	if a, err := m.Call(t.Context(), Request{}, nil); err != nil || a.Text != "HTTPS_PROXY=http://p\nKEY="+testKey() {
		t.Errorf("%s, %v", a.Text, err)
	}
}

// A call on behalf of a guard only uses the key of the environment: a project may have set the rest.
func TestGuardsIgnoreVariables(t *testing.T) {
	t.Parallel()
	vars := []string{"KEY", testKey(), "MODEL_RUNNER_HOST", "http://elsewhere"}
	for _, name := range environ.RedirectVars() {
		vars = append(vars, name, "http://elsewhere")
	}
	m := openModel(t, Config{Model: team.Model{Provider: "near", Model: "environment", BaseURL: "http://127.0.0.1:1/v1", TokenKey: "KEY"}, Program: os.Args[0], Getenv: getenvOf(vars...), Guards: true})
	if a, err := m.Call(t.Context(), Request{}, nil); err != nil || a.Text != "KEY="+testKey() {
		t.Errorf("%s, %v", a.Text, err)
	}
	for guards, want := range map[bool]string{true: "http://localhost:12434/engines/v1", false: "http://elsewhere/engines/v1"} {
		m := openModel(t, Config{Ref: "dmr/x", Program: os.Args[0], Getenv: getenvOf(vars...), Guards: guards})
		if got := m.Endpoint().BaseURL; got != want {
			t.Errorf("guards %v: %s, want %s", guards, got, want)
		}
	}
}

// The user's own file may set a proxy and certificates, for guards too; the address and the key are
// then the usual ones.
func TestProviderFromFile(t *testing.T) {
	t.Parallel()
	table, err := catalogue.ParseCorrections("/c/models.yaml", []byte("providers: {openai: {proxy: 'http://p:1', ca_file: ca.pem}}"))
	if err != nil {
		t.Fatal(err)
	}
	m := openModel(t, Config{Ref: "openai/call", Program: os.Args[0], Getenv: getenvOf("OPENAI_API_KEY", testKey()), Guards: true, Known: table})
	a, err := m.Call(t.Context(), Request{}, nil)
	if want := `"base_url":"https://api.openai.com/v1","token_key":"OPENAI_API_KEY","proxy":"http://p:1","ca_file":"/c/ca.pem"`; err != nil || !strings.Contains(a.Text, want) {
		t.Errorf("%s, %v", a.Text, err)
	}
}

// A failing program is reported with a remedy.
func TestProgramFails(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"fails": `checkrein-models exited before it answered (panic: \x1b[2Jout of memory): install checkrein-models of the same version`,
		"ends":  "checkrein-models exited before it answered: install checkrein-models of the same version",
		"lines": "checkrein-models printed output that cannot be parsed: install checkrein-models of the same version",
	} {
		_, err := openPlayed(t, team.Model{Model: name}).Call(t.Context(), Request{}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "model near/"+name+" at http://127.0.0.1:1: "+want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProgramIsCanceled(t *testing.T) {
	t.Parallel()
	stop := errors.New("the person pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := openPlayed(t, team.Model{Model: "never"}).Call(ctx, Request{}, func(string) { cancel(stop) }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	p := func(f float64) *float64 { return &f }
	u := &Usage{Input: 1000, Output: 100, CachedInput: 400}
	for _, tt := range []struct {
		name  string
		model team.Model
		usage *Usage
		want  *float64
	}{
		{"prices", team.Model{InputPrice: p(2), OutputPrice: p(10)}, u, p(0.003)},
		{"a cache", team.Model{InputPrice: p(2), OutputPrice: p(10), CachedPrice: p(0.5)}, u, p(0.0024)},
		{"free", team.Model{InputPrice: p(0), OutputPrice: p(0)}, u, p(0)},
		{"no prices", team.Model{}, u, nil},
		{"known", team.Model{Provider: "openai", Model: "gpt-4o"}, u, p(0.003)},
		{"a snapshot", team.Model{Provider: "openai", Model: "gpt-4o-2024-08-06"}, u, p(0.003)},
		{"known, and the file says otherwise", team.Model{Provider: "openai", Model: "gpt-4o", InputPrice: p(2), OutputPrice: p(10)}, u, p(0.003)},
		{"known, and no usage", team.Model{Provider: "openai", Model: "gpt-4o"}, nil, nil},
		{"not known", team.Model{Provider: "openai", Model: "gpt-of-tomorrow"}, u, nil},
		{"local", team.Model{Provider: "ollama", Model: "llama3.2"}, u, p(0)},
		{"local, and no usage", team.Model{Provider: "dmr", Model: "ai/qwen3"}, nil, p(0)},
		{"written to a cache", team.Model{Provider: "anthropic", Model: "claude-sonnet-4-5"}, &Usage{Input: 1000, Output: 100, CachedInput: 400, CachedWrite: 500}, p(0.003795)},
		{"half a price", team.Model{InputPrice: p(1)}, u, nil},
		{"no usage", team.Model{InputPrice: p(1), OutputPrice: p(1)}, nil, nil},
		{"more cached than sent", team.Model{InputPrice: p(1), OutputPrice: p(1)}, &Usage{Input: 1, CachedInput: 10}, p(0.00001)},
	} {
		got := callCost(setContextAndFindPrices(&tt.model, nil), tt.usage)
		if (got == nil) != (tt.want == nil) || got != nil && math.Abs(*got-*tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	secret := testKey()
	for _, tt := range []struct {
		name string
		c    Config
		id   string // "" = an error
		want string // the base URL, or a part of the error
	}{
		{"openai", Config{Ref: "openai/gpt-4o"}, "openai/gpt-4o", "https://api.openai.com/v1"},
		{"dmr", Config{Ref: "dmr/ai/qwen3"}, "dmr/ai/qwen3", "http://localhost:12434/engines/v1"},
		{"dmr elsewhere", Config{Ref: "dmr/x", Getenv: getenvOf("MODEL_RUNNER_HOST", "http://runner:80/")}, "dmr/x", "http://runner:80/engines/v1"},
		{"ollama", Config{Ref: "ollama/x"}, "ollama/x", "http://localhost:11434/v1"},
		{"an address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://a/v1"}}, "near/x", "http://a/v1"},
		{"an address of the environment", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "${env.AT}/v1"}, Getenv: getenvOf("AT", "http://b")}, "near/x", "http://b/v1"},
		{"an environment without it", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "${AT}/v1"}}, "", "needs the environment variable AT, which is not set"},
		{"no provider", Config{Ref: "x"}, "", `model "x": write provider/model`},
		{"nothing", Config{}, "", "write provider/model"},
		{"unknown", Config{Ref: "near/x"}, "", `model "near/x": this provider has no base_url: add one`},
		{"anthropic", Config{Ref: "anthropic/claude"}, "anthropic/claude", "https://api.anthropic.com"},
		{"google", Config{Ref: "google/gemini"}, "google/gemini", "https://generativelanguage.googleapis.com"},
		{"google elsewhere", Config{Model: team.Model{Provider: "google", Model: "x", BaseURL: "http://a"}}, "google/x", "http://a"},
		{"not spoken", Config{Ref: "amazon-bedrock/x"}, "", "amazon-bedrock is not supported: use"},
		{"no program", Config{Ref: "openai/x", Program: "/nowhere/checkrein-models"}, "", "which is not in checkreind's directory (/nowhere/checkrein-models): install checkrein-models of the same version"},
		{"no address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "file:///etc"}}, "", "is not a server URL"},
		{"half an address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://"}}, "", "is not a server URL"},
		{"a password", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://u:" + secret + "@a/v1"}}, "", "contains a user name or password"},
		{"a broken address", Config{Model: team.Model{Provider: "near", Model: "x", BaseURL: "http://u:" + secret + "@a:x/v1"}}, "", "base_url is not a valid URL"},
		{"a key that is none", Config{Ref: "openai/x", Getenv: getenvOf("OPENAI_API_KEY", secret+"\r\nX: y")}, "", "the environment variable OPENAI_API_KEY does not hold a valid key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.c.Getenv == nil {
				tt.c.Getenv = getenvOf()
			}
			if tt.c.Program == "" {
				tt.c.Program = os.Args[0]
			}
			m, err := New(tt.c)
			switch {
			case tt.id == "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			case tt.id == "" && strings.Contains(err.Error(), secret):
				t.Error("the error shows a secret")
			case tt.id != "" && err != nil:
				t.Error(err)
			case tt.id != "" && (m.ID() != tt.id || m.Endpoint().BaseURL != tt.want):
				t.Errorf("%s at %s, want %s at %s", m.ID(), m.Endpoint().BaseURL, tt.id, tt.want)
			}
		})
	}
}

// The usual variables hold the keys of known providers. A server that the file names only gets the key
// that the file names for it.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model team.Model
		env   []string
		wire  string
		want  string
		own   catalogue.Provider
	}{
		{team.Model{Provider: "openai"}, nil, line.OpenAI, "OPENAI_API_KEY", catalogue.Provider{}},
		{team.Model{Provider: "anthropic"}, nil, line.Anthropic, "ANTHROPIC_API_KEY", catalogue.Provider{}},
		{team.Model{Provider: "google"}, nil, line.Google, "GOOGLE_API_KEY", catalogue.Provider{}},
		{team.Model{Provider: "google"}, []string{"GEMINI_API_KEY", "x"}, line.Google, "GEMINI_API_KEY", catalogue.Provider{}},
		{team.Model{Provider: "google"}, []string{"GEMINI_API_KEY", "x", "GOOGLE_API_KEY", "y"}, line.Google, "GOOGLE_API_KEY", catalogue.Provider{}},
		{team.Model{Provider: "openai", TokenKey: "MINE"}, nil, line.OpenAI, "MINE", catalogue.Provider{}},
		{team.Model{Provider: "anthropic", BaseURL: "http://a"}, nil, line.Anthropic, "", catalogue.Provider{}},
		{team.Model{Provider: "near", BaseURL: "http://a"}, nil, line.OpenAI, "", catalogue.Provider{}},
		{team.Model{Provider: "ollama"}, nil, line.OpenAI, "", catalogue.Provider{}},
		{team.Model{Provider: "openai"}, nil, line.OpenAI, "", catalogue.Provider{BaseURL: "http://near/v1"}},
		{team.Model{Provider: "anthropic"}, nil, line.Anthropic, "GATE", catalogue.Provider{BaseURL: "http://near", TokenKey: "GATE"}},
		{team.Model{Provider: "openai", BaseURL: "http://a"}, nil, line.OpenAI, "", catalogue.Provider{BaseURL: "http://near", TokenKey: "GATE"}},
	} {
		wire, err := resolveProvider(&tt.model, tt.own, false, getenvOf(tt.env...))
		if err != nil || wire != tt.wire || tt.model.TokenKey != tt.want {
			t.Errorf("%+v: %s, %v", tt.model, wire, err)
		}
	}
}
