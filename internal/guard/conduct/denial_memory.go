package conduct

import (
	"context"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
)

// DenialMemory is the name of the builtin that denies repeating a denied action in another way.
const DenialMemory = "denial_memory"

// A denialCounter returns how many times a call with the given key or touches was denied in this turn of
// the session, and the first reason.
type denialCounter = func(ev *checkrein.Event, key string, does []study.Touch) (n int, why string)

// NewDenialMemory returns the builtin DenialMemory. The function denied may be nil.
func NewDenialMemory(denied denialCounter, args []string) (builtin.Func, error) {
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return denyRepeats(&call, denied)
	}, builtin.NoArgs(args)
}

// denyRepeats denies a call that does what was already denied in this turn, in another form or to
// something that contains the same object or is part of it. The second denial asks the model to stop;
// further ones end the turn.
func denyRepeats(call *builtin.Call, denied denialCounter) (checkrein.Verdict, error) {
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
		return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny,
			Reason: "This was denied before" + why + ", and another way to do the same is denied too. Do not look for a third: say what you wanted to do and why, and ask the user."},
			DenialMemory+"/again", "already denied in this turn"), nil
	default:
		return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Halt: true,
			Reason: fmt.Sprintf("This was denied %d times%s. The turn ends here; the user decides how to continue.", n, why)},
			DenialMemory+"/again", fmt.Sprintf("denied %d times in this turn", n)), nil
	}
}
