// Package judge is the handler that asks a model. A template turns the event into a question, and the
// model's reply is the decision, or context. Hooks select it with type: model.
//
// Agents, tools and third parties write the contents of an event, and a judge must not obey them.
// Therefore every value that a template inserts is fenced off as data, secrets are removed before
// anything is sent, and only a single object written by the judge itself counts in the reply. Every
// error is a fault, which keeps gates closed.
//
//	judge.go    the handler: settings, and the way from an event to an answer
//	input.go    what templates see of an event
//	view.go     what a judge sees of an event, and what it misses
//	prompt.go   templates: compiled, checked, rendered
//	fence.go    text of the hook and data of the event
//	disarm.go   look-alikes of the fence in data
//	read.go     reading replies
//	cache.go    stored verdicts
//	lasting.go  which calls mean the same later
//	ask.go      asking a model
package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Options holds the dependencies of the handler.
type Options struct {
	Ask Ask // asks models
	// Dialect returns a dialect by name.
	Dialect func(name string) (*hookfile.Dialect, bool)
	// Policy returns the digest of the configuration in force. If Policy is nil or returns "",
	// verdicts are neither stored nor reused.
	Policy func(context.Context) string
	Cache  Cache // the zero Cache stores nothing
}

// Ask asks a model a question. It must be safe for concurrent use.
type Ask func(context.Context, Question) (Reply, error)

// A Question is a single question to a model.
type Question struct {
	Model  string // provider/model
	Dir    string // the directory of the file that names the model, for scripted models
	System string
	Prompt string
	Schema *model.Schema // of the reply; nil = free text
}

// A Reply is the model's reply with its usage.
type Reply struct {
	Text  string
	Usage *model.Usage // nil = the provider reported none
	Cost  *float64     // in USD; nil = the price is unknown
}

// Limits in bytes.
const (
	maxPrompt = 256 << 10
	maxReply  = 64 << 10
	maxReason = 2000
)

// Type returns the handler type "model". A hook's settings are {"model": "provider/model", "prompt":
// "…", "schema": "…", "system_prompt": "…", "raw": true}; model and prompt are required.
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "model",
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			j, err := newHandler(opts, h)
			if err != nil {
				return nil, err // not a nil *handler
			}
			return j, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return Traits() },
	}
}

// Traits returns the traits of every model hook: it judges the final subject and changes nothing, and
// its faults keep a gate closed.
func Traits() checkrein.Traits { return checkrein.Traits{Judges: true, Closed: true} }

type handler struct {
	opts    Options
	hook    checkrein.Hook
	dialect *hookfile.Dialect
	model   string
	dir     string
	prompt  *prompt
	system  string // "" = defaultSystem
	schema  *schema
	raw     bool
}

// newHandler returns the handler for h, or an error that lists everything wrong with its settings.
func newHandler(opts Options, h checkrein.Hook) (*handler, error) {
	d, ok := opts.Dialect(h.Dialect)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", h.Dialect)
	}
	if err := rawjson.CheckObject(h.With); err != nil {
		return nil, fmt.Errorf("hook settings: %w", err)
	}
	j := &handler{opts: opts, hook: h, dialect: d, dir: filepath.Dir(h.From.File)}
	var errs []error
	fail := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	text := func(key string) string {
		v, has := rawjson.Get(h.With, key)
		if !has || rawjson.Kind(v) == 'n' {
			return ""
		}
		s, isText := rawjson.Text(v)
		if !isText {
			fail(fmt.Errorf("%s must be a string", key))
		}
		return s
	}
	j.model, j.system = cmp.Or(text("model"), d.Model), text("system_prompt")
	fail(checkModelRef(j.model))
	var err error
	j.prompt, err = compilePrompt(text("prompt"))
	fail(err)
	j.schema, err = findSchema(text("schema"), checkrein.ContractOf(h.On))
	fail(err)
	if v, has := rawjson.Get(h.With, "raw"); has && rawjson.Kind(v) != 'n' {
		if rawjson.Kind(v) != 'b' {
			fail(errors.New("raw must be true or false"))
		}
		j.raw = v[0] == 't'
	}
	return j, errors.Join(errs...)
}

// checkModelRef returns an error unless ref has the form provider/model and contains no variable.
func checkModelRef(ref string) error {
	if ref == "" {
		return errors.New("the hook has no model: write model: provider/model, such as openai/gpt-4o-mini")
	}
	if provider, name, ok := strings.Cut(ref, "/"); !ok || provider == "" || name == "" {
		return fmt.Errorf("model %q: write provider/model, such as openai/gpt-4o-mini", ref)
	}
	if strings.Contains(ref, "$") {
		return fmt.Errorf("model %q contains a variable, which a project could set: write the name itself", ref)
	}
	return nil
}

// judgeKey is the context key that marks calls made by a judge.
type judgeKey struct{}

// Handle asks the judge about ev, unless there is a stored verdict for exactly this question.
func (j *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if ctx.Value(judgeKey{}) != nil {
		return checkrein.Answer{}, errors.New("a judge cannot judge its own calls")
	}
	seen, err := j.newView(ev)
	if err != nil {
		return checkrein.Answer{}, err
	}
	pieces, key := seen.pieces, j.cacheKey(ctx, &ev, seen)
	if v, ok := j.opts.Cache.get(key); ok && (v.Decision != checkrein.Allow || meansSameLater(&ev)) {
		return j.toAnswer(v, &checkrein.Usage{Model: j.model, Again: true}, ""), nil
	}
	nonce, err := newNonce(pieces)
	if err != nil {
		return checkrein.Answer{}, err
	}
	q := Question{Model: j.model, Dir: j.dir, System: j.systemPrompt(nonce), Prompt: joinFenced(pieces, nonce)}
	if j.schema != nil {
		q.Schema = &j.schema.Schema
	}
	reply, err := j.opts.Ask(context.WithValue(ctx, judgeKey{}, true), q)
	spent := &checkrein.Usage{Model: j.model, Cost: reply.Cost}
	if u := reply.Usage; u != nil {
		spent.Input, spent.Output, spent.CachedInput, spent.CachedWrite, spent.Reasoning = u.Input, u.Output, u.CachedInput, u.CachedWrite, u.Reasoning
	}
	fault := func(err error) (checkrein.Answer, error) {
		return checkrein.Answer{Raw: []byte(redactAndClean(reply.Text)), Usage: spent}, &faultError{j.model, err}
	}
	switch {
	case err != nil:
		return fault(err)
	case len(reply.Text) > maxReply:
		reply.Text = reply.Text[:maxReply]
		return fault(fmt.Errorf("its reply is longer than %d bytes", maxReply))
	case j.schema == nil:
		text := strings.TrimSpace(redactAndClean(reply.Text))
		ans := checkrein.Answer{Raw: []byte(text), Usage: spent}
		if text != "" {
			ans.Context = []string{text}
		}
		return ans, nil
	}
	v, err := j.schema.parseReply(reply.Text, nonce, pieces)
	if err != nil {
		return fault(err)
	}
	if v.Decision == checkrein.Allow && !j.schema.guards && seen.missed != "" {
		v = verdict{checkrein.Ask, "the judge allows this, but did not see all of it: " + seen.missed}
	}
	if v.Decision != checkrein.Allow || meansSameLater(&ev) {
		j.opts.Cache.put(key, v)
	}
	return j.toAnswer(v, spent, redactAndClean(reply.Text)), nil
}

// A faultError is the error of a judge, worded so that it is safe to show.
type faultError struct {
	model string
	err   error
}

func (e *faultError) Error() string { return "judge " + e.model + ": " + cleanLine(e.err.Error()) }
func (e *faultError) Unwrap() error { return e.err }

// systemPrompt returns the system prompt. One that the hook sets does not replace the rules about the
// fence and the reply.
func (j *handler) systemPrompt(nonce string) string {
	system := j.system
	if system == "" {
		system = defaultSystem
	}
	system += "\n\n" + fenceRule(nonce)
	if j.schema != nil {
		system += "\n\n" + j.schema.rule
	}
	return system
}

// toAnswer returns the answer for v. An Allow of a guard becomes no decision.
func (j *handler) toAnswer(v verdict, spent *checkrein.Usage, raw string) checkrein.Answer {
	ans := checkrein.Answer{Usage: spent}
	if raw != "" {
		ans.Raw = []byte(raw)
	}
	if j.schema.guards && v.Decision == checkrein.Allow {
		return ans // a guard without objections does not approve
	}
	ans.Decision, ans.Reason = v.Decision, v.Reason
	ans.Notice = []string{fmt.Sprintf("judge %s (%s): %s: %s", j.hook.Label(), j.model, v.Decision, v.Reason)}
	return ans
}

// cacheKey returns the name under which the verdict on ev is cached, or "" if it is not cached. The
// name depends on everything that may change the verdict, including the directory, because a path may
// mean another file elsewhere.
//
// It also depends on removed and truncated parts, since calls that differ only there are different.
func (j *handler) cacheKey(ctx context.Context, ev *checkrein.Event, seen *view) string {
	if j.schema == nil || j.opts.Policy == nil || seen.whole == nil {
		return ""
	}
	policy := j.opts.Policy(ctx)
	if policy == "" {
		return ""
	}
	parts := []string{policy, j.model, j.schema.Name, j.system, j.prompt.source, fmt.Sprint(j.raw),
		j.hook.Label(), j.hook.From.String(), ev.Host, ev.Kind.String(), ev.Native, ev.Session.Dir, ev.Session.Root, ev.Session.Agent}
	if t := ev.Tool; t != nil {
		parts = append(parts, t.Name, string(t.Input), string(t.Output))
	}
	parts = append(parts, ev.Text)
	for _, pieces := range [][]piece{seen.pieces, seen.whole} {
		parts = append(parts, fmt.Sprint(len(pieces)))
		for _, p := range pieces {
			parts = append(parts, fmt.Sprint(p.data), p.text)
		}
	}
	return j.opts.Cache.entryName(parts)
}

// A verdict is a judge's decision.
type verdict struct {
	Decision checkrein.Decision `json:"decision"`
	Reason   string             `json:"reason"`
}
