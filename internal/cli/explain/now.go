package explain

import (
	"context"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// present is what is so now, beside what a record says: by it a decision can be
// changed.
type present struct {
	own    bool          // the ledger is the person's own, so that the rest is known
	block  *grant.Block  // what the record's handle names, nil = it is too old
	grants []grant.Grant // that count, and spent ones of the last day
	acts   []personAct   // what people did, the oldest first

	paused *grant.Pause // nil = the guard is not paused
	shadow string       // until when files say so, "" = they do not
	hushed string       // the file that says so

	ran uint64 // the record that shows that the call ran after it was asked about, 0 = none does
}

// look finds out what the story of a record needs.
func look(ctx context.Context, env *console.Env, at records.LedgerFlag, r *record.Record) (*present, error) {
	now := &present{own: at.Own(env)}
	dir, err := at.Dir(env)
	if err != nil {
		return nil, err
	}
	if r.Handle != "" || r.Shadow || len(records.LiftedSteps(r)) > 0 {
		if now.acts, err = personActs(ctx, env, dir); err != nil {
			return nil, base.Failed(err)
		}
	}
	if r.Decision == checkrein.Ask.String() && !r.Shadow {
		now.ran = ranAfter(ctx, env, dir, r)
	}
	if !now.own {
		return now, nil
	}
	opts := app.Options{ReadOnly: true}
	if r.Root != "" {
		opts.Dir = r.Root
	} else if r.Dir != "" {
		opts.Dir = r.Dir
	}
	if info, err := os.Stat(opts.Dir); err != nil || !info.IsDir() {
		opts.Dir = ""
	}
	k, err := base.OpenKit(env, opts)
	if err != nil {
		return nil, err
	}
	store := k.Grants()
	if r.Handle != "" {
		now.block, _ = store.Block(r.Handle) // one that cannot be read helps as little as none
	}
	now.grants, _ = store.List()
	now.paused, _ = store.CurrentPause() // as above
	if now.paused == nil {
		now.shadow = k.Guards().Shadow
	}
	now.hushed = hushed(k)
	return now, nil
}

// ranAfter is the record of a later event which shows that a call ran: hosts do not
// tell how the person answered. 0 = none does.
func ranAfter(ctx context.Context, env *console.Env, dir string, r *record.Record) (seq uint64) {
	if r.Tool == nil || r.Tool.CallID == "" || r.Session == "" {
		return 0
	}
	ix, err := records.OpenIndex(ctx, env, dir)
	if err != nil {
		return 0
	}
	defer ix.Close()
	after := index.Filter{Kind: ledger.KindEvent, Since: r.Time, Host: []string{r.Host}, Session: []string{r.Session}, Oldest: true,
		Event: []string{checkrein.PostToolUse.String(), checkrein.ToolResponseTransform.String()}}
	_, _ = records.Hits(ctx, ix, dir, after, func(raw []byte) { // without it nothing is claimed
		later, err := record.Decode(raw)
		if err == nil && seq == 0 && later.Seq > r.Seq && !later.Foreign && later.Tool != nil && later.Tool.CallID == r.Tool.CallID {
			seq = later.Seq
		}
	})
	return seq
}

var shadowKey = regexp.MustCompile(`(?m)^shadow:`)

// hushed is the file that says shadow:, "" = none does.
func hushed(k *app.Kit) string {
	for _, f := range k.Files() {
		if text, err := os.ReadFile(f.Path); err == nil && f.Dialect == "native" && f.Scope != checkrein.ScopeProject && shadowKey.Match(text) {
			return f.Path
		}
	}
	return ""
}

// alive reports whether the record's handle still lets a person allow the call.
func (p *present) alive() bool { return p.block != nil && p.block.IsLiftable() }

// given is a grant that answers the record's handle and still counts.
func (p *present) given(handle string) *grant.Grant {
	i := slices.IndexFunc(p.grants, func(g grant.Grant) bool { return handle != "" && g.Handle == handle && !g.IsSpent() })
	if i < 0 {
		return nil
	}
	return &p.grants[i]
}

// pausedAt reports whether a person had paused the guard at a time.
func (p *present) pausedAt(t time.Time) bool {
	on := false
	for i := range p.acts {
		a := &p.acts[i]
		if a.time.After(t) {
			break
		}
		switch a.Act {
		case "pause":
			on = t.Before(a.Until)
		case "resume":
			on = false
		}
	}
	return on
}
