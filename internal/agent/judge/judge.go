// Package judge is the handler that asks a model: a template makes the question
// out of the event, and what the model replies is the decision, or context. Hooks
// call it type model.
//
// What an event says is written by an agent, by its tools and by strangers, and a
// judge that obeys it is none. So every value that a template inserts is fenced
// off as data, secrets are taken out before anything is sent, and of the reply
// counts only one object that is the judge's own. Whatever goes wrong is a fault,
// which keeps gates closed.
//
//	judge.go    the handler: settings, and the way from an event to an answer
//	input.go    what templates see of an event
//	view.go     what a judge sees of an event, and what it misses
//	prompt.go   templates: compiled, checked, rendered
//	fence.go    what is text and what is data
//	disarm.go   what looks like a fence in data
//	read.go     what a judge said
//	cache.go    what a judge said before
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

// Options are what the handler needs of the outside.
type Options struct {
	Ask Ask // how models are asked
	// Dialect finds the words in which a hook is spoken to.
	Dialect func(name string) (*hookfile.Dialect, bool)
	// Policy is the digest of what is in force, "" = nobody knows; then no verdict
	// is used again. nil = nobody knows.
	Policy func(context.Context) string
	Cache  Cache // the zero Cache remembers nothing
}

// Ask puts a question to a model. It is safe for concurrent use.
type Ask func(context.Context, Question) (Reply, error)

// A Question is what a model is asked, once.
type Question struct {
	Model  string // provider/model
	Dir    string // where the file is that names it, for scripted models
	System string
	Prompt string
	Schema *model.Schema // of the reply; nil = free text
}

// A Reply is what the model said and took.
type Reply struct {
	Text  string
	Usage *model.Usage // nil = the provider reported none
	Cost  *float64     // in USD; nil = no price is known
}

// The bounds of what goes to and fro.
const (
	maxPrompt = 256 << 10
	maxReply  = 64 << 10
	maxReason = 2000
)

// Type returns the handler table's row. A hook's settings are {"model":
// "provider/model", "prompt": "…", "schema": "…", "system_prompt": "…", "raw":
// true}; the first two are needed.
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name: "model",
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			j, err := newHandler(opts, h)
			if err != nil {
				return nil, err // not a *handler that is nil
			}
			return j, nil
		},
		Traits: func(*checkrein.Hook) checkrein.Traits { return Traits() },
	}
}

// Traits are those of every model hook, wherever it runs: it sees the subject as it
// will be, changes nothing, and its faults keep a gate closed.
func Traits() checkrein.Traits { return checkrein.Traits{Judges: true, Closed: true} }

type handler struct {
	opts    Options
	hook    checkrein.Hook
	dialect *hookfile.Dialect
	model   string
	dir     string
	prompt  *prompt
	system  string // "" = the usual
	schema  *schema
	raw     bool
}

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
	fail(checkModel(j.model))
	var err error
	j.prompt, err = compile(text("prompt"))
	fail(err)
	j.schema, err = schemaNamed(text("schema"), checkrein.ContractOf(h.On))
	fail(err)
	if v, has := rawjson.Get(h.With, "raw"); has && rawjson.Kind(v) != 'n' {
		if rawjson.Kind(v) != 'b' {
			fail(errors.New("raw must be true or false"))
		}
		j.raw = v[0] == 't'
	}
	return j, errors.Join(errs...)
}

func checkModel(ref string) error {
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

// judging marks the context of a judge's own call.
type judging struct{}

// Handle asks the judge, unless it has judged the very same before.
func (j *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if ctx.Value(judging{}) != nil {
		return checkrein.Answer{}, errors.New("a judge is not asked about its own calls")
	}
	seen, err := j.look(ev)
	if err != nil {
		return checkrein.Answer{}, err
	}
	pieces, key := seen.pieces, j.key(ctx, &ev, seen)
	if v, ok := j.opts.Cache.get(key); ok && (v.Decision != checkrein.Allow || lasting(&ev)) {
		return j.answer(v, &checkrein.Spent{Model: j.model, Again: true}, ""), nil
	}
	nonce, err := newNonce(pieces)
	if err != nil {
		return checkrein.Answer{}, err
	}
	q := Question{Model: j.model, Dir: j.dir, System: j.instructions(nonce), Prompt: fenced(pieces, nonce)}
	if j.schema != nil {
		q.Schema = &j.schema.Schema
	}
	reply, err := j.opts.Ask(context.WithValue(ctx, judging{}, true), q)
	spent := &checkrein.Spent{Model: j.model, Cost: reply.Cost}
	if u := reply.Usage; u != nil {
		spent.Input, spent.Output, spent.CachedInput, spent.CachedWrite, spent.Reasoning = u.Input, u.Output, u.CachedInput, u.CachedWrite, u.Reasoning
	}
	fault := func(err error) (checkrein.Answer, error) {
		return checkrein.Answer{Raw: []byte(said(reply.Text)), Spent: spent}, &faultError{j.model, err}
	}
	switch {
	case err != nil:
		return fault(err)
	case len(reply.Text) > maxReply:
		reply.Text = reply.Text[:maxReply]
		return fault(fmt.Errorf("its reply is longer than %d bytes", maxReply))
	case j.schema == nil:
		text := strings.TrimSpace(said(reply.Text))
		ans := checkrein.Answer{Raw: []byte(text), Spent: spent}
		if text != "" {
			ans.Context = []string{text}
		}
		return ans, nil
	}
	v, err := j.schema.read(reply.Text, nonce, pieces)
	if err != nil {
		return fault(err)
	}
	if v.Decision == checkrein.Allow && !j.schema.guards && seen.missed != "" {
		v = verdict{checkrein.Ask, "the judge allows this, but did not see all of it: " + seen.missed}
	}
	if v.Decision != checkrein.Allow || lasting(&ev) {
		j.opts.Cache.put(key, v)
	}
	return j.answer(v, spent, said(reply.Text)), nil
}

// A faultError is what went wrong with a judge, in words that can be shown.
type faultError struct {
	model string
	err   error
}

func (e *faultError) Error() string { return "judge " + e.model + ": " + shown(e.err.Error()) }
func (e *faultError) Unwrap() error { return e.err }

// instructions are the system text. What a hook says in its place does not take
// away what makes data of data.
func (j *handler) instructions(nonce string) string {
	system := j.system
	if system == "" {
		system = usualSystem
	}
	system += "\n\n" + fenceRule(nonce)
	if j.schema != nil {
		system += "\n\n" + j.schema.rule
	}
	return system
}

// answer makes an answer of a verdict.
func (j *handler) answer(v verdict, spent *checkrein.Spent, raw string) checkrein.Answer {
	ans := checkrein.Answer{Spent: spent}
	if raw != "" {
		ans.Raw = []byte(raw)
	}
	if j.schema.guards && v.Decision == checkrein.Allow {
		return ans // it has nothing against it, which approves nothing
	}
	ans.Decision, ans.Reason = v.Decision, v.Reason
	ans.Notice = []string{fmt.Sprintf("judge %s (%s): %s: %s", j.hook.Label(), j.model, v.Decision, v.Reason)}
	return ans
}

// key names the question for the cache, "" = it is not kept: everything that may
// change the verdict, and where it was asked, since a path may mean another file
// elsewhere.
//
// What was taken out or cut counts too: calls that differ only there are others.
func (j *handler) key(ctx context.Context, ev *checkrein.Event, seen *view) string {
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
	return j.opts.Cache.name(parts)
}

// A verdict is what a judge decided.
type verdict struct {
	Decision checkrein.Decision `json:"decision"`
	Reason   string             `json:"reason"`
}
