package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is known of a model counts where the agent file does not say it: the price of a
// call, and when the conversation no longer fits.
func TestKnownModels(t *testing.T) {
	t.Parallel()
	type figures struct {
		Cost    *float64 `json:"cost"`
		Context *int     `json:"context_limit"`
		Reason  string   `json:"compaction_reason"`
	}
	f := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		name, model, agent, yaml string
		input                    int // tokens of the first request
		cost                     *float64
		limit                    int
		compacted                bool // before the second
	}{
		{name: "known", model: "provider: openai, model: gpt-4o", input: 100_000, cost: f(0.26), limit: 128_000},
		{name: "full at 90 percent", model: "provider: openai, model: gpt-4o", input: 115_200, cost: f(0.298), limit: 128_000, compacted: true},
		{name: "a snapshot", model: "provider: openai, model: gpt-4o-2024-08-06", input: 115_200, cost: f(0.298), limit: 128_000, compacted: true},
		{name: "anthropic", model: "provider: anthropic, model: claude-sonnet-4-5-20250929", input: 100_000, cost: f(0.315), limit: 200_000},
		{name: "google", model: "provider: google, model: gemini-2.5-pro", input: 300_000, cost: f(0.765), limit: 1_048_576}, // a long one, at its own price
		{name: "the agent's threshold", model: "provider: openai, model: gpt-4o", agent: "compaction_threshold: 0.5", input: 64_000, cost: f(0.17), limit: 128_000, compacted: true},
		{name: "the model's threshold", model: "provider: openai, model: gpt-4o, compaction_threshold: 0.5", input: 64_000, cost: f(0.17), limit: 128_000, compacted: true},
		{name: "the agent's before the model's", model: "provider: openai, model: gpt-4o, compaction_threshold: 0.5", agent: "compaction_threshold: 0.8", input: 64_000, cost: f(0.17), limit: 128_000},
		{name: "the file's own", model: "provider: openai, model: gpt-4o, cost: {input: 1, output: 1}, provider_opts: {context_size: 1000}", input: 900, cost: f(0.0019), limit: 1000, compacted: true},
		{name: "not known", model: "provider: openai, model: gpt-of-tomorrow", input: 5_000_000},
		{name: "an engine of one's own", model: "provider: near, model: gpt-4o", input: 5_000_000},
		{name: "local", model: "provider: ollama, model: llama3.2", input: 5_000_000, cost: f(0)},
		{name: "models.yaml", model: "provider: openai, model: gpt-4o", yaml: "models: {openai/gpt-4o: {context_size: 2000, cost: {input: 0, output: 2}}}", input: 1800, cost: f(0.002), limit: 2000, compacted: true},
		{name: "models.yaml adds", model: "provider: near, model: large", yaml: "models: {near/large: {context_size: 2000}}", input: 1800, limit: 2000, compacted: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			usage, _ := json.Marshal(map[string]int{"input_tokens": tt.input, "output_tokens": 1000})
			srv := httptest.NewServer(answerLines(`{"answer":{"text":"said","usage":` + string(usage) + `}}`))
			defer srv.Close()
			p := newRunPlace(t, `
models:
  m: {`+tt.model+`, base_url: "`+srv.URL+`"}
agents:
  root:
    model: m
    `+tt.agent+`
    hooks:
      after_llm_call: [{type: command, command: "test -e call.json || cat >call.json"}]
      before_compaction: [{type: command, command: "test -e full.json || cat >full.json"}]
`)
			p.configure(t, tt.yaml)
			cmd := p.command()
			cmd.Stdin = strings.NewReader("first\nsecond\n/compact\n")
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			var call, full figures
			if err := json.Unmarshal([]byte(p.read(t, "call.json")), &call); err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			if (call.Cost == nil) != (tt.cost == nil) || call.Cost != nil && (*call.Cost-*tt.cost > 1e-9 || *tt.cost-*call.Cost > 1e-9) {
				t.Errorf("call %s, want the cost %v", p.read(t, "call.json"), tt.cost)
			}
			if err := json.Unmarshal([]byte(p.read(t, "full.json")), &full); err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			reason := map[bool]string{true: "threshold", false: "manual"}[tt.compacted]
			if full.Context == nil || *full.Context != tt.limit || full.Reason != reason {
				t.Errorf("compacted by %s, want a limit of %d and %s", p.read(t, "full.json"), tt.limit, reason)
			}
		})
	}
}

// With a model that is known, builtins that need a price work without a word in the file.
func TestKnownPricesReachBuiltins(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(answerLines(`{"answer":{"text":"said","usage":{"input_tokens":100000,"output_tokens":1000,"cached_input_tokens":40000}}}`))
	defer srv.Close()
	p := newRunPlace(t, `
models:
  m: {provider: openai, model: gpt-4o, base_url: "`+srv.URL+`"}
agents:
  root:
    model: m
    hooks:
      on_response_end:
        - {type: builtin, command: runtime_footer}
        - {type: builtin, command: budget_alert, args: ["0.20"]}
`)
	out, err := p.command("go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"openai/gpt-4o · $0.2100", "this turn has cost $0.2100; its budget is $0.2000"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s\nwant %s", out, want)
		}
	}
}

// A judge's call has its price from the table, too, and waits for a table that makes sense.
func TestKnownPricesOfAJudge(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(answerLines(`{"answer":{"text":"{\"decision\":\"allow\",\"reason\":\"fine\"}","usage":{"input_tokens":1000,"output_tokens":100}}}`))
	defer srv.Close()
	for yaml, want := range map[string]string{
		"": "$0.0000",
		"models: {dmr/judge: {cost: {input: 100, output: 1000}}}": "$0.2000",
		"models: {dmr/judge: {cost: free}}":                       "models.yaml:1: dmr/judge.cost is a string: write a mapping",
	} {
		p := newRunPlace(t, `
agents:
  root:
    model: scripted/demo
    toolsets: [{type: shell}]
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks: [{type: model, model: dmr/judge, prompt: "May it run?", schema: pre_tool_use_decision}]
`)
		p.configure(t, yaml+"\nproviders: {dmr: {base_url: "+srv.URL+"}}\n") // a variable moves no judge
		cmd := p.command()
		cmd.Stdin = strings.NewReader("Run: true\n/cost\n")
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s\nwith %s\nwant %s", out, yaml, want)
		}
	}
}

// configure writes the person's models.yaml, if there is one.
func (p *runPlace) configure(t *testing.T, yaml string) {
	t.Helper()
	if yaml == "" {
		return
	}
	dir := filepath.Join(p.dir, "home", ".config", "checkrein")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "models.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
}
