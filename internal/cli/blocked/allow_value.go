package blocked

import (
	"context"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/explain"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// redactedBlock returns the newest redaction of the value with a marker's id as a block that a
// grant can lift; nil = no record has one. The ledger's lines are sealed, so the block needs
// no seal of its own.
func redactedBlock(ctx context.Context, env *console.Env, id string) (*grant.Block, error) {
	if !placeholder.IsID(id) {
		return nil, nil
	}
	dir, err := records.LedgerFlag("").Dir(env)
	if err != nil {
		return nil, err
	}
	list, _, _, err := records.Newest(ctx, dir, &records.Selection{Marker: id}, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	r, err := record.Decode(list[0])
	if err != nil {
		return nil, err
	}
	s := records.RedactedIn(r, id)
	v := s.Value(id)
	b := &grant.Block{Handle: id, At: grant.Moment{Wall: r.Time}, Event: r.Event, Host: r.Host, Session: r.Session,
		Root: r.Root, Dir: r.Dir, Shown: "the value of " + placeholder.Of(id) + ": " + explain.RedactionText(v),
		Binding: grant.Binding{Value: id}}
	if r.Tool != nil {
		b.Tool = r.Tool.Name
	}
	d := grant.Decider{Hook: s.Hook, Type: s.Type, Scope: s.Scope,
		File: explain.StepFile(s), Rule: v.Rule, Reason: "redacted as a secret"}
	if s.Scope == checkrein.ScopeManaged.String() {
		d.Final = explain.AskAdministrator
	}
	b.By = []grant.Decider{d}
	return b, nil
}

// liftText returns what a grant does.
func liftText(g *grant.Grant) string {
	if g.Value != "" {
		return "leaves this one value unredacted, and lets it be written to files that git tracks"
	}
	return "lifts " + strings.Join(names(g.Lifts), ", ")
}
