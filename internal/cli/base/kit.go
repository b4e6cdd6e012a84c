package base

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/judge"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/webhook"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// LoadModels returns the table of models, with the corrections in the user's own file and then those of the
// administrator and the fleet.
func LoadModels(env *console.Env) (*catalogue.Table, error) {
	return loadModelsIn(env, Places(env).Config)
}

// loadModelsIn returns the table of models, with the corrections in the models files of the user, who has
// the configuration directory dir, and of the administrator. Its error joins one error for each mistake.
func loadModelsIn(env *console.Env, dir string) (*catalogue.Table, error) {
	fleet := filepath.Join(config.FleetDir, config.FleetActive, catalogue.File)
	var paths []string
	if dir != "" { // the missing directory is reported elsewhere
		paths = append(paths, filepath.Join(dir, fleet), filepath.Join(dir, catalogue.File))
	}
	if managed := cmp.Or(env.Managed, config.ManagedDir()); managed != app.NoManaged {
		if there, err := userdirs.CheckDirExists(managed); there && err == nil { // as for its other files
			paths = append(paths, filepath.Join(managed, catalogue.File), filepath.Join(managed, fleet))
		}
	}
	table, err := catalogue.Load(paths...)
	var wrong []error
	for _, text := range SplitErrors(err) {
		wrong = append(wrong, errors.New(visible.EscapeLine(text.Error())))
	}
	return table, errors.Join(wrong...)
}

// ServerEvent is the event of hooks that stand for MCP servers, as approvals name it. No host fires
// it.
const ServerEvent = "mcp_server"

// serverHooks returns the MCP servers in the agent files of opts as hooks that no event fires. The
// program of a server is code that comes with a file, so it needs approval like the file's hooks.
func serverHooks(env *console.Env, opts *app.Options) []checkrein.Hook {
	var out []checkrein.Hook
	for _, file := range append(slices.Clone(opts.Files), opts.AgentFile) {
		if file == "" {
			continue
		}
		t, err := team.Load(env.Path(file))
		if err != nil {
			continue // it is not an agent file, or a broken one
		}
		a := t.DefaultAgent()
		if named, ok := t.Agent(opts.Agent); ok {
			a = named
		}
		out = append(out, agentServerHooks(a, t)...)
	}
	return out
}

// agentServerHooks returns the MCP servers that the agent a starts as hooks.
func agentServerHooks(a *team.Agent, t *team.Team) []checkrein.Hook {
	from := checkrein.Origin{Scope: checkrein.ScopeUser, File: t.File}
	if a != t.DefaultAgent() {
		from.Agent = a.Name // the file's hooks have the same origin
	}
	if config.InRepository(t.File) {
		from.Scope, from.Approval = checkrein.ScopeProject, true
	}
	var out []checkrein.Hook
	for i := range a.Toolsets {
		s := a.Toolsets[i].Server
		if s == nil || s.Command == "" {
			continue
		}
		variables := map[string]string{}
		for _, v := range s.Env {
			variables[v.Name] = v.Value
		}
		settings := map[string]any{"argv": append([]string{s.Command}, s.Args...), "env": variables}
		if s.Sandbox != nil {
			settings["sandbox"] = s.Sandbox
		}
		with, err := json.Marshal(settings)
		if err != nil {
			continue
		}
		from.Line = s.Line
		out = append(out, checkrein.Hook{ID: fmt.Sprintf("%s#%d", s.Label, i+1), Name: s.Label, On: checkrein.Other, Event: ServerEvent, Run: "command", With: with,
			Priority: hookfile.DefaultPriority, OnFault: checkrein.FaultIgnore, Dialect: "docker-agent", From: from})
	}
	return out
}

// IsServer reports whether h stands for an MCP server.
func IsServer(h *checkrein.Hook) bool { return h.On == checkrein.Other && h.Event == ServerEvent }

// OpenKit opens a kit for a command in the environment env, and prints notes about unexpected files in
// the state directory.
func OpenKit(env *console.Env, opts app.Options) (*app.Kit, error) {
	opts.Files = AbsolutePaths(env, opts.Files)
	if opts.Dir == "" {
		opts.Dir = env.Dir
	}
	opts.Hooks = append(opts.Hooks, serverHooks(env, &opts)...)
	opts.Environ, opts.Now, opts.Managed = env.Environ, env.Now, env.Managed
	opts.HandlersFor = NetworkHandlers(env)
	k, err := app.Open(opts)
	if err != nil {
		return nil, &Exit{Code: console.Refused, Err: err}
	}
	for _, text := range k.Anomalies() {
		fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.EscapeLine(text))
	}
	return k, nil
}

// NetworkHandlers returns a function that returns the handler types that need a network. Only the
// companion links them.
func NetworkHandlers(env *console.Env) func(*app.Kit) []checkrein.HandlerType {
	return func(k *app.Kit) []checkrein.HandlerType {
		return []checkrein.HandlerType{httpHandler(env), modelHandler(env, k, Places(env).Config)}
	}
}

// httpHandler returns the handler type of http hooks.
func httpHandler(env *console.Env) checkrein.HandlerType {
	http := webhook.Type(webhook.Options{Environ: env.Environ, Dialect: dialect.Lookup, Fit: host.RenameDirArgument})
	strict := http.New
	http.New = func(h checkrein.Hook) (checkrein.Handler, error) {
		// Starchild documents this variable, which allows local addresses for its hooks.
		if local, _ := environ.Lookup(env.Environ, environ.AllowLocalVar); local == "1" && h.Dialect == "starchild" {
			return webhook.Type(webhook.Options{Environ: env.Environ, AllowLocal: true, Dialect: dialect.Lookup, Fit: host.RenameDirArgument}).New(h)
		}
		return strict(h)
	}
	return http
}

// modelHandler returns the handler type of model hooks, which uses the models file in config, the
// user's configuration directory.
func modelHandler(env *console.Env, k *app.Kit, config string) checkrein.HandlerType {
	getenv := func(name string) string { v, _ := environ.Lookup(env.Environ, name); return v }
	dir, secret := k.JudgeCache()
	return judge.Type(judge.Options{
		Ask: judge.AskModels(getenv, func() (*catalogue.Table, error) { return loadModelsIn(env, config) }), Dialect: dialect.Lookup, Policy: k.PolicyIn,
		Cache: judge.Cache{Dir: dir, Secret: secret, Now: env.Now},
	})
}

// HotNetworkHandlers returns a function that returns the handler types that the hot program uses to
// reach a network: those of hooks, and the one that builtins fetch URLs with. The hot program
// passes config, the user's configuration directory, since a project's environment variables could
// change what this program finds.
func HotNetworkHandlers(env *console.Env, config string) func(*app.Kit) []checkrein.HandlerType {
	return func(k *app.Kit) []checkrein.HandlerType {
		return []checkrein.HandlerType{httpHandler(env), modelHandler(env, k, config), webhook.FetchType(webhook.Options{Environ: env.Environ})}
	}
}

// PersonKit opens a read-only kit for a command that only a person may run.
func PersonKit(env *console.Env, how PersonRule) (*app.Kit, error) {
	if err := RequirePerson(env, how); err != nil {
		return nil, err
	}
	return OpenKit(env, app.Options{ReadOnly: true})
}
