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

// An Approval is a record of what a person approved, and when.
type Approval struct {
	File   string    `json:"file"`              // the configuration file, absolute, with the symlinks of its project resolved
	Agent  string    `json:"agent,omitempty"`   // which of its agents, if not the first
	Root   string    `json:"root"`              // the project in which it was approved, with symlinks resolved; "" means unknown
	ByName bool      `json:"by_name,omitempty"` // the file counts only when it is named, as in a run; otherwise it is discovered
	Event  string    `json:"event"`             // its canonical name; native:X for the host's own X
	Key    string    `json:"key"`               // the name, or "#n": the n-th unnamed hook of that event in that file
	ID     string    `json:"id"`                // the hook's id at that time
	Runs   string    `json:"shows"`             // what the hook runs, for people; see RunText
	Gate   bool      `json:"gate"`              // the hook could deny: its event fails closed, or it is a gate, or its faults block
	Tools  *Tools    `json:"tools,omitempty"`   // the tools that the hook was called for; nil means that an older build approved it
	Digest string    `json:"digest"`            // of the definition; see DefinitionHex
	Text   string    `json:"text,omitempty"`    // digest of the definition's text, which is kept as content; see DefinitionText
	At     time.Time `json:"at"`

	// Plan is the version of the plan of what the hook runs. 0 means an early version that recorded
	// only Files: all files that the command named, whether they ran or were read.
	Plan   int             `json:"plan,omitempty"`
	Parts  []FileDigest    `json:"parts,omitempty"`  // what would run
	Unsure []string        `json:"unsure,omitempty"` // what could not be determined and was approved nevertheless
	Seen   json.RawMessage `json:"seen,omitempty"`   // the observations that the plan depends on, as texts; see [coverage.Observation]. "=2" refers to Parts[2]. It is decoded when needed
	Vars   []string        `json:"vars,omitempty"`   // the environment variables that the plan depends on
	Inputs string          `json:"inputs,omitempty"` // digest of their values and of the rest of the environment that counts; see [coverage.InputsDigest]
	Files  []FileDigest    `json:"files,omitempty"`
}

// Tools holds the tools that a hook was called for when it was approved, and the effect of its faults:
// enough to keep its gate closed when its file can no longer be read.
type Tools struct {
	Match   string                `json:"match"`
	By      uint8                 `json:"by,omitempty"`      // 1 = the hook has MatchWords
	Dialect string                `json:"dialect,omitempty"` // the dialect whose tool names Match may use
	OnFault checkrein.FaultPolicy `json:"on_fault"`
}

// matchRule returns how h.Match is read, in the notation of [Tools]: 1 for MatchWords, otherwise 0.
func matchRule(h *checkrein.Hook) uint8 {
	if h.MatchWords {
		return 1
	}
	return 0
}

// MatchesWords reports whether Match was read as words; see [checkrein.Hook].
func (t *Tools) MatchesWords() bool { return t.By == 1 }

// A FileDigest describes the contents of a file, or of a part of it. MTime and Size are for people.
type FileDigest struct {
	Path   string    `json:"path"`           // absolute, symlinks not resolved
	Name   string    `json:"name,omitempty"` // the part, such as "scripts and settings"; "" means the whole file
	SHA256 string    `json:"sha256"`         // of the contents after resolving symlinks, in hex
	MTime  time.Time `json:"mtime"`
	Size   int64     `json:"size"`
}

// newApproval returns the approval of the hook st as it is now, and adds the contents to keep to
// shelf. It returns an error if the hook cannot be approved.
func newApproval(at coverage.Place, now time.Time, st *boundHook, shelf *pendingContent) (Approval, error) {
	h := st.hook
	a := Approval{
		File: st.file, Agent: st.agent, Root: at.Root, Event: st.event, Key: st.key, ID: h.ID, Runs: RunText(h),
		Gate: canDeny(h), Tools: &Tools{h.Match, matchRule(h), h.Dialect, h.OnFault}, Digest: st.digest, Text: shelf.addContent([]byte(DefinitionText(h))), At: now.UTC(),
	}
	if !filepath.IsAbs(a.File) {
		return a, fmt.Errorf("its file's path is not absolute: %s", a.File)
	}
	if !filepath.IsAbs(placeFor(at, h).Root) {
		return a, fmt.Errorf("its project's path is not absolute: %s", at.Root)
	}
	// JSON cannot represent other bytes, and a record that is decoded differently would approve nothing.
	if !utf8.ValidString(a.File) || !utf8.ValidString(a.Root) {
		return a, fmt.Errorf("its file's path is not UTF-8: %q", a.File)
	}
	will := planNow(at, h)
	var errs []error
	for i := range will.plan.Parts {
		part := &will.plan.Parts[i]
		sum, err := will.digestPart(part)
		if will.mayBeAbsent(err) {
			continue
		}
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s %s", sum.Title(will.place.Root), describeReadError(err)))
		case !utf8.ValidString(part.Path) || !utf8.ValidString(part.Name):
			errs = append(errs, fmt.Errorf("a file's path is not UTF-8: %q", part.Path))
		}
		if text := will.contentToKeep(part); text != nil {
			shelf.put(sum.SHA256, text)
		}
		a.Parts = append(a.Parts, sum)
	}
	will.recordIn(&a)
	return a, errors.Join(errs...)
}

// bindingKey returns what a is for.
func (a *Approval) bindingKey() hookKey { return hookKey{a.File, a.Agent, a.Event, a.Digest} }

// replaceApprovals replaces the approvals of the picked hooks in list by fresh, and updates the keys
// of the other approved hooks.
func (b *book) replaceApprovals(list []boundHook, picked []bool, fresh []Approval) {
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

// Revoke removes and returns the approvals for which match returns true. It calls match while it holds
// the lock.
func Revoke(dir state.Dir, match func(Approval) bool) ([]Approval, error) {
	var gone []Approval
	err := changeBook(dir, false, func(b *book) (bool, error) {
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

// SetOff sets the master switch. If off is true, no hook runs.
func SetOff(dir state.Dir, off bool) error {
	return changeBook(dir, off, func(b *book) (bool, error) {
		was := b.off
		b.off = off
		return was != off, nil
	})
}

// List returns all approvals, oldest first.
func List(dir state.Dir) ([]Approval, error) {
	b, err := readBook(dir)
	return b.approvals, err
}
