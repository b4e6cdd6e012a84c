// Package usage records what an agent uses, such as tool calls, model calls and money, and frees the
// memory of local models.
package usage

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// An Env gives these builtins access to files and the network.
type Env struct {
	// AddLine appends a line to file, which is an absolute path or the name of a file in checkrein's
	// own directory. If it is nil, nothing is written.
	AddLine func(file string, line []byte) error
	// Foreign reports whether the event comes from another host than its session, so that the
	// session's state must not change; nil means never.
	Foreign func() bool
	// Fetch returns the response to a GET request for url; nil means that there is no network
	// access.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Post sends a POST request with the JSON body to url; nil means that there is no network
	// access.
	Post func(ctx context.Context, url string, body []byte) error
}

// A Call is one use of a builtin, with its environment.
type Call struct {
	builtin.Call
	Env Env
}

// bindEnv returns run as a builtin that gets the environment env.
func (env Env) bindEnv(run func(context.Context, *Call) (checkrein.Verdict, error)) builtin.Func {
	return func(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return run(ctx, &Call{Call: call, Env: env})
	}
}
