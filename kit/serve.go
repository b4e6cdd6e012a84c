package kit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/build"
	"github.com/checkrein/checkrein/internal/fingerprint"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/mask"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
)

// A Call is an event that a host sent, on its way to the ledger.
type Call struct {
	Event checkrein.Event
	Began time.Time
	Fault string // why the event could not be read; "" = it could
}

// An Encoder says an outcome in a host's words.
type Encoder func(*engine.Outcome) checkrein.Reply

// Native is the encoder for whoever reads checkrein's own words.
func Native(out *engine.Outcome) checkrein.Reply {
	return checkrein.Reply{Stdout: append(out.JSON(false), '\n')}
}

// Serve runs the hooks of an event and records what they came to, before anyone
// acts on it. Runtimes that embed checkrein fire their events here.
func (k *Kit) Serve(ctx context.Context, ev checkrein.Event) engine.Outcome {
	call := Call{Event: ev, Began: k.now()}
	out := k.Decide(ctx, ev)
	k.Record(call, &out, Native)
	return out
}

// Record writes an outcome to the ledger and returns what to tell the host. When
// that cannot be done the person is told, and with `on_full: block` gates close.
func (k *Kit) Record(call Call, out *engine.Outcome, encode Encoder) checkrein.Reply {
	call.Event = k.placed(call.Event)
	reply := encode(out)
	receipt, err := k.append(call, out, &reply, lasting(&out.Verdict))
	if err == nil {
		k.log(&call, out, receipt.Seq)
		if receipt.Due || call.Event.Kind == checkrein.SessionEnd {
			k.upkeep()
		}
		return reply
	}
	k.unrecorded(&call, out, err)
	reply = encode(out)
	if errors.Is(err, ledger.ErrNotDurable) {
		// What stands there may be other than what the host is told now.
		receipt, _ = k.append(call, out, &reply, false)
	}
	k.log(&call, out, receipt.Seq)
	return reply
}

func (k *Kit) append(call Call, out *engine.Outcome, reply *checkrein.Reply, sync bool) (ledger.Receipt, error) {
	key, err := k.ledger.Key()
	if err != nil {
		return ledger.Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	lines := key.Derive(ledger.LabelLines)
	entry := record.Entry{
		Event: &call.Event, Outcome: out, Reply: reply, Fault: call.Fault, Policy: k.Policy(),
		Took: k.now().Sub(call.Began), Digests: key.Derive(ledger.LabelDigests), Lines: fingerprint.Key(lines[:16]), Redact: mask.Conservative{},
	}
	return k.ledger.Append(ledger.KindEvent, entry.Members(), sync)
}

// lasting reports whether a verdict changes what happens, so that its record
// must survive the loss of power.
func lasting(v *checkrein.Verdict) bool {
	const light = checkrein.CanAllow | checkrein.CanAddContext | checkrein.CanAnnotate
	return v.Effects()&^light != 0
}

// unrecorded tells the person that a decision is not in the ledger, and closes
// the gate if that is what they want.
func (k *Kit) unrecorded(call *Call, out *engine.Outcome, err error) {
	v := &out.Verdict
	if k.config.Settings.OnFull == checkrein.FaultBlock && checkrein.ContractOf(call.Event.Kind).Closed {
		*v = checkrein.Verdict{Decision: checkrein.Deny, Notice: v.Notice,
			Reason: fmt.Sprintf("this could not be recorded, and on_full is block: %v", err)}
		return
	}
	v.Notice = append(v.Notice, k.memory.news(call.Event.Session.ID, []string{fmt.Sprintf("decisions are not being recorded: %v", err)})...)
}

// upkeep starts the companion, which signs a checkpoint and removes what is too
// old. Nobody waits for it; what it could not do it logs.
func (k *Kit) upkeep() {
	if k.companion == "" {
		return
	}
	spec := process.Spec{Argv: []string{k.companion, "upkeep", "--ledger", k.state.Path(ledger.Folder)}, Env: k.environ}
	if err := process.Detach(spec, ""); err != nil {
		k.note("the ledger's upkeep did not start: " + err.Error())
	}
}

// Policy is the digest of the effective configuration: the program, the files of
// all scopes, the hooks that came without a file, and the switches. Where the
// files lie is no part of it, so that machines can be compared.
func (k *Kit) Policy() string {
	k.policy.Do(func() {
		h := sha256.New()
		add := func(s string) {
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
		add("checkrein policy 1")
		add(build.Version)
		for _, f := range k.config.Files {
			add(f.Scope.String())
			add(f.Dialect)
			add(string(f.Sum[:]))
		}
		for i := range k.config.Hooks {
			if hook := &k.config.Hooks[i]; hook.From.File == "" {
				add(hook.From.Scope.String())
				add(trust.Definition(hook))
			}
		}
		for _, s := range k.switches() {
			add(s)
		}
		k.policySum = hex.EncodeToString(h.Sum(nil)[:16])
	})
	return k.policySum
}

// switches are the settings that change what is decided or recorded.
func (k *Kit) switches() []string {
	s := &k.config.Settings
	flag := strconv.FormatBool
	return append([]string{flag(s.Off), flag(s.ProjectMayAllow), flag(s.SelfApprove), s.OnFull.String(), flag(s.Snapshot), flag(s.Packs), flag(k.trust.Off()),
		strconv.Itoa(s.Ledger.KeepDays), strconv.Itoa(s.Ledger.KeepMiB), s.Ledger.Witness}, s.Ledger.WitnessCommand...)
}
