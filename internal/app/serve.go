package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// A Call is what a host sent, with one event for each row of the table of events that it matches. It
// mostly matches one.
type Call struct {
	Events []checkrein.Event
	Began  time.Time
	Fault  string // why the call could not be read; "" = it was read
	Again  bool   // it was answered before, and the host has not got that answer
}

// An Encoder encodes the outcomes of a call as the reply for its host.
type Encoder func([]engine.Outcome) wire.Reply

// EncodeNative is the Encoder for checkrein's own format.
func EncodeNative(outs []engine.Outcome) wire.Reply {
	out := JoinOutcomes(outs)
	out.Tried = nil // a reply is the same with and without hooks in shadow mode
	return wire.Reply{Stdout: append(out.JSON(false), '\n')}
}

// JoinOutcomes merges the outcomes of the rows of one event into one.
func JoinOutcomes(outs []engine.Outcome) engine.Outcome {
	out := outs[0]
	for i := range outs[1:] {
		also := &outs[1+i]
		if out.Shadow != nil || also.Shadow != nil {
			would := checkrein.Merge([]checkrein.Verdict{*cmp.Or(out.Shadow, &out.Verdict), *cmp.Or(also.Shadow, &also.Verdict)})
			out.Shadow = &would
		}
		out.Verdict = checkrein.Merge([]checkrein.Verdict{out.Verdict, also.Verdict})
		out.Steps, out.Tried = append(out.Steps, also.Steps...), append(out.Tried, also.Tried...)
		out.Dropped = append(out.Dropped, also.Dropped...)
		out.Why = append(out.Why, also.Why...)
	}
	return out
}

// Answer decides a call, records the outcome and returns the reply for its host. Each event of the
// call goes through the stages below, and gets the tool's output as the event before left it. A denial
// that the host honours ends the call.
//
// A denial may wait for a person. If one answers, the call is decided again, as if the agent had tried
// again, and has two records.
func (k *Kit) Answer(ctx context.Context, call Call, encode Encoder) wire.Reply {
	reply, blocked := k.answer(ctx, call, encode)
	if blocked == nil || !k.awaitAnswer(ctx, blocked) {
		return reply
	}
	call.Began, call.Again = k.now(), true
	reply, _ = k.answer(ctx, call, encode)
	return reply
}

// answer is Answer without waiting. It also returns the block of a denial that a person could lift, or
// nil.
func (k *Kit) answer(ctx context.Context, call Call, encode Encoder) (wire.Reply, *grant.Block) {
	ctx = context.WithValue(ctx, enforcedKey{}, true)
	outs := make([]engine.Outcome, 0, len(call.Events))
	var secret json.RawMessage // the arguments that only the host may have
	shared := new(sync.Map)    // shared by all rows, so that nothing is looked up twice
	var blocked *grant.Block
	for _, ev := range call.Events {
		ev.Shared = shared
		t := new(turn)
		k.place(t, ev, outs, true)
		k.judge(ctx, t)
		k.remember(t)
		k.addNotices(t)
		input, b := k.fulfil(t)
		if input != nil {
			secret = input
		}
		if b != nil && b.Handle != "" && t.out.Verdict.Decision == checkrein.Deny {
			blocked = b
		}
		outs = append(outs, t.out)
		if t.isLast() {
			break
		}
	}
	return k.recordAndReply(call, outs, secret, withHostReason(encode)), blocked
}

// fulfil prepares the outcome of t for its host: a block gets a handle and a text, and an allowed call
// gets its secrets. It returns the arguments that only the host may have, or nil if the outcome's own
// arguments are to be used, and the block or nil.
func (k *Kit) fulfil(t *turn) (json.RawMessage, *grant.Block) {
	b := k.offerGrant(t)
	if b != nil {
		t.out.HostReason = blockText(&t.event, &t.out, b)
	}
	k.issueTicket(t)
	k.countCall(&t.event, &t.out)
	return k.restoreSecrets(&t.out), b
}

// recordAndReply records the outcomes of a call and returns the reply for its host. secret, the
// arguments that the record must not have, is put into the reply alone.
func (k *Kit) recordAndReply(call Call, outs []engine.Outcome, secret json.RawMessage, encode Encoder) wire.Reply {
	reply := k.Record(call, outs, encode)
	if secret == nil {
		return reply
	}
	for i := range outs {
		if v := &outs[i].Verdict; v.Input != nil && v.Decision != checkrein.Deny {
			v.Input = secret
		}
	}
	return encode(outs)
}

// Serve runs the hooks on ev and records the outcome before the caller acts on it. Runtimes that embed
// checkrein fire their events with it.
func (k *Kit) Serve(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return k.ServeBy(ctx, ev, nil)
}

// ServeBy is Serve with only the hooks that pick selects. A nil pick selects all hooks. A runtime that
// runs its hooks in two batches gets two records.
func (k *Kit) ServeBy(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) engine.Outcome {
	call := Call{Events: []checkrein.Event{ev}, Began: k.now()}
	t := &turn{pick: pick}
	k.decide(context.WithValue(ctx, enforcedKey{}, true), t, ev, nil)
	k.offerGrant(t)
	outs := []engine.Outcome{t.out}
	k.Record(call, outs, EncodeNative)
	return outs[0]
}

// ServeCall is Serve for the events of one call. It returns the outcome of each. The caller must not use
// what handlers share about the events.
func (k *Kit) ServeCall(ctx context.Context, events []checkrein.Event) []engine.Outcome {
	call := Call{Events: events, Began: k.now()}
	outs := k.decideRows(context.WithValue(ctx, enforcedKey{}, true), events, func(t *turn) { k.offerGrant(t) })
	k.Record(call, outs, EncodeNative)
	for i := range outs {
		if out := &outs[i]; !out.Canceled && !out.Ended && !slices.ContainsFunc(out.AllSteps(), func(s engine.Step) bool { return s.Fault != nil || s.Detached }) {
			study.Keep(&out.Event) // no handler is still running
		}
	}
	return outs
}

// Decide runs the hooks on ev for a caller that does not act on the outcome. It records nothing, and
// uses no grant.
func (k *Kit) Decide(ctx context.Context, ev checkrein.Event) engine.Outcome {
	var t turn
	k.decide(ctx, &t, ev, nil)
	return t.out
}

// DecideCall is Decide for the events of one call. It stops after a denial that the host honours, as
// Answer does.
func (k *Kit) DecideCall(ctx context.Context, events []checkrein.Event) []engine.Outcome {
	return k.decideRows(ctx, events, func(*turn) {})
}

// decideRows decides the events of a call, and calls finish after each.
func (k *Kit) decideRows(ctx context.Context, events []checkrein.Event, finish func(*turn)) []engine.Outcome {
	var outs []engine.Outcome
	for _, ev := range events {
		t := new(turn)
		k.decide(ctx, t, ev, outs)
		addAdministratorRemedy(&t.out)
		finish(t)
		outs = append(outs, t.out)
		if t.isLast() {
			break
		}
	}
	return outs
}

// decide runs the stages that every decision has, and sets the outcome of t.
func (k *Kit) decide(ctx context.Context, t *turn, ev checkrein.Event, before []engine.Outcome) {
	k.place(t, ev, before, ctx.Value(enforcedKey{}) != nil)
	k.judge(ctx, t)
	k.remember(t)
	k.addNotices(t)
}
