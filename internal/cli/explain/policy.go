package explain

import (
	"context"
	"strings"

	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/cli/console"
	replaycmd "github.com/checkrein/checkrein/internal/cli/replay"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/term"
)

// An underPolicy is what another policy decides about a call.
type underPolicy struct {
	File      string         `json:"file"`
	Was       *replay.Answer `json:"was,omitempty"` // nil if the call cannot be decided again
	Is        *replay.Answer `json:"is,omitempty"`
	Direction string         `json:"direction,omitempty"` // how the answer changes; "" = it does not
	Why       string         `json:"cannot_be_replayed,omitempty"`
}

// decideAgain returns what the policy in file decides about the record raw of the ledger in dir.
func decideAgain(ctx context.Context, env *console.Env, dir, file string, raw []byte) (*underPolicy, error) {
	was, is, why, err := replaycmd.Explain(ctx, env, dir, file, raw)
	if err != nil {
		return nil, err
	}
	p := &underPolicy{File: file, Why: why}
	if why != "" {
		return p, nil
	}
	p.Was, p.Is = &was, &is
	if d := replay.Compare(&was, &is); d != nil {
		p.Direction = d.Name
	}
	return p, nil
}

// print prints what the policy decides beside what was decided.
func (p *underPolicy) print(out *report.Report) {
	out.BeginSection("Under " + p.File)
	switch {
	case p.Why != "":
		out.Point(1, "cannot be replayed: "+p.Why)
		return
	case p.Direction == "":
		out.Point(1, "the same: "+p.Is.Word+byWhom(p.Is))
		return
	}
	out.Item("was", p.Was.Word+byWhom(p.Was))
	out.StyledItem("would be", term.Strong, p.Is.Word+byWhom(p.Is))
	for _, d := range p.Is.By {
		out.Item("because", d.Reason)
	}
}

// byWhom returns the rules and hooks that decided a, after a word.
func byWhom(a *replay.Answer) string {
	var names []string
	for i := range a.By {
		names = append(names, a.By[i].Name())
	}
	if len(names) == 0 {
		return ""
	}
	return ", by " + strings.Join(names, ", ")
}
