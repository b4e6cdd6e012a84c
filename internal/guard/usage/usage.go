// Package usage logs, prices and frees what an agent uses: tool calls, model calls, money and the
// memory of local models.
package usage

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// An Env gives these builtins access to files and the network.
type Env struct {
	// AddLine appends a line to a file, given by its absolute path or, in checkrein's own
	// directory, its bare name; nil writes nothing.
	AddLine func(file string, line []byte) error
	// Foreign reports whether the event comes from another host than its session, so that
	// the session's state does not change; nil means never.
	Foreign func() bool
	// Fetch returns the response of an HTTP URL to a GET request, within the context's
	// deadline; nil means that there is no network.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Post sends JSON to an HTTP URL, within the context's deadline; nil means that there
	// is no network.
	Post func(ctx context.Context, url string, body []byte) error
}

// A Call is one use of a builtin, with its environment.
type Call struct {
	builtin.Call
	Env Env
}

// bind returns run as a builtin with the environment env.
func (env Env) bind(run func(context.Context, *Call) (checkrein.Verdict, error)) builtin.Func {
	return func(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return run(ctx, &Call{Call: call, Env: env})
	}
}
