package team

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const whole = `#!/usr/bin/env docker agent run
version: "7"
metadata: {author: somebody, license: Apache-2.0, readme: "about it"}
permissions:
  allow: ["read_*", "shell:cmd=git status*"]
  ask: [write_file]
  deny: ["shell:cmd=sudo*"]
providers:
  near:
    base_url: http://localhost:8080/v1
    token_key: NEAR_KEY
    unload_api: /unload
    max_tokens: 100
    provider_opts: {context_size: 2000}
models:
  fast:
    provider: dmr
    model: ai/qwen3
    base_url: http://localhost:12434/engines/v1
    max_tokens: 4096
    temperature: 0.5
    provider_opts:
      context_size: 8192
      unload_api: /engines/_unload
      runtime_flags: ["--x"]
    cost: {input: 1.5, output: 2, cache_read: 0.1}
  mine: {provider: near, model: tiny, max_tokens: 50}
toolsets:
  sh: {type: shell, safer: true}
commands:
  common: {fix: "Fix it", test: {description: runs tests, instruction: "Run the tests"}}
agents:
  helper:
    model: scripted/demo
    handoffs: [root]
    toolsets: [{type: think}]
  root:
    model: fast
    description: Leads
    instruction: |
      You lead.
      Others follow.
    welcome_message: hello
    add_date: true
    add_environment_info: true
    add_prompt_files: [AGENTS.md]
    redact_secrets: false
    max_iterations: 7
    sub_agents: [helper, last, helper]
    force_handoff: last
    toolsets:
      - type: shell
        safer: true
      - type: filesystem
        tools: [read_file, list_directory]
    permissions: {deny: [write_file]}
    commands:
      fix: "Fix everything"
    use_commands: [common]
    hooks:
      pre_tool_use: [{matcher: "*", hooks: [{type: command, command: "true"}]}]
  last:
    model: near/large
    use_toolsets: [sh]
`

func ptr(f float64) *float64 { return &f }

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := Parse("agent.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &Team{
		File: "agent.yaml",
		Permissions: Permissions{
			Allow: []string{"read_*", "shell:cmd=git status*"}, Ask: []string{"write_file"}, Deny: []string{"shell:cmd=sudo*"},
		},
		Models: []Model{
			{
				Name: "fast", Provider: "dmr", Model: "ai/qwen3", BaseURL: "http://localhost:12434/engines/v1", UnloadAPI: "/engines/_unload",
				Context: 8192, MaxTokens: 4096, Temperature: ptr(0.5), InputPrice: ptr(1.5), OutputPrice: ptr(2), CachedPrice: ptr(0.1),
			},
			{
				Name: "mine", Provider: "near", Model: "tiny", BaseURL: "http://localhost:8080/v1", TokenKey: "NEAR_KEY", UnloadAPI: "/unload",
				Context: 2000, MaxTokens: 50,
			},
			{
				Name: "near/large", Provider: "near", Model: "large", BaseURL: "http://localhost:8080/v1", TokenKey: "NEAR_KEY", UnloadAPI: "/unload",
				Context: 2000, MaxTokens: 100,
			},
		},
		Agents: []Agent{
			{Name: "helper", Model: "scripted/demo", Handoffs: []string{"root"}, Toolsets: []Toolset{{Type: "think"}}, Line: 33},
			{
				Name: "root", Model: "fast", Description: "Leads", Instruction: "You lead.\nOthers follow.\n", Welcome: "hello",
				Toolsets:  []Toolset{{Type: "shell", Safer: true}, {Type: "filesystem", Tools: []string{"read_file", "list_directory"}}},
				SubAgents: []string{"helper", "last"}, ForceHandoff: "last", MaxIterations: 7,
				Commands:    []Command{{"fix", "Fix everything"}, {"test", "Run the tests"}},
				Permissions: Permissions{Deny: []string{"write_file"}}, Line: 37,
			},
			{Name: "last", Model: "near/large", Toolsets: []Toolset{{Type: "shell", Safer: true}}, Line: 62},
		},
		Ignored: []string{"models.fast.provider_opts.runtime_flags (line 25) is ignored, because checkrein run does not support it. You can remove it"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if a := got.DefaultAgent(); a.Name != "root" {
		t.Errorf("the default agent is %s, want root", a.Name)
	}
}

func TestModelOfATeam(t *testing.T) {
	t.Parallel()
	team := &Team{Models: []Model{{Name: "fast", Provider: "dmr", Model: "x"}, {Name: "a/b", Provider: "near", Model: "b"}}}
	for _, tt := range []struct {
		ref  string
		want Model
		ok   bool
	}{
		{"fast", team.Models[0], true},
		{"a/b", team.Models[1], true},
		{"dmr/ai/qwen3", Model{Name: "dmr/ai/qwen3", Provider: "dmr", Model: "ai/qwen3"}, true},
		{"scripted/demo", Model{Name: "scripted/demo", Provider: "scripted", Model: "demo"}, true},
		{"slow", Model{}, false},
		{"", Model{}, false},
		{"/x", Model{}, false},
		{"x/", Model{}, false},
	} {
		if got, ok := team.Model(tt.ref); got != tt.want || ok != tt.ok {
			t.Errorf("Model(%q) = %+v, %v, want %+v, %v", tt.ref, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFirstAgentIsTheDefault(t *testing.T) {
	t.Parallel()
	team, err := Parse("", []byte("agents:\n  zoe: {model: scripted/demo}\n  adam: {model: scripted/demo}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := team.DefaultAgent().Name; got != "zoe" {
		t.Errorf("the default is %s, want the file's first", got)
	}
	if (&Team{}).DefaultAgent() != nil {
		t.Error("a team of nobody has a default")
	}
}

// ok is an agent file with one agent, to which a row adds lines.
const ok = "agents:\n  root:\n    model: scripted/demo\n"

var problems = []struct {
	name, text string
	want       []string // each a part of the error, in this order
}{
	{"nothing", "", []string{"agent.yaml:1: the file declares no agents: write agents"}},
	{"no agents", "models: {}\n", []string{"agent.yaml:1: the file declares no agents"}},
	{"empty agents", "agents: {}\n", []string{"agent.yaml:1: agents is a mapping"}},
	{"a list of agents", "agents: [root]\n", []string{"agents is a list"}},
	{"a list", "- a\n", []string{"the file is a list: write a mapping"}},
	{"no YAML", "agents: {", []string{"agent.yaml:1: "}},
	{"twice", ok + "    model: x/y\n", []string{"agent.yaml:4: ", "line 3"}},
	{"an agent of nothing", "agents:\n  root:\n", []string{"agent.yaml:2: agents.root has no model"}},
	{"an agent that is a text", "agents:\n  root: hello\n", []string{"agents.root is a string", "agents.root has no model"}},
	{"control characters in a name", "agents:\n  \"a\\u001b[2J\": {model: scripted/demo}\n", []string{`agent.yaml:2: "a\x1b[2J" is not a valid name for an agent`}},

	{"typo in the file", "agentz: {}\n" + ok, []string{`agent.yaml:1: unknown key "agentz" in the file, did you mean "agents"?`}},
	{"typo in an agent", ok + "    instuction: x\n", []string{`agent.yaml:4: unknown key "instuction" in agents.root, did you mean "instruction"?`}},
	{"typo in permissions", ok + "permissions: {alow: []}\n", []string{`unknown key "alow" in permissions, did you mean "allow"?`}},
	{"typo in a model", ok + "models: {m: {provider: a, model: b, base_ulr: x}}\n", []string{`unknown key "base_ulr" in models.m, did you mean "base_url"?`}},
	{"typo in a toolset", ok + "    toolsets: [{type: shell, saffer: true}]\n", []string{`unknown key "saffer" in agents.root.toolsets.shell, did you mean "safer"?`}},
	{"unknown key of prices", ok + "models: {m: {provider: a, model: b, cost: {in: 1}}}\n", []string{`unknown key "in" in models.m.cost`}},
	{"safer files", ok + "    toolsets: [{type: filesystem, safer: true}]\n", []string{`unknown key "safer" in agents.root.toolsets.filesystem`}},

	{"no model", "agents: {root: {}}\n", []string{"agents.root has no model: write provider/model"}},
	{"unknown model", "models: {fast: {provider: a, model: b}}\nagents: {root: {model: fsat}}\n", []string{`agents.root.model is "fsat"`, `did you mean "fast"?`}},
	{"model auto", "agents: {root: {model: auto}}\n", []string{"agents.root.model is auto"}},
	{"several models", "agents: {root: {model: \"a/b,c/d\"}}\n", []string{"several models in turn"}},
	{"half a model", "models:\n  m: {provider: a}\n" + ok, []string{"agent.yaml:2: models.m has no model"}},
	{"an empty model", "models:\n  m:\n" + ok, []string{"agent.yaml:2: models.m is empty"}},

	{"unknown sub-agent", ok + "    sub_agents: [hepler]\n  helper: {model: scripted/demo}\n", []string{`agent.yaml:2: agents.root.sub_agents names "hepler"`, `did you mean "helper"?: the file has root, helper`}},
	{"unknown handoff", ok + "    handoffs: [nobody]\n", []string{`agents.root.handoffs names "nobody"`}},
	{"unknown forced handoff", ok + "    force_handoff: nobody\n", []string{`agents.root.force_handoff names "nobody"`}},
	{"itself", ok + "    sub_agents: [root]\n    handoffs: [root]\n    force_handoff: root\n", []string{
		"sub_agents names the agent itself", "handoffs names the agent itself", "force_handoff names the agent itself",
	}},
	{"from elsewhere", ok + "    sub_agents: [\"reviewer:org/review\"]\n", []string{`names "reviewer:org/review": checkrein does not download agents`}},
	{"a circle", "agents:\n  c: {model: a/b, force_handoff: a}\n  a: {model: a/b, force_handoff: b}\n  b: {model: a/b, force_handoff: c}\n", []string{
		"agent.yaml:3: force_handoff forms a loop: a → b → c → a",
	}},
	{"into a circle", "agents:\n  x: {model: a/b, force_handoff: a}\n  a: {model: a/b, force_handoff: b}\n  b: {model: a/b, force_handoff: a}\n", []string{"loop: a → b → a"}},

	{"a server of the catalog", ok + "    toolsets:\n      - type: mcp\n        ref: docker:duckduckgo\n", []string{`agent.yaml:5: agents.root.toolsets.mcp.ref is "docker:duckduckgo": checkrein does not download servers from the catalog: write its command and args, or remote: {url: …}`}},
	{"a shared server of the catalog", "mcps: {s: {ref: docker:search}}\n" + ok + "    toolsets: [{type: mcp, ref: s}]\n", []string{`agent.yaml:1: agents.root.toolsets.mcp.ref is "docker:search"`}},
	{"a server that is not declared", "mcps: {files: {command: x}}\n" + ok + "    toolsets: [{type: mcp, ref: flies}]\n", []string{`ref names "flies", which the file does not declare, did you mean "files"?`}},
	{"a server that is nowhere", ok + "    toolsets: [{type: mcp, name: x}]\n", []string{"has neither a command nor a remote URL: write command: and args:, remote: {url: …}, or ref:"}},
	{"a server in two places", ok + "    toolsets: [{type: mcp, command: x, remote: {url: \"https://example.com\"}}]\n", []string{"has both command and remote: keep one of them"}},
	{"a server by an unknown way", ok + "    toolsets: [{type: mcp, remote: {url: \"https://example.com\", transport_type: streamble}}]\n", []string{`transport_type is "streamble", did you mean "streamable"?`}},
	{"a server that needs a log-in", ok + "    toolsets: [{type: mcp, remote: {url: \"https://example.com\", oauth: {clientId: x}}}]\n", []string{"remote.oauth is not supported by checkrein run", "get a token yourself"}},
	{"a server at no web address", ok + "    toolsets: [{type: mcp, remote: {url: \"file:///x\"}}]\n", []string{`remote.url is "file:///x": write http:// or https:// and a host`}},
	{"a server whose address has a password", ok + "    toolsets: [{type: mcp, remote: {url: \"https://a:b@example.com\"}}]\n", []string{"write http:// or https:// and a host"}},
	{"a server with an odd name", ok + "    toolsets: [{type: mcp, command: x, name: \"a b\"}]\n", []string{`name is "a b", which is not a valid start of a tool name`}},
	{"a server with odd variables", ok + "    toolsets: [{type: mcp, command: x, env: {\"A=B\": c}}]\n", []string{`"A=B" is not a valid name`}},
	{"a server that names no tool", ok + "    toolsets: [{type: mcp, command: x, tools: []}]\n", []string{"names no tool"}},
	{"a server with an unknown key", ok + "    toolsets: [{type: mcp, comand: x}]\n", []string{`unknown key "comand"`, `did you mean "command"?`}},
	{"a shared server of another type", "mcps: {s: {type: shell, command: x}}\n" + ok, []string{"mcps.s has type shell"}},
	{"unknown toolset", ok + "    toolsets: [{type: shel}]\n", []string{`unknown type "shel", did you mean "shell"?: there are shell, filesystem`}},
	{"toolset without a type", ok + "    toolsets: [{safer: true}]\n", []string{"an entry of agents.root.toolsets has no type"}},
	{"toolsets that are no list", ok + "    toolsets: {type: shell}\n", []string{"agents.root.toolsets is a mapping"}},
	{"no tools left", ok + "    toolsets: [{type: filesystem, tools: []}]\n", []string{"names no tool"}},
	{"confined files", ok + "    toolsets: [{type: filesystem, allow_list: [.]}]\n", []string{"toolsets.filesystem.allow_list is not supported by checkrein run: write the rule"}},
	{"files after edits", ok + "    toolsets: [{type: filesystem, post_edit: [{path: a, cmd: b}]}]\n", []string{"post_edit is not supported by checkrein run", "post_tool_use hook"}},
	{"read-only tools", ok + "    toolsets: [{type: shell, readonly: true}]\n", []string{"readonly is not supported by checkrein run"}},
	{"unknown shared toolset", ok + "    use_toolsets: [x]\ntoolsets: {y: {type: shell}}\n", []string{`use_toolsets names "x", which the file does not declare`}},
	{"unknown shared commands", ok + "    use_commands: [comon]\ncommands: {common: {a: b}}\n", []string{`use_commands names "comon"`, `did you mean "common"?`}},

	{"a sandbox", "runtime: {sandbox: true}\n" + ok, []string{"runtime.sandbox is not supported by checkrein run"}},
	{"a strict mode", ok + "    safety: strict\nruntime: {safety: restricted}\n", []string{"agents.root.safety is not supported by checkrein run", "runtime.safety is not supported by checkrein run"}},
	{"a budget", "budget: {max_cost: 1}\n" + ok, []string{"agent.yaml:1: budget is not supported by checkrein run"}},
	{"code mode", ok + "    code_mode_tools: true\n", []string{"agents.root.code_mode_tools is not supported by checkrein run"}},
	{"structured output", ok + "    structured_output: {name: x}\n", []string{"structured_output is not supported by checkrein run"}},
	{"a harness", ok + "    harness: {type: codex}\n", []string{"harness is not supported by checkrein run", "checkrein install claude (or codex)"}},
	{"a harness as model", "agents: {root: {model: claude-code}}\n", []string{`agents.root.model is "claude-code", which is a coding agent, not a model: to guard that program when it runs on its own, run checkrein install claude`}},
	{"a harness with a model", "agents: {root: {model: codex/gpt-5}}\n", []string{`agents.root.model is "codex/gpt-5", which is a coding agent`}},
	{"a harness as provider", "models: {m: {provider: claude-code, model: opus}}\nagents: {root: {model: m}}\n", []string{`agents.root.model is "m", which is a coding agent`}},
	{"a harness as fallback", ok + "    fallback: {models: [codex]}\n", []string{`agents.root.fallback.models is "codex", which is a coding agent`}},
	{"skills of the web", ok + "    skills: [\"https://skills.example\"]\n", []string{"agents.root.skills names \"https://skills.example\": checkrein does not download skills: download its SKILL.md"}},
	{"evaluators", "evaluators: {a: {}}\n" + ok, []string{"evaluators is not supported by checkrein run"}},
	{"routed models", "models: {m: {provider: a, model: b, routing: []}}\n" + ok, []string{"models.m.routing is not supported by checkrein run"}},
	{"responses", "providers: {p: {api_type: openai_responses}}\n" + ok, []string{"checkrein supports only chat completions"}},
	{"responses of a model", "models: {m: {provider: a, model: b, provider_opts: {api_type: openai_responses}}}\n" + ok, []string{"models.m.provider_opts.api_type"}},

	{"wrong kinds", ok + "    max_iterations: many\n    add_date: 1\n    sub_agents: {a: b}\n    description: [x]\n    redact_secrets: \"no\"\n", []string{
		`agent.yaml:4: agents.root.max_iterations is "many"`, "agent.yaml:5: agents.root.add_date is a number", "agent.yaml:6: agents.root.sub_agents is a mapping",
		"agent.yaml:7: agents.root.description is a list", "agent.yaml:8: agents.root.redact_secrets is a string",
	}},
	{"negative", ok + "    max_iterations: -1\n", []string{`max_iterations is "-1"`}},
	{"wrong numbers", "models: {m: {provider: a, model: b, temperature: hot, max_tokens: 1.5, cost: {input: -1}}}\n" + ok, []string{
		`models.m.max_tokens is "1.5"`, `models.m.temperature is "hot"`, `models.m.cost.input is "-1"`,
	}},
	{"a rule that is no text", ok + "permissions: {deny: [{shell: x}, \"\"]}\n", []string{"permissions.deny holds a mapping", "permissions.deny holds an empty string"}},
	{"commands that are a text", ok + "    commands: hello\n", []string{"agents.root.commands holds a string"}},
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range problems {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			team, err := Parse("agent.yaml", []byte(tt.text))
			if err == nil {
				t.Fatalf("no error, but %+v", team)
			}
			rest := err.Error()
			for _, want := range tt.want {
				i := strings.Index(rest, want)
				if i < 0 {
					t.Fatalf("error %q\nlacks %q (in this order)", err, want)
				}
				rest = rest[i+len(want):]
			}
			if strings.Contains(err.Error(), "circle") && strings.Count(err.Error(), "circle") != 1 {
				t.Errorf("a circle is told more than once: %v", err)
			}
		})
	}
}

func TestTokenKeyIsNotShown(t *testing.T) {
	t.Parallel()
	secret := "sk-" + strings.Repeat("a1B2", 8)
	_, err := Parse("agent.yaml", []byte("models:\n  m: {provider: a, model: b, token_key: "+secret+"}\n"+ok))
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "agent.yaml:2: models.m.token_key is not a valid variable name") {
		t.Errorf("error %v", err)
	}
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	text := `agents:
  root:
    model: scripted/demo
    cache: {enabled: true}
    skills: true
    num_history_items: 5
    fallback: {models: [a/b]}
    safety: autonomous
    session_compaction: true
    add_description_parameter: false
    code_mode_tools: false
    memory: {path: x}
    todo: true
    toolsets:
      - {type: shell, toon: x, readonly: false, instruction: y}
    commands: [{a: "b !` + "`date`" + `"}, {open: {url: "https://example.com"}}]
models:
  m: {provider: a, model: b, thinking_budget: none, top_p: 0.5, provider_opts: {top_k: 3}}
mcps: {x: {command: y}}
rag: {}
runtime: {sandbox: false, network_allowlist: [a]}
`
	team, err := Parse("agent.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"rag (line 20)", "runtime.network_allowlist (line 21)", "models.m.top_p (line 18)", "models.m.provider_opts.top_k (line 18)",
		"agents.root.cache (line 4)", "agents.root.num_history_items (line 6)",
		"agents.root.memory (line 12)", "agents.root.todo (line 13)",
		"agents.root.toolsets.shell.toon (line 15)", "agents.root.toolsets.shell.instruction (line 15)",
		"agents.root.commands.a: a command in !`…` (line 16)", "agents.root.commands.open.url (line 16)",
	}
	for i := range want {
		want[i] += " is ignored, because checkrein run does not support it. You can remove it"
	}
	if !slices.Equal(team.Ignored, want) {
		t.Errorf("ignored %q\nwant    %q", team.Ignored, want)
	}
	if got := team.Agents[0].Commands; len(got) != 1 || got[0].Name != "a" {
		t.Errorf("commands %v", got)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "agent.yaml")
	if err := os.WriteFile(path, []byte(ok), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := Load(path)
	if err != nil || team.File != path || team.DefaultAgent().Name != "root" {
		t.Errorf("team %+v, %v", team, err)
	}
	if _, err := Load(filepath.Join(dir, "other.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if err := os.WriteFile(path, []byte(ok+"#"+strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a huge file gives %v", err)
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../examples/docker-agent/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range files {
		if team, err := Load(f); err != nil {
			t.Error(err)
		} else if len(team.Ignored) > 0 {
			t.Errorf("%s: %q", f, team.Ignored)
		}
	}
}

// All problems are found, each with its line, in order of lines.
func TestProblemsAreInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"instuction: x", "harness: {}", "max_iterations: x", "add_date: 3", "sub_agents: 4", "description: []", "toolsets: 5", "commands: 6",
		}), 1, 8, rapid.ID).Draw(t, "lines")
		_, err := Parse("f", []byte(ok+"    "+strings.Join(lines, "\n    ")+"\n"))
		list, _ := err.(interface{ Unwrap() []error })
		if list == nil || len(list.Unwrap()) != len(lines) {
			t.Fatalf("%d mistakes give %v", len(lines), err)
		}
		for i, err := range list.Unwrap() {
			var p *Problem
			if !errors.As(err, &p) || p.Line != i+4 {
				t.Fatalf("problem %d: %v", i, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, p := range problems {
		f.Add([]byte(p.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		team, err := Parse("f", data)
		if err != nil {
			if team != nil {
				t.Error("a team with an error")
			}
			return
		}
		if team.DefaultAgent() == nil {
			t.Error("a team of nobody")
		}
		for _, a := range team.Agents {
			if _, ok := team.Model(a.Model); !ok {
				t.Errorf("agent %q has no model", a.Name)
			}
			for _, n := range append(slices.Clone(a.SubAgents), a.Handoffs...) {
				if _, ok := team.Agent(n); !ok || n == a.Name {
					t.Errorf("agent %q names %q", a.Name, n)
				}
			}
		}
	})
}

// The fallback models and the compaction threshold.
func TestFallbackAndCompaction(t *testing.T) {
	t.Parallel()
	read := func(agent string) (*Team, error) {
		return Parse("agent.yaml", []byte("agents:\n  root:\n    model: small\n"+agent+"models:\n  small: {provider: a, model: b, compaction_threshold: 0.5}\n"))
	}
	for _, tt := range []struct {
		agent string
		want  Agent
	}{
		{"", Agent{}},
		{"    fallback: {models: [small, scripted/demo]}\n", Agent{Fallback: Fallback{[]string{"small", "scripted/demo"}, 2, time.Minute}}},
		{"    fallback: {models: [scripted/demo], retries: -1, cooldown: 30s}\n", Agent{Fallback: Fallback{[]string{"scripted/demo"}, 0, 30 * time.Second}}},
		{"    fallback: {models: [scripted/demo], retries: 5}\n", Agent{Fallback: Fallback{[]string{"scripted/demo"}, 5, time.Minute}}},
		{"    compaction_threshold: 0.8\n", Agent{CompactAt: 0.8}},
		{"    session_compaction: false\n", Agent{NoCompaction: true}},
	} {
		team, err := read(tt.agent)
		if err != nil {
			t.Errorf("%s: %v", tt.agent, err)
			continue
		}
		a := team.Agents[0]
		if got := (Agent{Fallback: a.Fallback, CompactAt: a.CompactAt, NoCompaction: a.NoCompaction}); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v", tt.agent, got)
		}
		if m, _ := team.Model("small"); m.CompactAt != 0.5 || len(team.Ignored) != 0 {
			t.Errorf("%s: model %+v, ignored %v", tt.agent, m, team.Ignored)
		}
	}
	for agent, want := range map[string]string{
		"    fallback: {models: [nowhere]}\n":             "agents.root.fallback.models is \"nowhere\", which the file does not list under models",
		"    fallback: {models: [a/b], cooldown: soon}\n": "write a duration, such as 1m",
		"    fallback: {models: [a/b], retries: many}\n":  "write a whole number",
		"    fallback: [a/b]\n":                           "write a mapping",
		"    compaction_threshold: 80\n":                  "greater than 0 and at most 1",
		"    compaction_threshold: 0\n":                   "greater than 0 and at most 1",
		"    compaction_threshold: most\n":                "write a number",
	} {
		if _, err := read(agent); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", agent, err, want)
		}
	}
}
