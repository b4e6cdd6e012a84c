package app

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/host"
)

// A turn is one event of a call on its way through the kit. [Kit.place] sets where it happens, and
// [Kit.judge] its outcome. Later stages use both.
type turn struct {
	event   checkrein.Event // with its session filled in
	session string          // the key of the session in the stores
	told    string          // the key of the session for notices; "" = the session has no id
	real    bool            // a host acts on the outcome
	view    *view           // the hooks that count
	shadow  shadow
	pick    func(*checkrein.Hook) bool // selects the hooks to run; nil = all

	out    engine.Outcome
	effect string // see [Kit.effectKey]
}

// place sets where ev happens, for all later stages: its session, the hooks that judge it, and whether
// shadow mode is on. It also ends what ends with the event, such as grants.
func (k *Kit) place(t *turn, ev checkrein.Event, before []engine.Outcome, real bool) {
	ev = withOutput(k.withSession(ev), before)
	t.event, t.real = ev, real
	t.session = k.lastSession.key(ev.Host, ev.Session.ID)
	if ev.Session.ID != "" {
		t.told = t.session
	}
	t.view = k.view()
	if k.standing.self && ev.Session.ID != "" {
		k.claimSession(beginningKey(ev.Host, ev.Session.ID))
	}
	if !k.standing.foreign {
		if ev.Kind == checkrein.SessionStart {
			k.forgetRemovedLoosening()
		}
		if real && ev.Kind == checkrein.SessionEnd {
			k.endOwnership(beginningKey(ev.Host, ev.Session.ID))
		}
		if real {
			k.endGrants(&t.event)
		}
	}
	t.shadow = k.currentShadow()
}

// withSession returns ev with the session's id, root and directory filled in.
func (k *Kit) withSession(ev checkrein.Event) checkrein.Event {
	if ev.Session.ID == "" {
		ev.Session.ID = k.processSessionID()
	}
	if ev.Session.Root == "" {
		ev.Session.Root = k.root
	}
	if ev.Session.Dir == "" {
		ev.Session.Dir = k.dir
	}
	return ev
}

// withOutput returns ev with the tool's output as the outcome of the call's previous event left it.
func withOutput(ev checkrein.Event, before []engine.Outcome) checkrein.Event {
	if n := len(before); n > 0 && ev.Tool != nil && before[n-1].Verdict.Output != nil {
		tool := *ev.Tool
		tool.Output = before[n-1].Verdict.Output
		ev.Tool = &tool
	}
	return ev
}

// callEnv returns the directories and the environment in which the call in ev runs.
func (k *Kit) callEnv(ev *checkrein.Event) study.CallEnv {
	return study.CallEnv{Dir: ev.Session.Dir, Home: k.home, DirArgs: host.DirArgs, Environ: k.environ}
}

// isLast reports whether the remaining events of the call need not be decided, because the host
// honours the denial of this one.
func (t *turn) isLast() bool {
	return t.out.Verdict.Decision == checkrein.Deny && host.Honours(&t.event)&(checkrein.CanDeny|checkrein.CanRedo) != 0
}
