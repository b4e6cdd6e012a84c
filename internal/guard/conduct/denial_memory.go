package conduct

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
)

// DenialMemory is the name of the builtin whose denials someone must remember.
const DenialMemory = "denial_memory"

// denials returns how often a thing, by its key or by what it does, was denied in this
// turn of the session, and why at first.
type denials = func(ev *checkrein.Event, key string, does []study.Touch) (n int, why string)

func NewDenialMemory(denied denials, args []string) (builtin.Func, error) {
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return denialMemory(&call, denied)
	}, builtin.NoArgs(args)
}

// denialMemory denies what was denied in this turn already, in whatever words it
// comes, and to whatever holds the same or lies in it: first with a plainer word, then it ends the turn.
func denialMemory(call *builtin.Call, denied denials) (checkrein.Verdict, error) {
	ev := &call.Event
	if ev.Kind != checkrein.PreToolUse || denied == nil || ev.Session.ID == "" {
		return checkrein.Verdict{}, nil
	}
	at := study.NewCallEnv(call)
	key := study.EffectKey(ev, at)
	if key == "" {
		return checkrein.Verdict{}, nil
	}
	n, why := denied(ev, key, study.Touches(ev, at))
	if why != "" {
		why = " (" + why + ")"
	}
	switch {
	case n == 0:
		return checkrein.Verdict{}, nil
	case n == 1:
		return builtin.Sign(checkrein.Verdict{Decision: checkrein.Deny,
			Reason: "This was denied before" + why + ", and another way to do the same is denied too. Do not look for a third: say what you wanted to do and why, and ask the user."},
			DenialMemory+"/again", "already denied in this turn"), nil
	default:
		return builtin.Sign(checkrein.Verdict{Decision: checkrein.Deny, Halt: true,
			Reason: fmt.Sprintf("This was denied %d times%s. The turn ends here; the user decides how to continue.", n, why)},
			DenialMemory+"/again", fmt.Sprintf("denied %d times in this turn", n)), nil
	}
}
