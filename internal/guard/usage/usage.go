// Package usage logs, prices and frees what an agent uses: tool calls, model calls, money
// and the memory of local models.
package usage

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// A Env is what these builtins are given of checkrein.
type Env struct {
	// AddLine adds a line to a file, by its absolute path or, in a folder of ours,
	// its bare name; nil adds nothing.
	AddLine func(file string, line []byte) error
	// Foreign reports whether the event is not of its session's host, so that nothing
	// that is kept of the session changes; nil = it is.
	Foreign func() bool
	// Fetch returns what an HTTP URL answers to a GET, within the context's time;
	// nil has no network.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Post sends JSON to an HTTP URL, within the context's time; nil has no network.
	Post func(ctx context.Context, url string, body []byte) error
}

// A Call is one use of a builtin, with what it is given of checkrein.
type Call struct {
	builtin.Call
	Env Env
}

// bind returns run as a builtin that is given env.
func (env Env) bind(run func(context.Context, *Call) (checkrein.Verdict, error)) builtin.Func {
	return func(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return run(ctx, &Call{Call: call, Env: env})
	}
}
