package base

import (
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
	"github.com/checkrein/checkrein/internal/text/visible"
)

// LoadModels reads the table of the person at the terminal.
func LoadModels(env *console.Env) (*catalogue.Table, error) { return modelsIn(Places(env).Config) }

// modelsIn reads the table in the directory of a person's files. Its error is one for
// each thing that is wrong.
func modelsIn(dir string) (*catalogue.Table, error) {
	if dir == "" { // which others say
		return catalogue.Builtin(), nil
	}
	table, err := catalogue.Load(filepath.Join(dir, catalogue.File))
	var wrong []error
	for _, text := range SplitErrors(err) {
		wrong = append(wrong, errors.New(visible.Line(text.Error())))
	}
	return table, errors.Join(wrong...)
}

// ServerEvent is what approvals of servers are called by. No host has such an event.
const ServerEvent = "mcp_server"

// serverHooks are the MCP servers that the agent files of a kit start, as hooks that
// nothing fires: a server's program is code that a file brings along, and is approved
// like that of its hooks.
func serverHooks(env *console.Env, opts *app.Options) []checkrein.Hook {
	var out []checkrein.Hook
	for _, file := range append(slices.Clone(opts.Files), opts.AgentFile) {
		if file == "" {
			continue
		}
		t, err := team.Load(env.Path(file))
		if err != nil {
			continue // no agent file, or one that does not run
		}
		a := t.Default()
		if named, ok := t.Agent(opts.Agent); ok {
			a = named
		}
		out = append(out, hooksOf(a, t)...)
	}
	return out
}

func hooksOf(a *team.Agent, t *team.Team) []checkrein.Hook {
	from := checkrein.Origin{Scope: checkrein.ScopeUser, File: t.File}
	if a != t.Default() {
		from.Agent = a.Name // as the file's hooks have it
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
		with, err := json.Marshal(map[string]any{"argv": append([]string{s.Command}, s.Args...), "env": variables})
		if err != nil {
			continue
		}
		from.Line = s.Line
		out = append(out, checkrein.Hook{ID: fmt.Sprintf("%s#%d", s.Label, i+1), Name: s.Label, On: checkrein.Other, Event: ServerEvent, Run: "command", With: with,
			Priority: hookfile.DefaultPriority, OnFault: checkrein.FaultIgnore, Dialect: "docker-agent", From: from})
	}
	return out
}

// IsServer reports whether a hook is a server of serverHooks.
func IsServer(h *checkrein.Hook) bool { return h.On == checkrein.Other && h.Event == ServerEvent }

// OpenKit opens a kit for a command.
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
		fmt.Fprintf(env.Stderr, "checkrein: %s\n", visible.Line(text))
	}
	return k, nil
}

// NetworkHandlers are the hook types that need a network, which only this program
// links, for a kit.
func NetworkHandlers(env *console.Env) func(*app.Kit) []checkrein.HandlerType {
	return func(k *app.Kit) []checkrein.HandlerType {
		return []checkrein.HandlerType{httpHandler(env), modelHandler(env, k, Places(env).Config)}
	}
}

func httpHandler(env *console.Env) checkrein.HandlerType {
	http := webhook.Type(webhook.Options{Environ: env.Environ, Dialect: dialect.Named, Fit: host.FitDir})
	strict := http.New
	http.New = func(h checkrein.Hook) (checkrein.Handler, error) {
		// A variable that opens something: starchild documents it, for its hooks.
		if local, _ := environ.Lookup(env.Environ, environ.OpensLocal); local == "1" && h.Dialect == "starchild" {
			return webhook.Type(webhook.Options{Environ: env.Environ, AllowLocal: true, Dialect: dialect.Named, Fit: host.FitDir}).New(h)
		}
		return strict(h)
	}
	return http
}

// modelHandler asks models as the files in the person's directory say.
func modelHandler(env *console.Env, k *app.Kit, config string) checkrein.HandlerType {
	getenv := func(name string) string { v, _ := environ.Lookup(env.Environ, name); return v }
	dir, secret := k.JudgeCache()
	return judge.Type(judge.Options{
		Ask: judge.AskModels(getenv, func() (*catalogue.Table, error) { return modelsIn(config) }), Dialect: dialect.Named, Policy: k.PolicyIn,
		Cache: judge.Cache{Dir: dir, Secret: secret, Now: env.Now},
	})
}

// StepHandlers are what the hot program hands over: those of hooks, and what its
// builtins need of the network. Where the person's files lie it says too: here
// variables of a project would.
func StepHandlers(env *console.Env, config string) func(*app.Kit) []checkrein.HandlerType {
	return func(k *app.Kit) []checkrein.HandlerType {
		return []checkrein.HandlerType{httpHandler(env), modelHandler(env, k, config), webhook.FetchType(webhook.Options{Environ: env.Environ})}
	}
}

// PersonKit opens a kit for a command that only a person may give.
func PersonKit(env *console.Env, how claim) (*app.Kit, error) {
	if err := RequirePerson(env, how); err != nil {
		return nil, err
	}
	return OpenKit(env, app.Options{ReadOnly: true})
}
