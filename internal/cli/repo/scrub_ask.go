package repo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/scrub"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
)

// An asker asks the hooks on the event scrub about each text.
type asker struct {
	env    *console.Env
	kit    *kit.Kit
	hooked bool // there are any
	record bool // what they say is put on record
	policy *policy.Policy
}

// takenJSON is what is taken out, for hooks.
func takenJSON(list []policy.Finding) []byte {
	o := rawjson.Object{'{'}
	o.List("list", len(list), func(o *rawjson.Object, i int) {
		*o = append(*o, '{')
		o.Int("line", list[i].Line)
		o.Int("column", list[i].Column)
		o.Text("rule", list[i].Rule)
		o.Text("kind", list[i].Kind)
		o.Text("severity", list[i].Severity.String())
		o.Close()
	})
	o.Close()
	if val, ok := rawjson.Get(o, "list"); ok {
		return val
	}
	return []byte("[]")
}

func newAsker(env *console.Env, p *policy.Policy, record bool) (*asker, error) {
	k, err := kit.Open(kit.Options{Dir: env.Dir, Environ: env.Environ, Managed: env.Managed, Now: env.Now, Companion: env.Program})
	if err != nil {
		return nil, &base.Exit{Code: console.Finding, Err: err}
	}
	a := &asker{env: env, kit: k, record: record, policy: p}
	for _, h := range k.Hooks() {
		a.hooked = a.hooked || h.On == checkrein.Scrub
	}
	return a, nil
}

// ask fires the event. A text that nothing is taken out of and nobody asks about
// is none.
func (a *asker) ask(ctx context.Context, r *scrub.Result) ([]byte, error) {
	text := r.Text()
	if !a.hooked && (r.Masked+r.Replaced == 0 || !a.record) {
		return text, nil
	}
	ev := checkrein.Event{Kind: checkrein.Scrub, Text: string(text), Session: checkrein.Session{Dir: a.env.Dir},
		Details: []checkrein.Detail{{Name: "path", Value: rawjson.Quote(r.Path)}, {Name: "findings", Value: takenJSON(r.Found(a.policy))}}}
	var out engine.Outcome
	if a.record {
		out = a.kit.Serve(ctx, ev)
	} else {
		out = a.kit.Decide(ctx, ev)
	}
	for _, n := range out.Verdict.Notice {
		fmt.Fprintln(a.env.Stderr, "checkrein:", visible.Line(n))
	}
	if out.Verdict.Decision == checkrein.Deny {
		return nil, fmt.Errorf("a hook blocked the scrub: %w", errors.New(out.Verdict.Reason))
	}
	if out.Verdict.Output == nil {
		return text, nil
	}
	var said string
	if err := json.Unmarshal(out.Verdict.Output, &said); err != nil {
		return nil, fmt.Errorf("a hook's output is not a valid string: %w", err)
	}
	return []byte(said), nil
}
