package packguard

import (
	"cmp"
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// policies are the first argument of safer_shell, from the most trusting one.
var policies = [...]string{"unsafe", "safer", "safe-auto", "strict", ""}

// NewSaferShell asks before shell commands, and lets pass those that are known to
// read and do nothing else. The argument, which later editions of that system have,
// changes what is asked: nothing (unsafe), only what is destructive (safer), all but
// reads, which are allowed (safe-auto), or everything (strict).
func NewSaferShell(args []string) (builtin.Func, error) {
	policy := ""
	if len(args) > 0 {
		policy = args[0]
	}
	for _, p := range policies {
		if p == policy && len(args) < 2 {
			return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
				return saferShell(&call, policy), nil
			}, nil
		}
	}
	return nil, fmt.Errorf("%q is unknown: must be one of unsafe, safer, safe-auto, strict", args)
}

func saferShell(call *builtin.Call, policy string) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) || policy == "unsafe" {
		return checkrein.Verdict{}
	}
	all, ok := study.JudgeAll(&call.Event, study.NewCallEnv(call), nil)
	if !ok {
		return checkrein.Verdict{}
	}
	a := sternest(all)
	switch {
	case a.label >= shell.Destructive:
	case policy == "safer":
		return checkrein.Verdict{}
	case !a.reads:
		a.radius = "unknown"
	case policy == "strict":
		a.radius = "safe"
	case policy == "safe-auto":
		return checkrein.Verdict{Decision: checkrein.Allow, Reason: a.reason, Metadata: builtin.Metadata(a.radius, a.category, a.reason)}
	default:
		return checkrein.Verdict{}
	}
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Ask, Reason: a.reason, Metadata: builtin.Metadata(a.radius, a.category, ""), Because: a.because(all)},
		"safer_shell/"+cmp.Or(a.rule, a.category, a.label.String()), a.reason)
}

// An asking is what a person is asked about a call.
type asking struct {
	label                          shell.Label
	reads                          bool // it only reads
	radius, category, rule, reason string
}

// because are the effects that are asked about: the worst, else what does more than read.
func (a *asking) because(all []study.PartReport) (out []checkrein.Cause) {
	for i := range all {
		for k := range all[i].Report.Effects {
			if e := &all[i].Report.Effects[k]; e.Label == a.label && (a.label != shell.Safe || !e.IsReadOnly()) {
				out = builtin.AddCause(out, e)
			}
		}
	}
	return out
}

// sternest returns what is to be asked about a call by all that it does, in every place
// where it may run: the worst that it does, else what it does beside reading.
func sternest(all []study.PartReport) asking {
	out := asking{rule: "empty", reason: "the command is empty"}
	for i := range all {
		r := &all[i].Report
		if all[i].Command == "" {
			return asking{label: max(out.label, r.Label), rule: "empty", reason: "the command is empty"}
		}
		next := asking{label: r.Label, reads: r.OnlyReads(), radius: r.Impact.String(), category: r.Category, reason: r.Reason}
		if e := r.FirstAction(); e != nil && r.Label == shell.Safe {
			next = asking{label: r.Label, radius: e.Impact.String(), category: e.Row().Name, reason: e.Reason}
			if e.Foreign {
				next.reason += ", on another machine, with other permissions or through another program"
			}
		}
		if i == 0 || next.label > out.label || next.label == out.label && out.reads && !next.reads {
			out = next
		}
	}
	return out
}
