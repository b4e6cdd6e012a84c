package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// Type returns the handler type of builtins. A hook's settings are an object with name, args (strings
// or numbers), working_dir and env.
//
// A builtin runs in its working_dir. If that is relative, it is relative to the session's root or, if
// there is none, to the session's directory. Without a working_dir the builtin runs in the session's
// directory. An unusable working_dir is mentioned in the answer's Log.
func Type(env Env) checkrein.HandlerType {
	if env.Now == nil {
		env.Now = time.Now
	}
	return checkrein.HandlerType{
		Name:   "builtin",
		New:    func(h checkrein.Hook) (checkrein.Handler, error) { return newHandler(hookEnv(env, &h), h.With) },
		Traits: hookTraits,
	}
}

// hookEnv returns env for the hook h. No grant lifts the decisions of a managed hook.
func hookEnv(env Env, h *checkrein.Hook) Env {
	if h.From.Scope == checkrein.ScopeManaged {
		env.Secrets.Excused = nil
	}
	return env
}

// hookTraits returns the traits of the builtin that h runs.
func hookTraits(h *checkrein.Hook) checkrein.Traits {
	if b, ok := Lookup(rawjson.GetText(h.With, "name")); ok {
		return b.Traits
	}
	return checkrein.Traits{}
}

// A handler runs the builtin of one hook.
type handler struct {
	run   builtin.Func
	place environ.Place
	env   Env
}

// newHandler returns the handler for a hook whose settings are with.
func newHandler(env Env, with json.RawMessage) (*handler, error) {
	place, err := environ.ReadPlace(with)
	if err != nil {
		return nil, err
	}
	name := rawjson.GetText(with, "name")
	if name == "" {
		return nil, errors.New("a builtin hook needs the name of a builtin")
	}
	b, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown builtin %q%s", name, suggest.Hint(name, Names()))
	}
	args, err := builtin.ParseArgs(with)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	run, err := b.New(&env, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &handler{run: run, place: place, env: env}, nil
}

// Handle runs the builtin.
func (h *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	dir, environ, warning := h.place.Resolve(cmp.Or(ev.Session.Root, ev.Session.Dir), h.env.Environ)
	if h.place.Dir == "" {
		dir = ev.Session.Dir
	}
	if dir != "" && !filepath.IsAbs(dir) {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	v, err := h.run(ctx, builtin.Call{Event: ev, Dir: dir, Environ: environ, Machine: h.env.Machine})
	secretguard.RedactVerdict(&v, &ev)
	return checkrein.Answer{Verdict: v, Log: warning}, err
}
