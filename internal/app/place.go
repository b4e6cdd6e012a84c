package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/host"
)

// A turn is one row of a call on its way through the kit. Place sets where it happens,
// judge what it came to; the later stages go by both.
type turn struct {
	event   checkrein.Event // with its session filled in
	session string          // names the session in what is kept of it
	told    string          // names it in what the person was told; "" = it has no name
	real    bool            // somebody acts on the outcome
	view    *view           // the hooks that count
	shadow  shadow
	pick    func(*checkrein.Hook) bool // which of the hooks are asked; nil = all

	out    engine.Outcome
	effect string // see [Kit.effectOf]
}

// place finds out where an event happens, once for all that follows: which session it
// belongs to, by which hooks it is judged, and what ends with it.
func (k *Kit) place(t *turn, ev checkrein.Event, before []engine.Outcome, real bool) {
	ev = withOutput(k.located(ev), before)
	t.event, t.real = ev, real
	t.session = k.lastSession.key(ev.Host, ev.Session.ID)
	if ev.Session.ID != "" {
		t.told = t.session
	}
	t.view = k.view()
	if k.standing.self && ev.Session.ID != "" {
		k.claimSession(rootKey(ev.Host, ev.Session.ID))
	}
	if !k.standing.foreign {
		if ev.Kind == checkrein.SessionStart {
			k.shrink()
		}
		if real && ev.Kind == checkrein.SessionEnd {
			k.endOwnership(rootKey(ev.Host, ev.Session.ID))
		}
		if real {
			k.endGrants(&t.event)
		}
	}
	t.shadow = k.shadowed()
}

// located fills in where the session works and where it began, and which one it is.
func (k *Kit) located(ev checkrein.Event) checkrein.Event {
	if ev.Session.ID == "" {
		ev.Session.ID = k.sessionOfProcess()
	}
	if ev.Session.Root == "" {
		ev.Session.Root = k.root
	}
	if ev.Session.Dir == "" {
		ev.Session.Dir = k.dir
	}
	return ev
}

// withOutput returns the event of a row with the tool's output as the row before it left it.
func withOutput(ev checkrein.Event, before []engine.Outcome) checkrein.Event {
	if n := len(before); n > 0 && ev.Tool != nil && before[n-1].Verdict.Output != nil {
		tool := *ev.Tool
		tool.Output = before[n-1].Verdict.Output
		ev.Tool = &tool
	}
	return ev
}

// ground is what is known of where a call runs.
func (k *Kit) ground(ev *checkrein.Event) study.Ground {
	return study.Ground{Dir: ev.Session.Dir, Home: k.home, DirArgs: host.DirArgs, Environ: k.environ}
}

// isLast reports whether no further row of the call is decided: the host honours the
// denial of this one.
func (t *turn) isLast() bool {
	return t.out.Verdict.Decision == checkrein.Deny && host.Honours(&t.event)&(checkrein.CanDeny|checkrein.CanRedo) != 0
}
