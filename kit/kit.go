// Package kit gives a program that runs agents the hooks of its machine: those of
// configuration files, with their approvals, and the guards that are on by default.
//
//	k, err := kit.Open(kit.Options{Dir: workdir})
//	out := k.Serve(ctx, checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: args}})
//	if out.Verdict.Decision == checkrein.Deny { … }
package kit

import (
	"context"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/app"
	inner "github.com/checkrein/checkrein/internal/engine"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser" // configuration files are YAML
)

// Options say what to open. The zero Options take everything from the process: its
// directory, its environment, and the files of all scopes.
type Options struct {
	Dir     string   // where the session works; "" = the process's directory
	Session string   // the session's id; its first directory decides where project files are
	Host    string   // whose session it is; "" = an agent that uses checkrein's own names
	Files   []string // read instead of those of all scopes, and trusted as the person's own

	Hooks    []checkrein.Hook        // further hooks, trusted as they are
	Handlers []checkrein.HandlerType // further handler types; one of a known name replaces it

	Environ   []string // nil = the process's environment
	Config    string   // the person's configuration directory; "" = found by Environ
	State     string   // the state directory; "" = the person's own
	Program   string   // the checkrein program; "" = goroutines run asynchronous hooks, and hooks that ask for a sandbox fault
	Companion string   // the checkreind program; "" = http and model hooks fault
	Now       func() time.Time
}

// A Kit answers events with the hooks of a machine. It is safe for concurrent use.
type Kit struct{ app *app.Kit }

// Open reads the configuration and returns a kit. Broken files and hooks are not errors
// here: they fault when their events fire, and [Kit.Check] lists them.
func Open(opts Options) (*Kit, error) {
	k, err := app.Open(app.Options{
		Dir: opts.Dir, Session: opts.Session, Host: opts.Host, Files: opts.Files,
		Hooks: opts.Hooks, Handlers: opts.Handlers,
		Environ: opts.Environ, Config: opts.Config, State: opts.State,
		Program: opts.Program, Companion: opts.Companion, Now: opts.Now,
	})
	if err != nil {
		return nil, err
	}
	return &Kit{k}, nil
}

// Serve decides an event and records the outcome in the ledger. The caller must act
// on it.
func (k *Kit) Serve(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return outcome(k.app.Serve(ctx, ev))
}

// Decide runs the hooks of an event without a record, for callers that do not act on
// the outcome. No grant is used up.
func (k *Kit) Decide(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return outcome(k.app.Decide(ctx, ev))
}

// Check returns everything that is wrong with files and hooks, joined.
func (k *Kit) Check() error { return k.app.Check() }

// An Approval is a hook, and whether it may run as it is now.
type Approval struct {
	Hook  checkrein.Hook
	State engine.Approval
	Why   string // why it may not run; "" = it may
}

// Approvals returns the hooks of all scopes with their approvals. A person approves
// hooks with `checkrein hooks approve`.
func (k *Kit) Approvals() []Approval {
	hooks := k.app.Hooks()
	out := make([]Approval, len(hooks))
	for i := range hooks {
		state, why := k.app.Approval(&hooks[i])
		out[i] = Approval{hooks[i], engine.Approval(state), why.What}
	}
	return out
}

// outcome returns the exported part of an outcome.
func outcome(o inner.Outcome) engine.Outcome {
	out := engine.Outcome{Verdict: o.Verdict, Event: o.Event, Dropped: o.Dropped, Redo: (*engine.Redo)(o.Redo), Canceled: o.Canceled}
	for i := range o.Steps {
		out.Steps = append(out.Steps, engine.Step(o.Steps[i].Result))
	}
	return out
}
