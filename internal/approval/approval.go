package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// An Approval is one record: what a person approved, and when.
type Approval struct {
	File   string    `json:"file"`              // the configuration file, absolute, its project's links resolved
	Agent  string    `json:"agent,omitempty"`   // which of its agents, if not the first
	Root   string    `json:"root"`              // the project that it was approved in, likewise; "" = unknown
	ByName bool      `json:"by_name,omitempty"` // the file counts when somebody names it, as run does; else it is found
	Event  string    `json:"event"`             // its canonical name; native:X for the host's own X
	Key    string    `json:"key"`               // the name, or "#n": the n-th unnamed hook of that event in that file
	ID     string    `json:"id"`                // the hook's, as it was then
	Shows  string    `json:"shows"`             // what runs, for people; see Shows
	Gate   bool      `json:"gate"`              // it could deny: its event fails closed, or it is a gate or blocks on faults
	Tools  *Tools    `json:"tools,omitempty"`   // which tools it was asked about; nil = recorded before that was kept
	Digest string    `json:"digest"`            // of the definition; see Definition
	Text   string    `json:"text,omitempty"`    // of the definition as people read it, which is kept; see DefinitionText
	At     time.Time `json:"at"`

	// Plan is how it was told what the hook runs; 0 = by an earlier version, which
	// knew only of Files: all that the command named, whether it ran or was read.
	Plan   int             `json:"plan,omitempty"`
	Parts  []FileSum       `json:"parts,omitempty"`  // what would run
	Unsure []string        `json:"unsure,omitempty"` // what cannot be told, and was approved so
	Seen   json.RawMessage `json:"seen,omitempty"`   // what the plan was told by: texts, see [coverage.Seen], "=2" for a part; it is read when it is needed
	Vars   []string        `json:"vars,omitempty"`   // variables likewise
	Inputs string          `json:"inputs,omitempty"` // their values, and what else counts of the environment; see [coverage.Inputs]
	Files  []FileSum       `json:"files,omitempty"`
}

// Tools are the tools that a hook was asked about when it was approved, and what
// its faults did: enough to keep its gate closed once its file cannot be read.
type Tools struct {
	Match   string                `json:"match"`
	By      checkrein.MatchRule   `json:"by,omitempty"`
	Dialect string                `json:"dialect,omitempty"` // whose names Match may use
	OnFault checkrein.FaultPolicy `json:"on_fault"`
}

// A FileSum is the content of one file, or of a part of it. MTime and
// Size are for people.
type FileSum struct {
	Path   string    `json:"path"`           // absolute, symbolic links not resolved
	Name   string    `json:"name,omitempty"` // the part: "scripts and settings"; "" = all of it
	SHA256 string    `json:"sha256"`         // of what is there behind all links, in hex
	MTime  time.Time `json:"mtime"`
	Size   int64     `json:"size"`
}

// record makes the approval of a hook as it is now, and gives shelf what there
// is to keep.
func record(at coverage.Place, now time.Time, st *standing, shelf *shelf) (Approval, error) {
	h := st.hook
	a := Approval{
		File: st.file, Agent: st.agent, Root: at.Root, Event: st.event, Key: st.key, ID: h.ID, Shows: Shows(h),
		Gate: couldDeny(h), Tools: &Tools{h.Match, h.MatchBy, h.Dialect, h.OnFault}, Digest: st.digest, Text: shelf.add([]byte(DefinitionText(h))), At: now.UTC(),
	}
	if !filepath.IsAbs(a.File) {
		return a, fmt.Errorf("its file's path is not absolute: %s", a.File)
	}
	if !filepath.IsAbs(placeFor(at, h).Root) {
		return a, fmt.Errorf("its project's path is not absolute: %s", at.Root)
	}
	// JSON cannot hold other bytes, and a record that reads back differently
	// would approve nothing, silently.
	if !utf8.ValidString(a.File) || !utf8.ValidString(a.Root) {
		return a, fmt.Errorf("its file's path is not UTF-8: %q", a.File)
	}
	will := planOf(at, h)
	var errs []error
	for i := range will.plan.Parts {
		part := &will.plan.Parts[i]
		sum, err := will.sum(part)
		if will.absent(err) {
			continue
		}
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s %s", sum.Title(will.place.Root), describe(err)))
		case !utf8.ValidString(part.Path) || !utf8.ValidString(part.Name):
			errs = append(errs, fmt.Errorf("a file's path is not UTF-8: %q", part.Path))
		}
		if text := will.content(part); text != nil {
			shelf.put(sum.SHA256, text)
		}
		a.Parts = append(a.Parts, sum)
	}
	will.note(&a)
	return a, errors.Join(errs...)
}

func (a *Approval) place() place { return place{a.File, a.Agent, a.Event, a.Digest} }

// approve puts the fresh records in place of those that the picked hooks had,
// and brings the keys of the other hooks up to date.
func (b *book) approve(list []standing, picked []bool, fresh []Approval) {
	b.bind(list)
	drop := make([]bool, len(b.approvals))
	for i := range list {
		st := &list[i]
		switch {
		case st.state != Unapproved && picked[i]:
			drop[st.approval] = true
		case st.state == Approved:
			b.approvals[st.approval].Key = st.key
		}
	}
	kept := b.approvals[:0]
	for i, a := range b.approvals {
		if !drop[i] {
			kept = append(kept, a)
		}
	}
	b.approvals = append(kept, fresh...)
}

// Revoke removes the approvals that match, and returns them. Match is called
// while the approvals are locked.
func Revoke(dir state.Dir, match func(Approval) bool) ([]Approval, error) {
	var gone []Approval
	err := change(dir, false, func(b *book) (bool, error) {
		kept := b.approvals[:0]
		for _, a := range b.approvals {
			if match(a) {
				gone = append(gone, a)
			} else {
				kept = append(kept, a)
			}
		}
		b.approvals = kept
		return len(gone) > 0, nil
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// SetOff turns the master switch: off = true turns hooks off.
func SetOff(dir state.Dir, off bool) error {
	return change(dir, off, func(b *book) (bool, error) {
		was := b.off
		b.off = off
		return was != off, nil
	})
}

// List returns all approvals, oldest first.
func List(dir state.Dir) ([]Approval, error) {
	b, err := read(dir)
	return b.approvals, err
}
