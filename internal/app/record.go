package app

import (
	"errors"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/secret/fingerprint"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// Record writes the outcomes of a call to the ledger and returns the reply for the host. Outcomes
// after the first are written only if a hook took part in them. If writing fails, the reply has a
// notice about that, or with on_full: block, gates are denied.
func (k *Kit) Record(call Call, outs []engine.Outcome, encode Encoder) wire.Reply {
	reply := encode(outs)
	if k.unrecorded {
		for i := range outs {
			ev := k.withSession(call.Events[i])
			k.log(&call, &ev, &outs[i], 0)
		}
		return reply
	}
	last := len(outs) - 1
	for last > 0 && len(outs[last].AllSteps()) == 0 {
		last--
	}
	for i := range outs[:last+1] {
		if i > 0 && len(outs[i].AllSteps()) == 0 {
			continue
		}
		said := &reply
		if i < last {
			said = nil // only the last record has the reply
		}
		reply = k.recordOutcome(call, i, outs, said, reply, encode)
	}
	return reply
}

// recordOutcome writes the outcome i of a call and returns the reply, which changes if the write
// fails. If said is nil, the record does not have the reply.
func (k *Kit) recordOutcome(call Call, i int, outs []engine.Outcome, said *wire.Reply, reply wire.Reply, encode Encoder) wire.Reply {
	ev, out := k.withSession(call.Events[i]), &outs[i]
	receipt, err := k.appendRecord(&call, &ev, out, said, hasWeightyEffects(&out.Verdict))
	if err == nil {
		k.log(&call, &ev, out, receipt.Seq)
		if receipt.Due || ev.Kind == checkrein.SessionEnd {
			k.startUpkeep()
		}
		return reply
	}
	counted := true
	if !errors.Is(err, ledger.ErrNotDurable) {
		if err := k.ledger.CountMissed(err); err != nil {
			counted = false
			k.logLine(err.Error())
		}
	}
	k.reportUnrecorded(&ev, out, err, counted)
	reply = encode(outs)
	if errors.Is(err, ledger.ErrNotDurable) {
		// The record that was written may differ from the new reply.
		receipt, _ = k.appendRecord(&call, &ev, out, &reply, false)
	}
	k.log(&call, &ev, out, receipt.Seq)
	return reply
}

// appendRecord appends a record of out to the ledger. If sync is set, it returns only when the record
// is durable.
func (k *Kit) appendRecord(call *Call, ev *checkrein.Event, out *engine.Outcome, reply *wire.Reply, sync bool) (ledger.Receipt, error) {
	key, err := k.ledger.Key()
	if err != nil {
		return ledger.Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	lines := key.Derive(ledger.LabelLines)
	v := k.viewOf(out)
	mask := redactorFor(&out.Event)
	var markers *placeholder.Key // derived when first needed
	mark := func(value string) string {
		if markers == nil {
			m := placeholder.Key(key.Derive(ledger.LabelMarkers))
			markers = &m
		}
		return markers.ID(value)
	}
	entry := record.Entry{
		Event: ev, Outcome: ledgerOutcome(out), Shadow: isUnenforced(out), Counted: &out.Verdict, Reply: reply, Fault: call.Fault, Policy: k.policyOf(v), HookDigests: func(h *checkrein.Hook) record.HookDigests { return k.hookDigests(v, h) }, Off: k.packs.Off, Held: k.held,
		Again: call.Again, Foreign: k.standing.foreign, Caller: k.callerNames(), Noted: k.takeNoted(), Took: k.now().Sub(call.Began), Digests: key.Derive(ledger.LabelDigests), Lines: fingerprint.Key(lines[:16]), Redact: mask, Decode: mask.Memory.Decode,
		Found: mask.Memory.DistinctValues, Mark: mark,
	}
	receipt, err := k.ledger.Append(ledger.KindEvent, entry.Members(), sync)
	if err == nil {
		k.watchChanges(call, ev, out, entry.Secrets())
	}
	return receipt, err
}

// hasWeightyEffects reports whether v changes what happens, so that its record must survive a power
// failure.
func hasWeightyEffects(v *checkrein.Verdict) bool {
	const light = checkrein.CanAllow | checkrein.CanAddContext | checkrein.CanAnnotate
	return v.Effects()&^light != 0
}

// reportUnrecorded adds a notice to out that the decision is not in the ledger because of err, or
// denies the call if on_full is block. If the miss could not even be counted, the notice is shown each
// time, because no record will ever mention it.
func (k *Kit) reportUnrecorded(ev *checkrein.Event, out *engine.Outcome, err error, counted bool) {
	v := &out.Verdict
	if k.config.Settings.OnFull == checkrein.FaultBlock && checkrein.ContractOf(ev.Kind).Closed {
		out.HostReason = ""
		*v = checkrein.Verdict{Decision: checkrein.Deny, Notice: v.Notice,
			Reason: fmt.Sprintf("checkrein blocked this: it could not be recorded, and on_full is block: %v. To see what is wrong, run checkrein doctor", err)}
		return
	}
	if !counted {
		v.Notice = append(v.Notice, fmt.Sprintf("decisions are not being recorded: %v; they cannot be counted either, so no record will mention this one. To see what is wrong, run checkrein doctor", err))
		return
	}
	v.Notice = append(v.Notice, k.memory.takeUnseen(toldKey(ev.Host, ev.Session.ID), []string{fmt.Sprintf("decisions are not being recorded: %v", err)})...)
}

// startUpkeep starts the companion, or leaves that to Options.Upkeep.
func (k *Kit) startUpkeep() {
	switch {
	case k.companion == "":
	case k.upkeep != nil:
		k.upkeep(k.startCompanion)
	default:
		k.startCompanion()
	}
}

// startCompanion starts the companion, which signs a checkpoint and removes old records. It does not
// wait for the companion, which logs its failures.
func (k *Kit) startCompanion() {
	spec := process.Spec{Argv: []string{k.companion, "upkeep", "--ledger", k.state.Path(ledger.Folder), "--config", k.places.Config}, Env: k.environ, Ticket: true}
	if err := process.Detach(spec, ""); err != nil {
		k.logLine("ledger maintenance did not start: " + err.Error())
	}
}
