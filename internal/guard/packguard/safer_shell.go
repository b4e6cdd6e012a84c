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

// policies lists the values of the first argument of safer_shell, the most permissive first.
var policies = [...]string{"unsafe", "safer", "safe-auto", "strict", ""}

// NewSaferShell returns the builtin that asks before shell commands, except those that are known to
// only read. An argument, which later versions of docker-agent accept, changes what it asks about:
// nothing (unsafe), only destructive commands (safer), everything but reads, which it allows
// (safe-auto), or everything (strict).
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

// saferShell returns the verdict of the builtin for a call under the given policy.
func saferShell(call *builtin.Call, policy string) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) || policy == "unsafe" {
		return checkrein.Verdict{}
	}
	all, ok := study.JudgeAll(&call.Event, study.NewCallEnv(call), nil)
	if !ok {
		return checkrein.Verdict{}
	}
	a := worstQuestion(all)
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
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Ask, Reason: a.reason, Metadata: builtin.Metadata(a.radius, a.category, ""), Because: a.causes(all)},
		"safer_shell/"+cmp.Or(a.rule, a.category, a.label.String()), a.reason)
}

// A question is what the builtin asks the user about a call.
type question struct {
	label                          shell.Label
	reads                          bool // it only reads
	radius, category, rule, reason string
}

// causes returns the effects that the question is about: the worst ones or, if all are safe, those
// that do more than read.
func (a *question) causes(all []study.PartReport) (out []checkrein.Cause) {
	for i := range all {
		for k := range all[i].Report.Effects {
			if e := &all[i].Report.Effects[k]; e.Label == a.label && (a.label != shell.Safe || !e.IsReadOnly()) {
				out = builtin.AddCause(out, e)
			}
		}
	}
	return out
}

// worstQuestion returns the question about a call, considering all places where it may run: about its
// worst effect or, if all are safe, about one that does more than read.
func worstQuestion(all []study.PartReport) question {
	out := question{rule: "empty", reason: "the command is empty"}
	for i := range all {
		r := &all[i].Report
		if all[i].Command == "" {
			return question{label: max(out.label, r.Label), rule: "empty", reason: "the command is empty"}
		}
		next := question{label: r.Label, reads: r.OnlyReads(), radius: r.Impact.String(), category: r.Category, reason: r.Reason}
		if e := r.FirstAction(); e != nil && r.Label == shell.Safe {
			next = question{label: r.Label, radius: e.Impact.String(), category: e.Row().Name, reason: e.Reason}
			if e.Foreign || e.Wrapped {
				next.reason += ", on another machine, with other permissions or through another program"
			}
		}
		if i == 0 || next.label > out.label || next.label == out.label && out.reads && !next.reads {
			out = next
		}
	}
	return out
}
