package kit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/secret/fingerprint"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A Call is what a host sent, on its way to the ledger: an event for each row
// that it is, which is mostly one.
type Call struct {
	Events []checkrein.Event
	Began  time.Time
	Fault  string // why it could not be read; "" = it could
}

// An Encoder says the outcomes of a call in a host's words.
type Encoder func([]engine.Outcome) checkrein.Reply

// Native is the encoder for whoever reads checkrein's own words.
func Native(outs []engine.Outcome) checkrein.Reply {
	out := Join(outs)
	return checkrein.Reply{Stdout: append(out.JSON(false), '\n')}
}

// Join returns the outcomes of the rows of one event as one.
func Join(outs []engine.Outcome) engine.Outcome {
	out := outs[0]
	for i := range outs[1:] {
		also := &outs[1+i]
		if out.Shadow != nil || also.Shadow != nil {
			would := checkrein.Merge([]checkrein.Verdict{*cmp.Or(out.Shadow, &out.Verdict), *cmp.Or(also.Shadow, &also.Verdict)})
			out.Shadow = &would
		}
		out.Verdict = checkrein.Merge([]checkrein.Verdict{out.Verdict, also.Verdict})
		out.Steps = append(out.Steps, also.Steps...)
		out.Dropped = append(out.Dropped, also.Dropped...)
		out.Why = append(out.Why, also.Why...)
	}
	return out
}

// Serve runs the hooks of an event and records what they came to, before anyone
// acts on it. Runtimes that embed checkrein fire their events here.
func (k *Kit) Serve(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return k.ServeBy(ctx, ev, nil)
}

// ServeBy is Serve with only those hooks that pick picks; nil picks all. What a
// runtime asks in two lots stands in the ledger as two events.
func (k *Kit) ServeBy(ctx context.Context, ev checkrein.Event, pick func(*checkrein.Hook) bool) engine.Outcome {
	call := Call{Events: []checkrein.Event{ev}, Began: k.now()}
	outs := []engine.Outcome{k.decideBy(context.WithValue(ctx, forReal{}, true), ev, pick)}
	k.remedy(&ev, &outs[0])
	k.Record(call, outs, Native)
	return outs[0]
}

// ServeCall is Serve for the rows that one event is. It returns what each came to.
func (k *Kit) ServeCall(ctx context.Context, events []checkrein.Event) []engine.Outcome {
	call := Call{Events: events, Began: k.now()}
	outs := k.DecideCall(context.WithValue(ctx, forReal{}, true), events)
	for i := range outs {
		k.remedy(&events[i], &outs[i])
	}
	k.Record(call, outs, Native)
	return outs
}

// Answer runs the hooks of each row of a call, records what they came to and
// returns what to tell the host. A row hears what the one before it made of the
// tool's output; a denial that the host heeds ends the matter.
func (k *Kit) Answer(ctx context.Context, call Call, encode Encoder) checkrein.Reply {
	ctx = context.WithValue(ctx, forReal{}, true)
	outs := make([]engine.Outcome, 0, len(call.Events))
	var secret json.RawMessage  // the arguments as only the host may have them
	seen := new(checkrein.Seen) // for all rows: what was found out for one is not looked up again
	for i, ev := range call.Events {
		ev = following(k.placed(ev), outs)
		ev.Seen = seen
		outs = append(outs, k.Decide(ctx, ev))
		if b := k.remedy(&ev, &outs[i]); b != nil {
			outs[i].Told = say(&ev, &outs[i], b)
		}
		k.count(&ev, &outs[i])
		if in := k.restored(&ev, &outs[i]); in != nil {
			secret = in
		}
		if settled(&ev, &outs[i]) {
			break
		}
	}
	encode = telling(encode)
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

// DecideCall is Decide for each row of a call, as Answer asks them.
func (k *Kit) DecideCall(ctx context.Context, events []checkrein.Event) []engine.Outcome {
	var outs []engine.Outcome
	for _, ev := range events {
		ev = following(k.placed(ev), outs)
		outs = append(outs, k.Decide(ctx, ev))
		out := &outs[len(outs)-1]
		if nameAdministrator(out); settled(&ev, out) {
			break
		}
	}
	return outs
}

// following is the event of a row as the row before it left the tool's output.
func following(ev checkrein.Event, before []engine.Outcome) checkrein.Event {
	if n := len(before); n > 0 && ev.Tool != nil && before[n-1].Verdict.Output != nil {
		tool := *ev.Tool
		tool.Output = before[n-1].Verdict.Output
		ev.Tool = &tool
	}
	return ev
}

// settled reports whether no further row is asked: the host heeds the denial of this
// one.
func settled(ev *checkrein.Event, out *engine.Outcome) bool {
	return out.Verdict.Decision == checkrein.Deny && host.Honours(ev)&(checkrein.CanDeny|checkrein.CanRedo) != 0
}

// Record writes the outcomes of a call to the ledger, those of further rows only
// if a hook had to do with them, and returns what to tell the host. When that
// cannot be done the person is told, and with `on_full: block` gates close.
func (k *Kit) Record(call Call, outs []engine.Outcome, encode Encoder) checkrein.Reply {
	reply := encode(outs)
	last := len(outs) - 1
	for last > 0 && len(outs[last].Steps) == 0 {
		last--
	}
	for i := range outs[:last+1] {
		if i > 0 && len(outs[i].Steps) == 0 {
			continue
		}
		said := &reply
		if i < last {
			said = nil // the record of the last one has it
		}
		reply = k.record(call, i, outs, said, reply, encode)
	}
	return reply
}

// record writes one outcome and returns what to tell the host then.
func (k *Kit) record(call Call, i int, outs []engine.Outcome, said *checkrein.Reply, reply checkrein.Reply, encode Encoder) checkrein.Reply {
	ev, out := k.placed(call.Events[i]), &outs[i]
	receipt, err := k.append(&call, &ev, out, said, lasting(&out.Verdict))
	if err == nil {
		k.log(&call, &ev, out, receipt.Seq)
		if receipt.Due || ev.Kind == checkrein.SessionEnd {
			k.upkeep()
		}
		return reply
	}
	counted := true
	if !errors.Is(err, ledger.ErrNotDurable) {
		if err := k.ledger.Miss(err); err != nil {
			counted = false
			k.note(err.Error())
		}
	}
	k.unrecorded(&ev, out, err, counted)
	reply = encode(outs)
	if errors.Is(err, ledger.ErrNotDurable) {
		// What stands there may be other than what the host is told now.
		receipt, _ = k.append(&call, &ev, out, &reply, false)
	}
	k.log(&call, &ev, out, receipt.Seq)
	return reply
}

func (k *Kit) append(call *Call, ev *checkrein.Event, out *engine.Outcome, reply *checkrein.Reply, sync bool) (ledger.Receipt, error) {
	key, err := k.ledger.Key()
	if err != nil {
		return ledger.Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	lines := key.Derive(ledger.LabelLines)
	v := k.viewOf(out)
	mask := masker(&out.Event)
	var markers *placeholder.Key // made when there is something to mark
	mark := func(value string) string {
		if markers == nil {
			m := placeholder.Key(key.Derive(ledger.LabelMarkers))
			markers = &m
		}
		return markers.ID(value)
	}
	entry := record.Entry{
		Event: ev, Outcome: recorded(out), Shadow: unenforced(out), Reply: reply, Fault: call.Fault, Policy: k.policyOf(v), Sums: func(h *checkrein.Hook) record.Sums { return k.sumsOf(v, h) }, Off: k.packs.Off, Held: k.held,
		Foreign: k.standing.foreign, Caller: k.callers(), Noted: k.takeNoted(), Took: k.now().Sub(call.Began), Digests: key.Derive(ledger.LabelDigests), Lines: fingerprint.Key(lines[:16]), Redact: mask, Decode: mask.Memory.Decode,
		Found: mask.Memory.Telling, Mark: mark,
	}
	receipt, err := k.ledger.Append(ledger.KindEvent, entry.Members(), sync)
	if err == nil {
		k.heed(call, ev, out, entry.Secrets())
	}
	return receipt, err
}

// lasting reports whether a verdict changes what happens, so that its record
// must survive the loss of power.
func lasting(v *checkrein.Verdict) bool {
	const light = checkrein.CanAllow | checkrein.CanAddContext | checkrein.CanAnnotate
	return v.Effects()&^light != 0
}

// unrecorded tells the person that a decision is not in the ledger, and closes
// the gate if that is what they want. What is not even counted no record will ever
// tell, so that is said each time.
func (k *Kit) unrecorded(ev *checkrein.Event, out *engine.Outcome, err error, counted bool) {
	v := &out.Verdict
	if k.config.Settings.OnFull == checkrein.FaultBlock && checkrein.ContractOf(ev.Kind).Closed {
		out.Told = ""
		*v = checkrein.Verdict{Decision: checkrein.Deny, Notice: v.Notice,
			Reason: fmt.Sprintf("checkrein blocked this: it could not be recorded, and on_full is block: %v. To see what is wrong, run checkrein doctor", err)}
		return
	}
	if !counted {
		v.Notice = append(v.Notice, fmt.Sprintf("decisions are not being recorded: %v; they cannot be counted either, so no record will mention this one. To see what is wrong, run checkrein doctor", err))
		return
	}
	v.Notice = append(v.Notice, k.news(ev, []string{fmt.Sprintf("decisions are not being recorded: %v", err)})...)
}

// upkeep starts the companion, which signs a checkpoint and removes what is too
// old. Nobody waits for it; what it could not do it logs.
func (k *Kit) upkeep() {
	if k.companion == "" {
		return
	}
	spec := process.Spec{Argv: []string{k.companion, "upkeep", "--ledger", k.state.Path(ledger.Folder), "--config", k.places.Config}, Env: k.environ, Ticket: true}
	if err := process.Detach(spec, ""); err != nil {
		k.note("ledger maintenance did not start: " + err.Error())
	}
}
