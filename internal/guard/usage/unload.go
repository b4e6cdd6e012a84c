package usage

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	unloadLog  = "unload.jsonl"
	unloadWait = 10 * time.Second // time limit for each model
	// localEngine is Docker Model Runner, the provider whose models use this machine's memory. Other
	// providers have nothing to free.
	localEngine = "dmr"
)

// NewUnload returns the builtin that frees the memory of the previous agent's models when the agent is
// switched. It never delays the switch for long or makes it fail: errors are only logged.
func NewUnload(env Env, args []string) (builtin.Func, error) {
	if err := builtin.NoArgs(args); err != nil {
		return nil, err
	}
	return env.bindEnv(func(ctx context.Context, call *Call) (checkrein.Verdict, error) {
		ev := &call.Event
		from, _ := rawjson.Text(ev.Detail("from_agent"))
		to, _ := rawjson.Text(ev.Detail("to_agent"))
		if from == "" || from == to {
			return checkrein.Verdict{}, nil
		}
		var done []string // the models freed so far, since one may be listed under several names
		rawjson.Elements(ev.Detail("from_agent_models"), func(_ int, m []byte) bool {
			if rawjson.Kind(m) != '{' || !strings.EqualFold(rawjson.GetText(m, "provider"), localEngine) {
				return true
			}
			done = unloadModel(ctx, call, m, done)
			return ctx.Err() == nil
		})
		return checkrein.Verdict{}, nil
	}), nil
}

// unloadModel frees the model m unless it is in done, and returns done with the model added.
func unloadModel(ctx context.Context, call *Call, m []byte, done []string) []string {
	model := rawjson.GetText(m, "model")
	url, err := unloadURL(rawjson.GetText(m, "base_url"), rawjson.GetText(m, "unload_api"))
	switch {
	case err != nil:
	case model == "":
		err = errors.New("the model has no name")
	case call.Env.Post == nil:
		err = errors.New("network access needs checkreind: install it in the same directory as checkrein")
	default:
		key := url + "\n" + model
		for _, d := range done {
			if d == key {
				return done
			}
		}
		done = append(done, key)
		body := rawjson.Object{'{'}
		body.Text("model", model)
		body.Close()
		ctx, cancel := context.WithTimeout(ctx, unloadWait)
		defer cancel()
		err = call.Env.Post(ctx, url, body)
	}
	if err != nil && call.Env.AddLine != nil {
		line := beginLine(call)
		line.Text("model", model)
		line.Text("error", err.Error())
		line.Close()
		_ = call.Env.AddLine(unloadLog, line) // an error cannot be reported anywhere else
	}
	return done
}

// unloadURL returns the URL that frees a model of the engine at base. The setting api is a path on the
// engine, by default next to that of its models, or a whole URL, which must be on the same host.
func unloadURL(base, api string) (string, error) {
	if scheme, _, ok := strings.Cut(api, "://"); ok && !strings.ContainsAny(scheme, "/?#") {
		if to := facts.HostOf(api); base != "" && (to.Name == "" || to != facts.HostOf(base)) {
			return "", errors.New("unload_api is not on the same host as base_url, so it is not called")
		}
		return api, nil
	}
	scheme, rest, ok := strings.Cut(base, "://")
	if !ok {
		return "", errors.New("the model has no base_url, or an invalid one")
	}
	at := strings.IndexAny(rest, "/?#")
	if at < 0 {
		at = len(rest)
	}
	authority, path := rest[:at], rest[at:]
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	switch {
	case api == "":
		path = strings.TrimSuffix(strings.TrimRight(path, "/"), "/v1") + "/_unload"
	case api[0] == '/':
		path = api
	default:
		path = "/" + api
	}
	return scheme + "://" + authority + path, nil
}
