package app

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/guard/binding"
	"github.com/checkrein/checkrein/internal/hook/packset"
)

// Grants returns the store of the grants that people gave on this machine.
func (k *Kit) Grants() *grant.Store { return &k.grants }

// openGrants sets up the store of grants, with the kit's clock and key.
func (k *Kit) openGrants() {
	k.grants = grant.Store{Dir: k.state, Now: func() grant.Moment {
		m := grant.Moment{Wall: k.now()}
		m.Boot, m.Mono = ledger.MachineClock()
		return m
	}, Key: func() ([]byte, error) {
		key, err := k.ledger.Key()
		seals := key.Derive(ledger.LabelHandles)
		return seals[:], err
	}}
}

// enforcedKey is the context key that marks decisions that a host acts on. Only these use up grants.
type enforcedKey struct{}

// lift implements [engine.Options.Lift]. It returns which of the blocking steps are lifted by grants.
// A grant for a call does not apply to later events, such as its output.
func (k *Kit) lift(ctx context.Context, ev *checkrein.Event, blocking []*engine.Step) engine.Lifting {
	if !slices.Contains(grantable, ev.Kind) || len(k.config.Settings.Grants) == 0 && !k.grants.MayHaveGrants() {
		return engine.Lifting{}
	}
	by := make([]grant.Decider, len(blocking))
	for i, s := range blocking {
		by[i] = newDecider(s)
	}
	call := grant.Call{Binding: k.bind(ev), Host: ev.Host, Session: ev.Session.ID, Root: ev.Session.Root, Caller: callerID, Foreign: k.standing.foreign && ctx.Value(enforcedKey{}) != nil}
	if ev.Tool != nil {
		call.ID = ev.Tool.CallID
	}
	m, err := k.grants.Match(&call, by, k.fileGrants(ev, &call, by))
	if err != nil {
		k.logLine("grants: " + err.Error())
		said := err.Error()
		k.grantError.Store(&said)
	}
	return engine.Lifting{By: m.By, Use: func() bool {
		if ctx.Value(enforcedKey{}) == nil || call.Foreign {
			return true
		}
		ok, err := k.grants.RecordUse(&m)
		if err != nil {
			k.logLine("grants: " + err.Error())
		}
		return ok
	}}
}

// allowedMarkers returns the ids of the markers whose values a person allowed in the session or
// project of ev.
func (k *Kit) allowedMarkers(ev *checkrein.Event) []string {
	ids, err := k.grants.UnredactedValues(&grant.Call{Host: ev.Host, Session: ev.Session.ID, Root: ev.Session.Root})
	if err != nil {
		k.logLine("grants: " + err.Error())
		said := err.Error()
		k.grantError.Store(&said)
	}
	return ids
}

// callerID returns a string that identifies the host process that called or, if none is known, this
// process.
func callerID() string {
	if id := liveagents.CallerID(); id != "" {
		return id
	}
	return "self " + strconv.Itoa(os.Getpid())
}

// bind returns what a grant for ev is bound to. If declared packs are on, it is bound to the call
// itself, since its deeds do not include what those packs check.
func (k *Kit) bind(ev *checkrein.Event) grant.Binding {
	b := binding.ForCall(ev, k.callEnv(ev))
	own := func(p packset.Part) bool { return p.Own != "" }
	if slices.ContainsFunc(k.packs.User, own) || slices.ContainsFunc(k.packs.Managed, own) {
		b.Deeds = nil
	}
	for i := range b.Deeds {
		d := &b.Deeds[i]
		d.Words, d.On = digestIfSecret(ev, d.Words), digestIfSecret(ev, d.On)
		for j, host := range d.Hosts {
			d.Hosts[j] = digestIfSecret(ev, host)
		}
		digestSecretPaths(ev, d.Paths)
	}
	digestSecretPaths(ev, b.World)
	return b
}

// digestSecretPaths replaces what follows the first word of each string in list, which is a type, with
// a digest if it may contain a secret.
func digestSecretPaths(ev *checkrein.Event, list []string) {
	for i, text := range list {
		what, rest, _ := strings.Cut(text, " ")
		list[i] = grant.TypedPath(what, digestIfSecret(ev, rest))
	}
}

// Reasons why no grant can lift a decision.
const (
	finalFault   = "a hook could not answer"
	finalManaged = "managed"
)

// newDecider returns the hook and rules that decided in s, and why.
func newDecider(s *engine.Step) grant.Decider {
	h, v := s.Hook, s.Verdict
	d := grant.Decider{Hook: h.Label(), Type: h.Run, Scope: h.From.Scope.String(), File: h.From.File, Decision: v.Decision.String(),
		Rule: v.Metadata["rule"], Reason: v.Metadata["reason"], Also: v.Metadata["also"], Final: v.Metadata["final"], Program: h.Run != "builtin" && h.Run != "rule"}
	if d.Program { // what a program claims about itself does not count
		d.Rule, d.Reason, d.Also, d.Final = "", "", "", ""
	} else {
		d.Rules = strings.Fields(v.Metadata["rules"])
	}
	if d.Reason == "" {
		d.Reason = v.Reason
	}
	switch {
	case s.Fault != nil:
		d.Final, d.Reason = finalFault, s.Fault.Error()
		switch {
		case h.Broken != "":
			d.Reason = describeMistake(h)
		case errors.Is(s.Fault, engine.ErrChanged):
			d.Reason = "this hook " + d.Reason
		default:
			d.Reason = "a hook that guards this could not answer: " + d.Reason
		}
	case h.From.Scope == checkrein.ScopeManaged:
		d.Final = finalManaged
	}
	return d
}

// endGrants ends the grants of a session when the session ends, and the use of a grant when its call
// ends. Otherwise, a call without an id, or with a repeated one, could be made again as if it were the
// first.
func (k *Kit) endGrants(ev *checkrein.Event) {
	var err error
	switch {
	case ev.Kind == checkrein.SessionEnd:
		err = k.grants.EndSession(ev.Host, ev.Session.ID)
	case ev.Tool != nil && (ev.Kind == checkrein.PostToolUse || ev.Kind == checkrein.PostToolUseFailure):
		err = k.grants.EndCall(ev.Host, ev.Session.ID, ev.Tool.CallID, func() string { return binding.CallDigest(ev, ev.Session.Dir) })
	}
	if err != nil {
		k.logLine("grants: " + err.Error())
	}
}
