package app

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Act is something that a person did about decisions or hooks, as the ledger records it.
type Act struct {
	Act    string // allow, deny, revoke, pause, resume, wrong; hooks approve, hooks revoke, hooks on, hooks off; policy save; or "answer" and the word of an answer over HTTP
	Handle string // the handle of the block
	Grant  string // the grant's id
	Scope  string
	Call   string   // what was blocked; for acts about hooks, their files
	Rules  []string // the rules; for acts about hooks, each event with the id of its hook; for a saved policy, its SHA-256 and that of the one before
	Until  time.Time
	By     string
	Why    string
	Caller string // the channel, such as http, if no command was run
}

// RecordAct records what a person is about to do, and returns the number of the record. If it fails,
// the caller must not do it.
func (k *Kit) RecordAct(a Act) (seq uint64, err error) {
	redact := secret.Redactor{}
	b := rawjson.Object{'{'}
	b.Text("act", a.Act)
	b.Text("handle", a.Handle)
	b.Text("grant", a.Grant)
	b.Text("scope", a.Scope)
	b.Text("call", redact.MaskText(a.Call))
	b.Texts("rules", a.Rules)
	if !a.Until.IsZero() {
		b.Text("until", a.Until.UTC().Format(time.RFC3339))
	}
	b.Text("by", a.By)
	b.Text("why", redact.MaskText(a.Why))
	if a.Caller != "" {
		b.Texts("caller", []string{a.Caller}) // as in records of events
	}
	receipt, err := k.ledger.Append(ledger.KindPerson, b[1:], true)
	return receipt.Seq, err
}

// Allow adds a grant for b, a block that was saved under its handle. It fails if the saved block was
// changed.
func (k *Kit) Allow(g grant.Grant, b *grant.Block) (grant.Grant, error) {
	if err := k.checkBlock(b); err != nil {
		return g, err
	}
	return k.AddGrant(g, b)
}

// checkBlock returns an error if b is not as it was stored.
func (k *Kit) checkBlock(b *grant.Block) error {
	key, err := k.BlockKey()
	if err == nil && !b.HasValidSeal(key) {
		err = fmt.Errorf("the data stored under %s was changed: let the agent try again, and use the new block's handle", b.Handle)
	}
	return err
}

// BlockKey returns the key of the seals of blocks.
func (k *Kit) BlockKey() ([]byte, error) {
	key, err := k.ledger.Key()
	handles := key.Derive(ledger.LabelHandles)
	return handles[:], err
}

// AnswerableBlocks returns the blocked calls that wait for a person's answer, and those that no longer
// do, newest first.
func (k *Kit) AnswerableBlocks() (pending, settled []*grant.Block, err error) {
	key, err := k.BlockKey()
	if err != nil {
		return nil, nil, err
	}
	return k.grants.AnswerableBlocks(key)
}

// AnswerBlock records a person's answer to b and puts it into effect: g is added if the answer allows
// the call. Of several answers the first counts; the error for the others is a [grant.AnsweredError].
// seen is an earlier answer that the person replaces, or nil.
func (k *Kit) AnswerBlock(b *grant.Block, a grant.Answer, g grant.Grant, seen *grant.Answer) (grant.Answer, error) {
	if err := k.checkBlock(b); err != nil {
		return a, err
	}
	return k.grants.AddAnswer(b, a, seen, func(a *grant.Answer) error {
		if a.Decision == grant.AnswerAllow {
			g.By, g.Why = a.By, a.Words
			added, err := k.AddGrant(g, b)
			a.Grant, a.Scope = added.ID, added.Scope
			return err
		}
		_, err := k.RecordAct(Act{Act: "deny", Handle: b.Handle, Call: b.Shown, Rules: grant.DeciderNames(b.By), By: a.By, Why: a.Words})
		return err
	})
}

// AddGrant records a grant for b, adds it, and removes the denial from denial memory. Unlike Allow it
// does not check the seal of b, so b must not come from a file.
func (k *Kit) AddGrant(g grant.Grant, b *grant.Block) (grant.Grant, error) {
	var rules []string
	for i := range g.Lifts {
		rules = append(rules, g.Lifts[i].DisplayNames()...)
	}
	g, err := k.grants.AddAfter(g, func(g *grant.Grant) error {
		_, err := k.RecordAct(Act{Act: "allow", Handle: g.Handle, Grant: g.ID, Scope: string(g.Scope), Call: g.Shown, Rules: rules, Until: g.Until, By: g.By, Why: g.Why})
		return err
	})
	if err == nil {
		k.memory.removeDenial(b.Host, b.Session, b.Denied)
	}
	return g, err
}

// RevokeGrants ends the grant with this id or handle, or all grants if name is "all", and returns
// those that it ended.
func (k *Kit) RevokeGrants(name, by string) ([]grant.Grant, error) {
	gone, err := k.grants.Revoke(name)
	for i := range gone {
		if _, err := k.RecordAct(Act{Act: "revoke", Handle: gone[i].Handle, Grant: gone[i].ID, Scope: string(gone[i].Scope), Call: gone[i].Shown, By: by}); err != nil {
			k.logLine("a revocation could not be recorded in the ledger: " + err.Error())
		}
	}
	return gone, err
}

// SetPause begins the pause p, or ends the current one if p.Until is zero.
func (k *Kit) SetPause(p grant.Pause) error {
	act := "pause"
	if p.Until.IsZero() {
		act = "resume"
	}
	if _, err := k.RecordAct(Act{Act: act, Until: p.Until, By: p.By, Why: p.Why}); err != nil {
		if act == "pause" {
			return err
		}
		k.logLine("the end of a pause could not be recorded in the ledger: " + err.Error())
	}
	return k.grants.SetPause(p)
}

// MarkFalseAlarm records that the block with this handle was a false alarm, and returns the block.
func (k *Kit) MarkFalseAlarm(handle, why, by string) (*grant.Block, error) {
	b, err := k.grants.MarkFalseAlarm(handle, why)
	if err != nil {
		return nil, err
	}
	var rules []string
	for i := range b.By {
		rules = append(rules, b.By[i].DisplayNames()...)
	}
	_, err = k.RecordAct(Act{Act: "wrong", Handle: handle, Call: b.Shown, Rules: rules, By: by, Why: why})
	return b, err
}
