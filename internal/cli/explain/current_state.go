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

// A currentState is what holds now beyond what a record has. It determines how a decision can be
// changed.
type currentState struct {
	own    bool          // the ledger is the user's own; otherwise, the fields below are unknown
	block  *grant.Block  // the block of the record's handle; nil = it has expired
	grants []grant.Grant // the grants in force, and those used up in the last day
	acts   []personAct   // the recorded acts of people, oldest first

	paused     *grant.Pause // nil = not paused
	shadow     string       // until when files set shadow mode; "" = they do not
	shadowFile string       // the file that sets shadow mode

	ran uint64 // the number of the record which shows that the call ran after the user was asked; 0 = none
}

// loadCurrentState reads the current state that explaining r needs.
func loadCurrentState(ctx context.Context, env *console.Env, at records.LedgerFlag, r *record.Record) (*currentState, error) {
	now := &currentState{own: at.IsOwn(env)}
	dir, err := at.Dir(env)
	if err != nil {
		return nil, err
	}
	if r.Handle != "" || r.Shadow || len(records.LiftedSteps(r)) > 0 {
		if now.acts, err = readActs(ctx, env, dir); err != nil {
			return nil, base.AsFailure(err)
		}
	}
	if r.Decision == checkrein.Ask.String() && !r.Shadow {
		now.ran = findRun(ctx, env, dir, r)
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
		now.block, _ = store.Block(r.Handle) // an unreadable block counts as none
	}
	now.grants, _ = store.List()
	now.paused, _ = store.CurrentPause() // an unreadable pause counts as none
	if now.paused == nil {
		now.shadow = k.Guards().Shadow
	}
	now.shadowFile = findShadowFile(k)
	return now, nil
}

// findRun returns the number of a later record which shows that the call in r ran, or 0 if there is
// none. It is needed because hosts do not report the user's answer.
func findRun(ctx context.Context, env *console.Env, dir string, r *record.Record) (seq uint64) {
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
	_, _ = records.EachHit(ctx, ix, dir, after, func(raw []byte) { // on failure, it is unknown whether the call ran
		later, err := record.Decode(raw)
		if err == nil && seq == 0 && later.Seq > r.Seq && !later.Foreign && later.Tool != nil && later.Tool.CallID == r.Tool.CallID {
			seq = later.Seq
		}
	})
	return seq
}

// shadowKey matches a shadow setting in a file.
var shadowKey = regexp.MustCompile(`(?m)^shadow:`)

// findShadowFile returns the user's or the administrator's file that has a shadow: setting, or "" if
// there is none.
func findShadowFile(k *app.Kit) string {
	for _, f := range k.Files() {
		if text, err := os.ReadFile(f.Path); err == nil && f.Dialect == "native" && f.Scope != checkrein.ScopeProject && shadowKey.Match(text) {
			return f.Path
		}
	}
	return ""
}

// canAllow reports whether the user can still allow the call by the record's handle.
func (p *currentState) canAllow() bool { return p.block != nil && p.block.IsLiftable() }

// grantFor returns the grant in force for handle, or nil if there is none.
func (p *currentState) grantFor(handle string) *grant.Grant {
	i := slices.IndexFunc(p.grants, func(g grant.Grant) bool { return handle != "" && g.Handle == handle && !g.IsSpent() })
	if i < 0 {
		return nil
	}
	return &p.grants[i]
}

// pausedAt reports whether the guard was paused at the time t, according to the recorded acts.
func (p *currentState) pausedAt(t time.Time) bool {
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
