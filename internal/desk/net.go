package desk

import (
	"errors"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/dialect"
	"github.com/checkrein/checkrein/internal/handler/webhook"
	"github.com/checkrein/checkrein/internal/workplace"
)

// netHandlers are the hook types that need a network, which only this program
// links.
func netHandlers(env *console.Env) []checkrein.HandlerType {
	http := webhook.Type(webhook.Options{Environ: env.Environ, Dialect: dialect.Named})
	strict := http.New
	http.New = func(h checkrein.Hook) (checkrein.Handler, error) {
		// A variable that opens something: starchild documents it, for its hooks.
		if local, _ := workplace.Lookup(env.Environ, "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL"); local == "1" && h.Dialect == "starchild" {
			return webhook.Type(webhook.Options{Environ: env.Environ, AllowLocal: true, Dialect: dialect.Named}).New(h)
		}
		return strict(h)
	}
	return []checkrein.HandlerType{
		http,
		{Name: "model", New: func(checkrein.Hook) (checkrein.Handler, error) {
			return nil, errors.New("this build has no model hooks")
		}},
	}
}

// stepHandlers are what the hot program hands over: those of hooks, and what its
// builtins need of the network.
func stepHandlers(env *console.Env) []checkrein.HandlerType {
	return append(netHandlers(env), webhook.FetchType(webhook.Options{Environ: env.Environ}))
}
