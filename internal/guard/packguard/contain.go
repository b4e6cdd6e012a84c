package packguard

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// Details of the obligation to contain a command.
const (
	withNetwork    = "network"
	withoutNetwork = ""
)

// contain returns v, the verdict of the guards on a call, with the obligation to contain the command if
// something in it is not understood. Then the guards do not ask because of that.
func contain(ctx context.Context, call *builtin.Call, all []study.PartReport, v checkrein.Verdict) checkrein.Verdict {
	var gaps shell.Gaps
	for i := range all {
		for k := range all[i].Report.Effects {
			gaps.Add(all[i].Report.Effects[k].Gap())
		}
	}
	if call.Machine.Contains == nil || gaps.IsEmpty() || v.Decision == checkrein.Deny || v.Decision == checkrein.Ask && !v.Unsure {
		return v
	}
	can, err := call.Machine.Contains(ctx, &call.Event)
	switch {
	case err != nil:
		why := strings.ReplaceAll(err.Error(), "\n", ": ")
		if v.Decision == checkrein.Ask {
			v.Reason += "; " + why
			return v
		}
		v.Decision, v.Reason, v.Unsure = checkrein.Ask, why+": "+all[0].Command, true
		return v
	case !can:
		return v
	}
	o := checkrein.Obligation{Kind: "contain", ID: "walls", Detail: withNetwork}
	if gaps.Worst() >= shell.GapUnread {
		o.Detail = withoutNetwork
	}
	if v.Decision == checkrein.Ask {
		v = checkrein.Verdict{Obligations: v.Obligations}
	}
	v.Obligations = append(slices.Clone(v.Obligations), o)
	return v
}
