package app

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Act is what a person did about decisions, as the ledger has it.
type Act struct {
	Act    string // allow, revoke, pause, resume, wrong, and of hooks: hooks approve, hooks revoke, hooks on, hooks off; of questions that are answered over HTTP: answer and the answer
	Handle string // of the block that it is about
	Grant  string // the grant's id
	Scope  string
	Call   string   // what was blocked, for people; of hooks their files
	Rules  []string // of hooks each with its event
	Until  time.Time
	By     string
	Why    string
	Caller string // how it came, if not by a command: http
}

// Acted records what a person did. What cannot be recorded is not done: callers ask
// first.
func (k *Kit) Acted(a Act) (seq uint64, err error) {
	redact := secret.Redactor{}
	b := rawjson.Object{'{'}
	b.Text("act", a.Act)
	b.Text("handle", a.Handle)
	b.Text("grant", a.Grant)
	b.Text("scope", a.Scope)
	b.Text("call", redact.Text(a.Call))
	b.Texts("rules", a.Rules)
	if !a.Until.IsZero() {
		b.Text("until", a.Until.UTC().Format(time.RFC3339))
	}
	b.Text("by", a.By)
	b.Text("why", redact.Text(a.Why))
	if a.Caller != "" {
		b.Texts("caller", []string{a.Caller}) // as records of events have it
	}
	receipt, err := k.ledger.Append(ledger.KindPerson, b[1:], true)
	return receipt.Seq, err
}

// Allow lets what a block is about pass, as the grant says: it is recorded first, and
// what denial memory knows of it is forgotten.
func (k *Kit) Allow(g grant.Grant, b *grant.Block) (grant.Grant, error) {
	key, err := k.ledger.Key()
	if err != nil {
		return g, err
	}
	if handles := key.Derive(ledger.LabelHandles); !b.Sealed(handles[:]) {
		return g, fmt.Errorf("the data stored under %s was changed: let the agent try again, and use the new block's handle", b.Handle)
	}
	return k.Grant(g, b)
}

// Grant is Allow for a block that was just made, and comes from no file.
func (k *Kit) Grant(g grant.Grant, b *grant.Block) (grant.Grant, error) {
	var rules []string
	for i := range g.Lifts {
		rules = append(rules, g.Lifts[i].Names()...)
	}
	g, err := k.grants.AddAfter(g, func(g *grant.Grant) error {
		_, err := k.Acted(Act{Act: "allow", Handle: g.Handle, Grant: g.ID, Scope: string(g.Scope), Call: g.Shown, Rules: rules, Until: g.Until, By: g.By, Why: g.Why})
		return err
	})
	if err == nil {
		k.memory.forgive(b.Host, b.Session, b.Denied)
	}
	return g, err
}

// Disallow ends a grant by its id or handle, or all of them.
func (k *Kit) Disallow(name, by string) ([]grant.Grant, error) {
	gone, err := k.grants.Revoke(name)
	for i := range gone {
		if _, err := k.Acted(Act{Act: "revoke", Handle: gone[i].Handle, Grant: gone[i].ID, Scope: string(gone[i].Scope), Call: gone[i].Shown, By: by}); err != nil {
			k.note("a revocation could not be recorded in the ledger: " + err.Error())
		}
	}
	return gone, err
}

// Pause begins a pause; without a time it ends the one that is on.
func (k *Kit) Pause(p grant.Pause) error {
	act := "pause"
	if p.Until.IsZero() {
		act = "resume"
	}
	if _, err := k.Acted(Act{Act: act, Until: p.Until, By: p.By, Why: p.Why}); err != nil {
		if act == "pause" {
			return err
		}
		k.note("the end of a pause could not be recorded in the ledger: " + err.Error())
	}
	return k.grants.Pause(p)
}

// Wrong notes that a block was a false alarm.
func (k *Kit) Wrong(handle, why, by string) (*grant.Block, error) {
	b, err := k.grants.Wrong(handle, why)
	if err != nil {
		return nil, err
	}
	var rules []string
	for i := range b.By {
		rules = append(rules, b.By[i].Names()...)
	}
	_, err = k.Acted(Act{Act: "wrong", Handle: handle, Call: b.Shown, Rules: rules, By: by, Why: why})
	return b, err
}
