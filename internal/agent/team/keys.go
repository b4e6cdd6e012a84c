package team

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A fate is what becomes of a key of docker-agent's grammar.
type fate uint8

const (
	runs    fate = iota // it is run, or says nothing that could be
	noted               // it is left out, and people are told
	refused             // without it the agent would be another, or less safe
)

// A key is a row of the grammar.
type key struct {
	name   string
	fate   fate
	remedy string   // of a refusal; of a note what is lacking, "" = nothing to say
	unless []string // values that ask for nothing
}

func run(names ...string) []key  { return rows(runs, names) }
func note(names ...string) []key { return rows(noted, names) }

func rows(f fate, names []string) []key {
	out := make([]key, len(names))
	for i, n := range names {
		out[i] = key{name: n, fate: f}
	}
	return out
}

func refuse(name, remedy string, unless ...string) key {
	return key{name, refused, remedy, unless}
}

// table joins rows.
func table(first []key, rest ...[]key) []key {
	for _, r := range rest {
		first = append(first, r...)
	}
	return first
}

const (
	dropIt    = "to run the file with checkrein, remove this key"
	noCeiling = "remove this key, and set the limit with a hook that runs the builtin budget_alert or max_iterations"
	noSkills  = "put each skill into .agents/skills as SKILL.md, and write skills: true in the agent"
	noMode    = "remove this key, and use permissions or hooks"
)

// laxModes are safety modes that ask no more often than is asked here anyway.
func laxModes() []string { return []string{"balanced", "autonomous"} }

// isHarness reports whether docker-agent starts a coding agent of that name in the place of a
// model.
func isHarness(name string) bool {
	return slices.ContainsFunc(hosts.Harnesses[:], func(h hosts.Harness) bool { return h.Name == name })
}

// noHarness returns the remedy for an agent that names a harness.
func noHarness() string {
	names := make([]string, len(hosts.Harnesses))
	for i, h := range hosts.Harnesses {
		names[i] = h.Host
	}
	return "to guard that program when it runs on its own, run checkrein install " + names[0] + " (or " + strings.Join(names[1:], ", ") + ") and start it as usual; to run the agent with checkrein run, give it a model"
}

func fileKeys() []key {
	return table(
		run("version", "metadata", "agents", "models", "providers", "commands", "toolsets", "mcps", "permissions", "runtime"),
		note("rag", "flavors"),
		[]key{
			missing("skills", noSkills),
			refuse("budget", noCeiling),
			note1("budgets"),
			refuse("evaluators", dropIt),
		},
	)
}

// missing is a key that is left out, with what the agent lacks without it.
func missing(name, lacks string, unless ...string) key {
	return key{name, noted, lacks, unless}
}

func note1(name string, unless ...string) key { return key{name: name, fate: noted, unless: unless} }

func runtimeKeys() []key {
	return table(note("network_allowlist"), []key{
		refuse("sandbox", "remove this key, and start checkrein inside a sandbox", "false"),
		refuse("safety", noMode, laxModes()...),
	})
}

func agentKeys() []key {
	return table(
		run("model", "description", "instruction", "welcome_message", "toolsets", "sub_agents", "handoffs", "force_handoff",
			"max_iterations", "fallback", "compaction_threshold", "session_compaction", "commands", "permissions", "use_commands", "use_toolsets",
			"add_date", "add_environment_info", "add_prompt_files", "redact_secrets", "skills", "hooks"), // the last by the dialect
		note("max_old_tool_call_tokens", "max_tool_result_tokens", "num_history_items",
			"compaction_model", "cache", "memory", "name"),
		[]key{
			missing("use_skills", noSkills),
			note1("add_description_parameter", "false"),
			note1("add_prompt_files_depth", "0"),
			note1("max_consecutive_tool_calls", "0", "5"),
			note1("tool_choice", "auto"),
			note1("todo", "false"),
			note1("think", "false"),
			refuse("instruction_file", "write the text as instruction: |"),
			refuse("harness", noHarness()),
			refuse("code_mode_tools", dropIt, "false"),
			refuse("structured_output", dropIt),
			refuse("readonly", "list the read-only tools under tools: in each toolset", "false"),
			refuse("safety", noMode, laxModes()...),
			refuse("budgets", noCeiling),
			refuse("routing", "use handoffs or force_handoff"),
		},
	)
}

// toolsetKeys are those of one type of toolset.
func toolsetKeys(kind string) []key {
	common := table(run("type", "tools"), note("instruction", "toon", "model"), []key{
		note1("defer", "false"),
		refuse("readonly", "list the read-only tools under tools:", "false"),
	})
	switch kind {
	case "shell":
		return table(common, run("safer"), []key{
			note1("sudo_askpass", "false"),
			refuse("env", "set the variables in the environment that starts checkrein"),
		})
	case "filesystem":
		return table(common, []key{
			note1("ignore_vcs"),
			refuse("allow_list", "write the rule as permissions: {deny: [\"read_file:path=…\"]}"),
			refuse("deny_list", "write the rule as permissions: {deny: [\"read_file:path=…\"]}"),
			refuse("post_edit", "run the command from a post_tool_use hook"),
		})
	case "think":
		return table(common, []key{note1("shared", "false")})
	case "todo":
		return table(common, run("shared"), note("storage"))
	case "memory":
		return table(common, run("path"))
	case "fetch":
		return table(common, run("timeout", "allowed_domains", "blocked_domains"), []key{
			refuse("headers", "remove this key, because a model's requests must not carry secrets, and call the service from a tool of an MCP server"),
			refuse("allow_private_ips", "remove this key, because fetch may not reach this machine or its local network, and use the shell, whose commands are checked", "false"),
		})
	}
	return common
}

// foreignToolsets are docker-agent's types that are not run here.
func foreignToolsets() []string {
	return []string{
		"mcp_catalog", "script", "file", "background_jobs", "tasks", "plan", "session_plan", "session_context",
		"api", "a2a", "lsp", "user_prompt", "openapi", "open_url", "model_picker", "scheduler", "rag", "git", "webhook",
	}
}

// ownToolsets are those that are.
func ownToolsets() []string {
	return []string{"shell", "filesystem", "think", "todo", "memory", "fetch", "background_agents", "mcp"}
}

func modelKeys() []key {
	return table(reach(),
		run("model", "cost", "description", "bypass_models_gateway", "compaction_threshold"),
		note("capabilities", "title_model", "compaction_model"),
		[]key{
			refuse("routing", "name one model"),
			refuse("first_available", "name one model"),
		},
	)
}

func providerKeys() []key {
	return table(reach(), run("api_type"), note("compaction_model"))
}

// reach are the keys that models and providers share.
func reach() []key {
	return table(
		run("provider", "base_url", "token_key", "unload_api", "context_size", "max_tokens", "temperature", "provider_opts", "track_usage"),
		note("top_p", "frequency_penalty", "presence_penalty", "parallel_tool_calls", "task_budget", "headers"),
		[]key{
			note1("thinking_budget", "none", "0"),
			refuse("auth", "put the key into an environment variable and name it as token_key"),
		},
	)
}
