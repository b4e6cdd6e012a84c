package base

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/judge"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/webhook"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/kit"
)

// NetworkHandlers are the hook types that need a network, which only this program
// links, for a kit.
func NetworkHandlers(env *console.Env) func(*kit.Kit) []checkrein.HandlerType {
	return func(k *kit.Kit) []checkrein.HandlerType {
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
func modelHandler(env *console.Env, k *kit.Kit, config string) checkrein.HandlerType {
	getenv := func(name string) string { v, _ := environ.Lookup(env.Environ, name); return v }
	dir, secret := k.Judged()
	return judge.Type(judge.Options{
		Ask: judge.Models(getenv, func() (*catalogue.Table, error) { return modelsIn(config) }), Dialect: dialect.Named, Policy: k.PolicyIn,
		Cache: judge.Cache{Dir: dir, Secret: secret, Now: env.Now},
	})
}

// StepHandlers are what the hot program hands over: those of hooks, and what its
// builtins need of the network. Where the person's files lie it says too: here
// variables of a project would.
func StepHandlers(env *console.Env, config string) func(*kit.Kit) []checkrein.HandlerType {
	return func(k *kit.Kit) []checkrein.HandlerType {
		return []checkrein.HandlerType{httpHandler(env), modelHandler(env, k, config), webhook.FetchType(webhook.Options{Environ: env.Environ})}
	}
}
