package blocked

import (
	"context"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/kit"
)

// A blockedCall is one call that was blocked, as records tell of it.
type blockedCall struct {
	first *record.Record
	grant.Case
}

// past is what the ledger tells about blocked calls.
type past struct {
	calls   []*blockedCall
	byCall  map[string]*blockedCall // by what was called, and where
	byID    map[string]*blockedCall // asked, by session and call id
	handles map[string]*blockedCall
	blocked int
}

// readPast reads the records since a time.
func readPast(ctx context.Context, dir string, choose *records.Selection) (*past, error) {
	p := &past{byCall: map[string]*blockedCall{}, byID: map[string]*blockedCall{}, handles: map[string]*blockedCall{}}
	segments, err := ledger.Segments(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		_, err := records.ReadSegment(ctx, dir, s.Number, func(e *ledger.Entry) bool {
			if e.Damaged || e.Line.Time.Before(choose.Since) {
				return true
			}
			switch e.Line.Kind {
			case ledger.KindEvent:
				if r, err := record.Decode(e.Line.Raw); err == nil {
					p.event(r)
				}
			case ledger.KindPerson:
				if c := p.handles[rawjson.GetText(e.Line.Raw, "handle")]; c != nil && rawjson.GetText(e.Line.Raw, "act") == "wrong" {
					c.Wrong++
				}
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *past) event(r *record.Record) {
	if r.Tool == nil {
		return
	}
	id := r.Key + "\x00" + r.Tool.CallID
	switch r.Event {
	case checkrein.PostToolUse.String(), checkrein.PostToolUseFailure.String():
		if c := p.byID[id]; c != nil && r.Tool.CallID != "" {
			c.Yes++
			delete(p.byID, id)
		}
		return
	case checkrein.PreToolUse.String():
	default:
		return
	}
	lifted := false
	var pack, key string
	for i := range r.Plan {
		lifted = lifted || r.Plan[i].Lifted != nil
		if s := &r.Plan[i]; s.Pack != "" {
			pack, key = s.Pack, s.PackKey
		}
	}
	if r.Decision != "deny" && r.Decision != "ask" && !lifted || r.Subject == nil || r.Subject.Input == nil || r.Subject.Input.JSON == nil {
		return
	}
	p.blocked++
	c := p.call(r)
	if pack != "" {
		c.Pack, c.Key = pack, key
	}
	switch {
	case r.Decision == "deny":
		c.Denied++
	case r.Decision == "ask":
		c.Asked++
		p.byID[id] = c
	default:
		c.Lifted++
	}
	if r.Handle != "" {
		p.handles[r.Handle] = c
	}
}

// call finds or adds what was called.
func (p *past) call(r *record.Record) *blockedCall {
	name := strings.Join([]string{r.Host, r.Root, r.Dir, r.Tool.Name, string(r.Subject.Input.JSON)}, "\x00")
	if command := rawjson.GetText(r.Subject.Input.JSON, "command"); command != "" { // whatever the model says of it
		name = strings.Join([]string{r.Host, r.Root, r.Dir, r.Tool.Name, command}, "\x00")
	}
	c := p.byCall[name]
	if c == nil {
		c = &blockedCall{first: r}
		p.byCall[name] = c
		p.calls = append(p.calls, c)
	}
	return c
}

// cases judges the calls again, as they would be now: what passes is settled, and
// what was redacted is not known any more.
func (p *past) cases(ctx context.Context, env *console.Env) ([]*grant.Case, error) {
	kits := map[string]*kit.Kit{}
	var out []*grant.Case
	for _, c := range p.calls {
		r := c.first
		if strings.Contains(string(r.Subject.Input.JSON), secret.Marker) {
			continue
		}
		k := kits[r.Dir]
		if k == nil {
			var err error
			if k, err = base.OpenKit(env, kit.Options{Dir: r.Dir, Peek: true}); err != nil {
				return nil, err
			}
			kits[r.Dir] = k
		}
		ev := checkrein.Event{Kind: checkrein.PreToolUse, Host: r.Host, Native: r.Native, Session: checkrein.Session{Dir: r.Dir, Root: r.Root},
			Tool: &checkrein.Tool{Name: r.Tool.Name, Canonical: r.Tool.Canonical, Input: r.Subject.Input.JSON}}
		if b := k.WouldBlock(ctx, ev); b != nil {
			c.Block = *b
			out = append(out, &c.Case)
		}
	}
	return out, nil
}
