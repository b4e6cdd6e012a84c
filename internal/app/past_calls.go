package app

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/undo"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Replay configures a kit that decides past calls again.
type Replay struct {
	// Policy is a file, or a directory with a checkrein.yaml, that stands in for the user's own files,
	// as if the user had confirmed what it loosens; "" = the user's own files count.
	Policy string
}

// A PastCall is a call that is decided again. It is used for one decision.
type PastCall struct {
	Event checkrein.Event
	Whole bool // the event has all of its payload; records lack its details

	// What the record has; the zero values if there is none.
	Answer    string       // the word for the answer, as [engine.AnswerWord] returns it
	Redo      *record.Redo // nil = the agent was not made to continue
	Off       []string     // packs of guards that a file turned off
	Rewritten json.RawMessage
	Plan      func() []record.Step // the hooks that ran; nil = the call was not recorded
	Earlier   func() [][]byte      // the records of earlier calls of the session, newest first; nil = none
	SameBuild bool                 // this build decided it, and no hook rewrote anything

	mu      sync.Mutex
	gaps    []Gap
	special bool
	judged  bool
	sought  []string
}

// A Gap is something on which a decision depends and that is not known any more.
type Gap struct {
	Kind GapKind
	What string
}

// A GapKind is a kind of [Gap].
type GapKind string

// The kinds of gaps.
const (
	GapProgram GapKind = "runs"    // a hook runs a program or asks a model, and the call has no answer of it
	GapPayload GapKind = "payload" // a part of the event that records do not have
	GapState   GapKind = "state"   // what checkrein or the person had decided or saved until then
)

// addGap adds a gap, once.
func (c *PastCall) addGap(kind GapKind, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := (Gap{kind, what}); !slices.Contains(c.gaps, g) {
		c.gaps = append(c.gaps, g)
	}
}

// markSpecial notes that the decision depends on more than the event and the answer.
func (c *PastCall) markSpecial() {
	c.mu.Lock()
	c.special = true
	c.mu.Unlock()
}

// Gaps returns what the decision depended on and is not known any more.
func (c *PastCall) Gaps() []Gap { return c.gaps }

// IsSpecial reports whether the decision depended on recorded answers of programs, on approvals or on the
// session, so that another call with the same event may be decided differently.
func (c *PastCall) IsSpecial() bool { return c.special }

// IsJudged reports whether something besides the event and the record was needed, such as files.
func (c *PastCall) IsJudged() bool { return c.judged }

// markJudged notes that something besides the event and the record was needed.
func (c *PastCall) markJudged() {
	c.mu.Lock()
	c.judged = true
	c.mu.Unlock()
}

// Sought returns the texts that were searched for in earlier calls. Earlier calls without any of them did
// not matter.
func (c *PastCall) Sought() []string { return c.sought }

// steps returns the hooks that ran then.
func (c *PastCall) steps() []record.Step {
	if c.Plan == nil {
		return nil
	}
	return c.Plan()
}

// findStep returns what the hook with this label and definition did then, or nil if it did not run.
func (c *PastCall) findStep(label, digest string) *record.Step {
	list := c.steps()
	for i := range list {
		if s := &list[i]; s.Hook == label && s.Digest == digest {
			return s
		}
	}
	return nil
}

// pastCallKey is the key of a PastCall in the Shared map of its event.
type pastCallKey struct{}

// pastCallOf returns the call that is decided again with ev.
func pastCallOf(ev *checkrein.Event) *PastCall {
	if ev.Shared != nil {
		if c, ok := ev.Shared.Load(pastCallKey{}); ok {
			return c.(*PastCall)
		}
	}
	return new(PastCall)
}

// Replay decides a past call again. Hooks that run programs give the answer that the call's record has
// of them. Hooks in shadow mode do not count; a pause has no influence.
func (k *Kit) Replay(ctx context.Context, c *PastCall) engine.Outcome {
	ev := k.withSession(c.Event)
	ev.Shared = new(sync.Map)
	ev.Shared.Store(pastCallKey{}, c)
	if !c.Whole && host.SettingsMember(&ev) != "" {
		c.addGap(GapPayload, "the settings that the agent was about to use")
	}
	v := k.view()
	var counts func(*checkrein.Hook) bool
	if until, _ := k.fileShadow(); until != "" || k.hasHookInShadow(v.hooks) {
		counts = k.Counts
	}
	out := v.engine.DecideBy(ctx, ev, counts)
	for i := range out.Steps {
		s := &out.Steps[i]
		if namesSession(s.Hook) {
			c.markSpecial()
		}
		if field := unrecordedField(s.Hook); field != "" && !c.Whole {
			c.addGap(GapPayload, field+", for the hook "+s.Hook.Label())
		}
		if c.Plan != nil && !s.Unmet && (s.Unapproved || s.Hook.From.Approval || errors.Is(s.Fault, engine.ErrChanged)) {
			c.compareApproval(s)
		}
	}
	return out
}

// compareApproval adds a gap if the hook of s is approved now and was not then, or the reverse.
func (c *PastCall) compareApproval(s *engine.Step) {
	c.markSpecial()
	was := c.findStep(s.Hook.Label(), definitionDigest(s.Hook))
	if was == nil {
		return
	}
	changed := errors.Is(s.Fault, engine.ErrChanged)
	if (was.Outcome == "unapproved") != s.Unapproved || changed && was.Outcome != "fault" {
		c.addGap(GapState, "the approval of the hook "+s.Hook.Label())
	}
}

// unrecordedField returns a field that the condition of h tests and records lack, or "".
func unrecordedField(h *checkrein.Hook) (name string) {
	if h.Search != "" {
		return "the whole payload"
	}
	fields := checkrein.ContractOf(h.On).Fields
	if len(h.If) == 0 || len(fields) == 0 {
		return ""
	}
	rawjson.EachKey(h.If, func(key string) bool {
		if slices.Contains(fields, key) {
			name = key
		}
		return name == ""
	})
	return name
}

// namesSession reports whether the answer of h may depend on the ID of the session.
func namesSession(h *checkrein.Hook) bool {
	const field = "session_id"
	return h.Search != "" || bytes.Contains(h.If, []byte(field)) || h.Run == "rule" && bytes.Contains(h.With, []byte(field))
}

// definitionDigest returns the digest of the definition of h as records have it.
func definitionDigest(h *checkrein.Hook) string {
	sum := approval.DefinitionDigest(h)
	return hex.EncodeToString(sum[:16])
}

// setUpReplay changes the options of the engine for a kit that decides past calls again.
func (k *Kit) setUpReplay() {
	o := &k.engineOptions
	for i := range o.Handlers {
		o.Handlers[i] = recordedType(o.Handlers[i])
	}
	o.Memory, o.CheckEvents, o.Doubts, o.Running = pastRedos{}, false, nil, nil
	o.Unasked = nil // that there was no person to ask is not the policy's doing
	o.Detach = func(*checkrein.Hook, checkrein.Event) error { return nil }
	k.replays = true
}

// recordedType returns t with handlers that give recorded answers, unless those of t decide by the event
// alone.
func recordedType(t checkrein.HandlerType) checkrein.HandlerType {
	traits := func(h *checkrein.Hook) (out checkrein.Traits) {
		if t.Traits != nil {
			out = t.Traits(h)
		}
		return out
	}
	real := func(h *checkrein.Hook) bool {
		has := traits(h)
		return t.Name == "rule" || t.Name == "builtin" && (has.Judges || has.Redacts)
	}
	return checkrein.HandlerType{
		Name: t.Name,
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			handler, err := t.New(h)
			switch {
			case err != nil || t.Name == "rule":
				return handler, err
			case real(&h):
				return unchangedHandler{handler, h.Label(), definitionDigest(&h), h.From.Scope.String()}, nil
			}
			return recordedHandler{h.Label(), definitionDigest(&h)}, nil
		},
		Traits: func(h *checkrein.Hook) checkrein.Traits {
			has := traits(h)
			has.Instant = has.Instant || !real(h)
			return has
		},
	}
}

// An unchangedHandler decides past calls again, except those about which the same build had no opinion by
// the same definition.
type unchangedHandler struct {
	checkrein.Handler
	label, digest, scope string
}

// Handle implements [checkrein.Handler].
func (u unchangedHandler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	c := pastCallOf(&ev)
	if c.isSilentAsBefore(&ev, &u) {
		return checkrein.Answer{}, nil
	}
	c.markJudged()
	return u.Handler.Handle(ctx, ev)
}

// isSilentAsBefore reports whether the hook u had no opinion about the event and has none again: neither its
// definition nor the event changed. Answers may also depend on grants, judges and walls.
func (c *PastCall) isSilentAsBefore(ev *checkrein.Event, u *unchangedHandler) bool {
	if !c.SameBuild || !sameSubject(ev, &c.Event) {
		return false
	}
	list := c.steps()
	for i := range list {
		if s := &list[i]; s.Hook == u.label && s.Digest == u.digest && s.Scope == u.scope && s.Outcome == "silent" && !s.Tried {
			return true
		}
	}
	return false
}

// sameSubject reports whether the events have the same contents.
func sameSubject(a, b *checkrein.Event) bool {
	if a.Text != b.Text || !bytes.Equal(a.Messages, b.Messages) || (a.Tool == nil) != (b.Tool == nil) {
		return false
	}
	return a.Tool == nil || bytes.Equal(a.Tool.Input, b.Tool.Input) && bytes.Equal(a.Tool.Output, b.Tool.Output)
}

// A recordedHandler gives the answers that records have of a hook.
type recordedHandler struct{ label, digest string }

// Handle implements [checkrein.Handler].
func (r recordedHandler) Handle(_ context.Context, ev checkrein.Event) (a checkrein.Answer, err error) {
	c := pastCallOf(&ev)
	c.markSpecial()
	s := c.findStep(r.label, r.digest)
	switch {
	case s == nil || s.Outcome == "skipped" || s.Outcome == "unapproved" || s.Outcome == "detached":
		c.addGap(GapProgram, r.label)
		return a, nil
	case s.Outcome == "fault":
		return a, errors.New(s.Fault)
	}
	v := &a.Verdict
	v.Decision, _ = hookfile.ParseDecision(s.Decision)
	v.Reason = s.Reason
	if s.Lifted != nil {
		v.Decision, _ = hookfile.ParseDecision(s.Lifted.Decision)
		v.Reason = s.Lifted.Reason
	}
	for _, word := range s.Effects {
		if !c.addRecordedEffect(v, word) {
			c.addGap(GapPayload, "what the hook "+r.label+" rewrote")
		}
	}
	return a, nil
}

// notRecorded stands for texts of hooks, which records do not have.
const notRecorded = "(not recorded)"

// addRecordedEffect gives v the effect called word, or reports false if the record does not have what
// that needs. Decisions and effects that do not matter are left out.
func (c *PastCall) addRecordedEffect(v *checkrein.Verdict, word string) bool {
	switch word {
	case "rewrite_input":
		v.Input = c.Rewritten
		return c.Rewritten != nil
	case "rewrite_output", "rewrite_messages":
		return false
	case "context":
		v.Context = []string{notRecorded}
	case "redo":
		v.Redo = notRecorded
	case "halt":
		v.Halt = true
	case "summary":
		v.Summary = notRecorded
	}
	return true
}

// pastRedos is an [engine.Memory] with the counts in records.
type pastRedos struct{}

// Turn implements [engine.Memory].
func (pastRedos) Turn(*checkrein.Event) {}

// Redo implements [engine.Memory]. If the agent was not made to continue then, the count was too high.
func (pastRedos) Redo(ev *checkrein.Event, _, _ string) int {
	c := pastCallOf(ev)
	c.markSpecial()
	switch {
	case c.Redo != nil:
		return c.Redo.Attempt
	case c.Plan == nil:
		return 1
	}
	return engine.Uncounted
}

// earlierPastCalls implements [builtin.Machine.Earlier].
func earlierPastCalls(ev *checkrein.Event) [][]byte {
	c := pastCallOf(ev)
	if c.Earlier == nil {
		return nil
	}
	return c.Earlier()
}

// noteSought implements [builtin.Machine.Sought].
func noteSought(ev *checkrein.Event, text string) {
	c := pastCallOf(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.sought, text) {
		c.sought = append(c.sought, text)
	}
}

// pastPacks returns what the hook with the user's packs did then, or nil if it did not run, and whether
// the packs and their levels were the same.
func (k *Kit) pastPacks(c *PastCall) (s *record.Step, same bool) {
	list := c.steps()
	for i := range k.config.Hooks {
		h := &k.config.Hooks[i]
		if !h.Implied || h.Name != "packs" {
			continue
		}
		for j := range list {
			if list[j].Hook == h.Label() && list[j].Scope == h.From.Scope.String() {
				return &list[j], list[j].Digest == definitionDigest(h)
			}
		}
	}
	return nil, false
}

// pastSave implements [builtin.Machine.Save]: it saves nothing, and returns what saving led to then.
func (k *Kit) pastSave(_ context.Context, ev *checkrein.Event, _ undo.Request) (builtin.Saved, error) {
	c := pastCallOf(ev)
	was, same := k.pastPacks(c)
	switch {
	case c.Answer == "saved":
		return builtin.Saved{Any: true}, nil
	case c.Answer == "contained":
		return builtin.Saved{}, nil
	case c.Plan == nil || was == nil:
		c.addGap(GapState, "what the call would lose")
	case was.Decision == "" && was.Lifted == nil && (same || len(c.Off) == 0):
		return builtin.Saved{Any: ev.Kind == checkrein.PermissionRequest}, nil // there was nothing to lose, or it was saved before
	case same:
		return builtin.Saved{}, undo.ErrNotSaved
	default:
		c.addGap(GapState, "what the call would lose")
	}
	return builtin.Saved{Any: true}, nil
}

// pastContainment implements [builtin.Machine.Contains]: walls hold if they held then. Under other packs
// than then, they hold if they are installed now.
func (k *Kit) pastContainment(_ context.Context, ev *checkrein.Event, _ []string) (builtin.Containment, error) {
	c := pastCallOf(ev)
	was, same := k.pastPacks(c)
	switch {
	case c.Answer == "contained":
		return builtin.Contained, nil
	case was != nil && same && was.Decision == "" && was.Lifted == nil:
		return builtin.Opened, nil // as it was without walls, if nothing in it was asked about
	case was != nil && same || !k.approvalState.Has(wrap.HostFile(ev.Host)):
		return builtin.NotContained, nil
	}
	return builtin.Contained, nil
}
