// Package approvals keeps the blocked calls of machines that wait for an answer, and what approvers
// answered.
package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A Board has the approvals of all machines. It follows the store, so that several hubs agree. It is safe
// for concurrent use.
type Board struct {
	kv jetstream.KeyValue

	mu       sync.Mutex
	machines map[string]*calls
}

// calls are the approvals of a machine.
type calls struct {
	entries map[string]Entry // by id
	changed chan struct{}    // is closed when an entry changes
}

// An Entry is an approval as stored.
type Entry struct {
	protocol.Approval
	Approver string `json:"approver,omitempty"` // the key of the person who answered

	revision uint64
}

func (e *Entry) key() string { return e.Machine + "." + e.ID }

// NewBoard returns a board that follows kv until ctx is done.
func NewBoard(ctx context.Context, kv jetstream.KeyValue) (*Board, error) {
	b := &Board{kv: kv, machines: map[string]*calls{}}
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("following the approvals: %w", err)
	}
	for entry := range w.Updates() {
		if entry == nil { // all that were there
			break
		}
		b.follow(entry)
	}
	go func() {
		for entry := range w.Updates() {
			b.follow(entry)
		}
	}()
	return b, ctx.Err()
}

// follow takes over what entry says about an approval.
func (b *Board) follow(entry jetstream.KeyValueEntry) {
	var e Entry
	if entry.Operation() != jetstream.KeyValuePut || json.Unmarshal(entry.Value(), &e) != nil {
		e = Entry{}
	}
	e.revision = entry.Revision()
	b.set(entry.Key(), e)
}

// set makes e, which has no machine if it was deleted, the entry under key unless a later one is known.
func (b *Board) set(key string, e Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	machine, id, _ := strings.Cut(key, ".")
	c := b.callsOf(machine)
	if e.revision < c.entries[id].revision {
		return
	}
	if c.entries[id] = e; e.Machine == "" {
		delete(c.entries, id)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// callsOf returns the approvals of machine. The caller holds b.mu.
func (b *Board) callsOf(machine string) *calls {
	c := b.machines[machine]
	if c == nil {
		c = &calls{entries: map[string]Entry{}, changed: make(chan struct{})}
		b.machines[machine] = c
	}
	return c
}

// WaitChanged returns a channel that is closed when an approval of machine changes after the call.
func (b *Board) WaitChanged(machine string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.callsOf(machine).changed
}

// find returns the entries of machine, or of all machines if it is "", that match chooses.
func (b *Board) find(machine string, match func(*Entry) bool) (out []Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, c := range b.machines {
		if machine != "" && name != machine {
			continue
		}
		for _, e := range c.entries {
			if match(&e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// List returns the approvals that have not expired, with their answers, newest first.
func (b *Board) List(now time.Time) []protocol.Approval {
	out := []protocol.Approval{}
	for _, e := range b.find("", func(e *Entry) bool { return now.Before(e.Call.Expires) }) {
		out = append(out, e.Approval)
	}
	slices.SortFunc(out, func(x, y protocol.Approval) int { return y.Call.Blocked.Compare(x.Call.Blocked) })
	return out
}

// AnswersFor returns the answers of which machine has not reported what became of them.
func (b *Board) AnswersFor(machine string) []Entry {
	return b.find(machine, func(e *Entry) bool { return e.Given != nil && e.Given.Taken.IsZero() })
}

// update changes the entry under key in the store. change is called again if another hub changed it
// meanwhile; if it returns an error, nothing is stored.
func (b *Board) update(ctx context.Context, key string, change func(*Entry) error) (Entry, error) {
	for {
		var e Entry
		var revision uint64
		have, err := b.kv.Get(ctx, key)
		if err == nil {
			revision, err = have.Revision(), json.Unmarshal(have.Value(), &e)
		}
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return e, fmt.Errorf("reading the approval: %w", err)
		}
		if err := change(&e); err != nil {
			return e, err
		}
		data, err := json.Marshal(&e)
		if err != nil {
			return e, err
		}
		if have == nil {
			e.revision, err = b.kv.Create(ctx, key, data)
		} else {
			e.revision, err = b.kv.Update(ctx, key, data, revision)
		}
		if err == nil {
			b.set(key, e)
		}
		if !store.IsConflict(err) {
			return e, err
		}
	}
}

// Report takes over what waits in an account of machine, and what became of answers.
func (b *Board) Report(ctx context.Context, machine, name string, p *protocol.Pending, now time.Time) error {
	for _, t := range p.Taken {
		if err := b.Close(ctx, machine+"."+t.ID, t.Why, now); err != nil {
			return err
		}
	}
	waiting := map[string]bool{}
	for _, call := range p.Approvals[:min(len(p.Approvals), protocol.MaxPending)] {
		e := Entry{Approval: protocol.Approval{ID: protocol.ApprovalID(machine, p.User, call.Digest), Machine: machine, Name: name, User: p.User, Call: call}}
		waiting[e.key()] = true
		if err := b.put(ctx, &e); err != nil {
			return err
		}
	}
	over := b.find(machine, func(e *Entry) bool { return e.User == p.User && e.Given == nil && !waiting[e.key()] })
	for _, e := range over {
		if err := b.kv.Delete(ctx, e.key()); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
	}
	return nil
}

// put stores that the call of e waits. An earlier answer that counted is over then.
func (b *Board) put(ctx context.Context, e *Entry) error {
	b.mu.Lock()
	have, known := b.callsOf(e.Machine).entries[e.ID]
	b.mu.Unlock()
	isOver := func(g *protocol.Given) bool { return g != nil && g.Why == "" && !g.Taken.IsZero() }
	if known && !isOver(have.Given) && isSame(&have.Call, &e.Call) {
		return nil
	}
	_, err := b.update(ctx, e.key(), func(stored *Entry) error {
		given, approver := stored.Given, stored.Approver
		if *stored = *e; !isOver(given) {
			stored.Given, stored.Approver = given, approver
		}
		return nil
	})
	return err
}

// isSame reports whether two calls are shown alike.
func isSame(x, y *grant.Approval) bool {
	a, _ := json.Marshal(x) // cannot fail
	b, _ := json.Marshal(y)
	return bytes.Equal(a, b)
}

// Close stores what became of the answer to the approval under key: why it does not count, or "".
func (b *Board) Close(ctx context.Context, key, why string, now time.Time) error {
	_, err := b.update(ctx, key, func(e *Entry) error {
		if e.Given == nil || !e.Given.Taken.IsZero() {
			return errNothing
		}
		e.Given.Taken, e.Given.Why = now, why
		return nil
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

var errNothing = errors.New("nothing to do")

// Answer stores the answer of an approver. Of several answers, the first counts.
func (b *Board) Answer(ctx context.Context, id string, in protocol.NewAnswer, by people.Person, now time.Time) (protocol.Approval, error) {
	found := b.find("", func(e *Entry) bool { return e.ID == id && now.Before(e.Call.Expires) })
	if len(found) != 1 {
		return protocol.Approval{}, refuse(http.StatusNotFound, "no call with the number "+id+" waits for an answer", "to list the calls that wait, run checkrein fleet approvals")
	}
	e, err := b.update(ctx, found[0].key(), func(e *Entry) error {
		switch {
		case e.Machine == "": // it was answered on its machine meanwhile
			return refuse(http.StatusNotFound, "the call no longer waits", "to list the calls that wait, run checkrein fleet approvals")
		case !e.IsOpen():
			return refuse(http.StatusConflict, fmt.Sprintf("it was already answered: %s, by %s, at %s", e.Given.Decision, e.Given.By, e.Given.At.Format(time.DateTime)), "")
		}
		if err := check(&e.Call, &in); err != nil {
			return err
		}
		e.Given, e.Approver = &protocol.Given{NewAnswer: in, By: by.Name, At: now}, by.Key
		return nil
	})
	return e.Approval, err
}

// check returns a refusal unless in can be an answer to call.
func check(call *grant.Approval, in *protocol.NewAnswer) error {
	switch {
	case in.Decision != grant.AnswerAllow && in.Decision != grant.AnswerDeny:
		return refuse(http.StatusBadRequest, "the decision must be allow or deny", "")
	case len(in.Words) > protocol.MaxWords:
		return refuse(http.StatusBadRequest, fmt.Sprintf("the words for the agent are longer than %d bytes", protocol.MaxWords), "")
	case in.Digest != call.Digest:
		return refuse(http.StatusConflict, "this is not the call that was shown", "look at the call again, and answer it as it is now")
	case in.Decision == grant.AnswerAllow && len(call.Programs) > 0 && !in.Programs:
		return refuse(http.StatusUnprocessableEntity, "a program blocked this call, and it may know something that checkrein does not", `to lift its decision too, send "programs": true`)
	}
	return nil
}

func refuse(status int, why, remedy string) error {
	return &protocol.Refusal{Status: status, Why: why, Remedy: remedy}
}
