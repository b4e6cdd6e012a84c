package guard

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
)

// DenialMemory is the name of the builtin whose denials someone must remember.
const DenialMemory = "denial_memory"

func newDenialMemory(args []string) (Func, error) { return denialMemory, noArgs(args) }

// denialMemory denies what was denied in this turn already, in whatever words it
// comes, and to whatever holds the same or lies in it: first with a plainer word, then it ends the turn.
func denialMemory(_ context.Context, call Call) (checkrein.Verdict, error) {
	ev := &call.Event
	if ev.Kind != checkrein.PreToolUse || call.Env.Denials == nil || ev.Session.ID == "" {
		return checkrein.Verdict{}, nil
	}
	at := call.ground()
	key := EffectKey(ev, at)
	if key == "" {
		return checkrein.Verdict{}, nil
	}
	n, why := call.Env.Denials(ev, key, Touches(ev, at))
	if why != "" {
		why = " (" + why + ")"
	}
	switch {
	case n == 0:
		return checkrein.Verdict{}, nil
	case n == 1:
		return by(checkrein.Verdict{Decision: checkrein.Deny,
			Reason: "This was denied before" + why + ", and another way to do the same is denied too. Do not look for a third: say what you wanted to do and why, and ask the user."},
			DenialMemory+"/again", "already denied in this turn"), nil
	default:
		return by(checkrein.Verdict{Decision: checkrein.Deny, Halt: true,
			Reason: fmt.Sprintf("This was denied %d times%s. The turn ends here; the user decides how to continue.", n, why)},
			DenialMemory+"/again", fmt.Sprintf("denied %d times in this turn", n)), nil
	}
}
