package builtin

import (
	"cmp"
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// policies are the first argument of safer_shell, from the most trusting one.
var policies = [...]string{"unsafe", "safer", "safe-auto", "strict", ""}

// newSaferShell asks before shell commands that lose something or that nobody
// knows, and lets known reads pass. The argument, which later editions of that
// system have, changes what is asked: nothing (unsafe), only what is destructive
// (safer), all but what is safe, which is allowed (safe-auto), or everything
// (strict).
func newSaferShell(args []string) (Func, error) {
	policy := ""
	if len(args) > 0 {
		policy = args[0]
	}
	for _, p := range policies {
		if p == policy && len(args) < 2 {
			return func(_ context.Context, call Call) (checkrein.Verdict, error) { return saferShell(&call, policy), nil }, nil
		}
	}
	return nil, fmt.Errorf("it takes one of unsafe, safer, safe-auto and strict, not %q", args)
}

func saferShell(call *Call, policy string) checkrein.Verdict {
	if call.Event.Kind != checkrein.PreToolUse || policy == "unsafe" {
		return checkrein.Verdict{}
	}
	j, ok := judge(&call.Event, call.ground())
	if !ok {
		return checkrein.Verdict{}
	}
	r := &j.report
	ask := by(checkrein.Verdict{Decision: checkrein.Ask, Reason: r.Reason, Metadata: metadata(r.Radius.String(), r.Category, "")}, "safer_shell/"+cmp.Or(r.Category, r.Label.String()), r.Reason)
	switch {
	case j.command == "":
		ask.Reason = "the command is empty"
		ask.Metadata = metadata("unknown", "", "")
		ask = by(ask, "safer_shell/empty", ask.Reason)
	case r.Label >= shell.Destructive:
		return ask
	case r.Label == shell.Unknown:
		ask.Metadata["blast_radius"] = "unknown"
	case policy == "safe-auto":
		return checkrein.Verdict{Decision: checkrein.Allow, Reason: r.Reason, Metadata: metadata(r.Radius.String(), r.Category, r.Reason)}
	case policy == "strict":
		ask.Metadata["blast_radius"] = "safe"
	default:
		return checkrein.Verdict{}
	}
	if policy == "safer" {
		return checkrein.Verdict{}
	}
	return ask
}
