package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/fingerprint"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Entry holds everything that a record contains, before it is encoded.
type Entry struct {
	Event   *checkrein.Event // as received
	Outcome *engine.Outcome
	Reply   *wire.Reply
	Fault   string // why the event could not be read
	Policy  string
	Off     []string           // packs of guards that a file turned off
	Shadow  bool               // the outcome was not enforced, only recorded
	Counted *checkrein.Verdict // what was enforced; nil = the outcome
	Held    []string           // what the user's file loosens without confirmation
	Took    time.Duration
	Again   bool     // it replaces an earlier record of the call
	Foreign bool     // it did not come from the host of its session
	Caller  []string // the calling processes of a foreign event, nearest first
	Noted   []string // the processes that were noted as agent hosts before it

	Digests     [32]byte // the key for digests
	Lines       fingerprint.Key
	Redact      secret.Redactor
	Decode      func(val []byte) string // decodes a string of the event's JSON; nil means the standard decoding
	HookDigests func(h *checkrein.Hook) HookDigests
	// Found returns the secrets that were found in the event so far; nil means that they are not
	// recorded.
	Found func() []string
	// Mark returns the id of a secret, which its marker contains.
	Mark func(value string) string

	shortened int // number of times that the record was too long
	secrets   Secrets
}

// HookDigests holds the digests of a hook that was run.
type HookDigests struct {
	Definition [32]byte
	Approval   [32]byte // of what a person approved; zero means nothing
}

const (
	maxPart  = 16 << 10 // bytes of a part of the subject or the reply
	maxText  = 4 << 10  // bytes of a reason
	maxName  = 512      // bytes of an id or a path
	maxSteps = 200
	maxList  = 50 // notices, ignored keys, dropped effects

	// maxMembers limits the size of a record. The limits above do not suffice, since
	// JSON escapes some characters with six bytes.
	maxMembers = 512 << 10
)

// Members returns the record's members without braces, redacted and of limited length. A record that
// would be too long is shortened rather than dropped.
func (e *Entry) Members() []byte {
	b := e.encodeMembers()
	for len(b) > maxMembers && e.shortened < len(shorterLimits) {
		e.shortened++
		b = e.encodeMembers()
	}
	return b
}

// shorterLimits holds how many steps, list items and bytes of a text each further attempt keeps.
var shorterLimits = [...]struct{ steps, list, text int }{{50, 5, 200}, {5, 0, 100}}

// currentLimit returns usual in the first attempt, and otherwise what pick returns for the index in
// shorterLimits.
func (e *Entry) currentLimit(usual int, pick func(i int) int) int {
	if e.shortened == 0 {
		return usual
	}
	return pick(e.shortened - 1)
}

func (e *Entry) stepLimit() int {
	return e.currentLimit(maxSteps, func(i int) int { return shorterLimits[i].steps })
}
func (e *Entry) itemLimit() int {
	return e.currentLimit(maxList, func(i int) int { return shorterLimits[i].list })
}
func (e *Entry) textLimit() int {
	return e.currentLimit(maxText, func(i int) int { return shorterLimits[i].text })
}

// encodeMembers returns the members within the limits of the current attempt.
func (e *Entry) encodeMembers() []byte {
	b := append(make(rawjson.Object, 0, e.estimateSize()), '{')
	b.Text("program", build.Version)
	b.Text("policy", e.Policy)
	b.Texts("packs_off", e.redactList(e.Off))
	b.Texts("held", e.redactList(e.Held))
	b.Flag("shadow", e.Shadow)
	e.encodeTrial(&b)
	b.Flag("foreign", e.Foreign)
	b.Texts("caller", e.limitNames(e.Caller))
	b.Texts("noted", e.Noted) // the ledger searches for it
	b.Text("handle", e.Outcome.Handle)
	b.Text("unasked", e.redactText(e.Outcome.Unasked))
	b.Flag("again", e.Again)
	b.Flag("shortened", e.shortened > 0)
	e.encodeEvent(&b)
	e.encodeVerdict(&b)
	e.encodePlan(&b)
	e.encodeFacts(&b)
	e.encodeSubject(&b)
	e.encodeSecrets(&b)
	e.encodeReply(&b)
	if t := e.Event.Tool; t != nil {
		e.encodeLineHashes(&b, t)
	}
	b.Millis("ms", e.Took)
	return b[1:]
}

// estimateSize returns the approximate size of the members, including lines, so that memory is
// allocated once.
func (e *Entry) estimateSize() int {
	n := 4<<10 + estimatePart(len(e.Event.Text)) + estimatePart(len(e.Event.Messages))
	if t := e.Event.Tool; t != nil {
		n += estimatePart(len(t.Input)) + estimatePart(len(t.Output)) + min(len(t.Input)/4, fingerprint.MaxLines*fingerprint.Size*4/3)
	}
	if r := e.Reply; r != nil {
		n += estimatePart(len(r.Stdout)) + estimatePart(len(r.Stderr))
	}
	return n
}

// estimatePart returns the approximate size in a record of a value of n bytes. A long value is
// truncated and encoded as a string.
func estimatePart(n int) int {
	if n <= maxPart {
		return n
	}
	return maxPart + maxPart/4
}

func (e *Entry) encodeEvent(b *rawjson.Object) {
	ev := e.Event
	b.Text("event", ev.Kind.String())
	b.Text("native", e.limitName(ev.Native))
	host := ev.Host
	if host == "" {
		host = "native"
	}
	b.Text("host", host)
	b.Text("session", e.limitName(ev.Session.ID))
	if ev.Session.ID != "" {
		b.Text("session_key", SessionKey(host, ev.Session.ID, ev.Session.Agent))
	}
	b.Text("agent", e.limitName(ev.Session.Agent))
	b.Text("dir", e.limitName(ev.Session.Dir))
	b.Text("root", e.limitName(ev.Session.Root))
	if ev.Kind == checkrein.SessionStart {
		source, _ := rawjson.Text(ev.Detail("source"))
		b.Text("source", e.limitName(source))
	}
	if t := ev.Tool; t != nil {
		b.Open("tool")
		b.Text("name", e.limitName(t.Name))
		b.Text("canonical", e.limitName(t.Canonical))
		b.Text("call_id", e.limitName(t.CallID))
		b.Flag("failed", t.Failed)
		b.Close()
	}
}

// SessionKey returns a short key for the session of a host and agent, whatever its id looks like.
func SessionKey(host, id, agent string) string {
	sum := sha256.Sum256([]byte(host + "\x00" + id + "\x00" + agent))
	return hex.EncodeToString(sum[:8])
}

func (e *Entry) encodeVerdict(b *rawjson.Object) {
	v := &e.Outcome.Verdict
	b.Text("decision", v.Decision.String())
	b.Text("reason", e.redactText(v.Reason))
	b.Texts("effects", v.Effects().Words())
	if r := e.Outcome.Redo; r != nil {
		b.Open("redo")
		b.Int("attempt", r.Attempt)
		b.Int("limit", r.Limit)
		b.Close()
	}
	b.Text("answer", savedAnswer(cmp.Or(e.Counted, v)))
	b.Texts("saved", saveIDs(v))
	b.Texts("notices", e.redactList(v.Notice))
	e.encodeDropped(b, e.Outcome.Dropped)
	b.Texts("ignored", e.redactList(e.Outcome.IgnoredParts()))
	b.Flag("canceled", e.Outcome.Canceled)
	b.Text("fault", e.redactText(e.Fault))
}

// savedAnswer returns the answer of v if its decision does not show it, otherwise "".
func savedAnswer(v *checkrein.Verdict) string {
	if answer := engine.AnswerWord(v); v.Decision < checkrein.Ask && answer != "pass" {
		return answer
	}
	return ""
}

// saveIDs returns the IDs of the saves that v required.
func saveIDs(v *checkrein.Verdict) []string {
	var ids []string
	for i := range v.Obligations {
		if o := &v.Obligations[i]; o.Kind == "save" && o.ID != "" {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// encodePlan writes the hooks for the event: in full those that ran or were skipped, and by name those
// whose condition did not hold.
func (e *Entry) encodePlan(b *rawjson.Object) {
	all := e.Outcome.AllSteps()
	steps := make([]*engine.Step, 0, len(all))
	var unmet []string
	for i := range all {
		if s := &all[i]; s.Unmet {
			unmet = append(unmet, e.limitName(s.Hook.Label()))
		} else {
			steps = append(steps, s)
		}
	}
	b.List("plan", min(len(steps), e.stepLimit()), func(b *rawjson.Object, i int) { e.encodeStep(b, steps[i]) })
	b.Texts("unmet", unmet[:min(len(unmet), e.stepLimit())])
	if more := max(0, len(steps)-e.stepLimit()) + max(0, len(unmet)-e.stepLimit()); more > 0 {
		b.Int("plan_more", more)
	}
}

// encodeTrial writes what counted and what would have counted if no hook was in shadow mode, if those
// hooks had an opinion.
func (e *Entry) encodeTrial(b *rawjson.Object) {
	counted, would := cmp.Or(e.Counted, &e.Outcome.Verdict).Decision, checkrein.NoOpinion
	opinion := false
	for i := range e.Outcome.Tried {
		if v := e.Outcome.Tried[i].Verdict; v != nil && !v.IsZero() {
			would, opinion = max(would, v.Decision), true
		}
	}
	if !opinion {
		return
	}
	var by []string
	for i := range e.Outcome.Tried {
		if s := &e.Outcome.Tried[i]; s.Verdict != nil && s.Verdict.Decision == would && would != checkrein.NoOpinion {
			name := s.Hook.Label()
			if rule := s.Verdict.Metadata["rule"]; rule != "" && (s.Hook.Run == "builtin" || s.Hook.Run == "rule") {
				name = rule
			}
			by = append(by, name)
		}
	}
	b.Open("trial")
	b.Text("counted", counted.String())
	b.Text("would", max(counted, would).String())
	b.Texts("by", e.limitNames(by))
	b.Close()
}

// encodeStep writes what the hook of s did.
func (e *Entry) encodeStep(b *rawjson.Object, s *engine.Step) {
	*b = append(*b, '{')
	b.Text("hook", e.limitName(s.Hook.Label()))
	b.Text("type", s.Hook.Run)
	b.Text("scope", s.Hook.From.Scope.String())
	b.Text("origin", e.limitName(s.Hook.From.String()))
	sums := e.HookDigests(s.Hook)
	b.Hex("digest", sums.Definition[:16])
	if sums.Approval != [32]byte{} && (s.Answer != nil || s.Detached) {
		b.Hex("approval", sums.Approval[:16])
	}
	if s.Runs != [32]byte{} {
		b.Hex("runs", s.Runs[:16])
	}
	if s.Stage > 0 {
		b.Int("stage", s.Stage)
	}
	if s.Took > 0 {
		b.Millis("ms", s.Took)
	}
	b.Text("outcome", outcomeWord(s))
	b.Text("skipped", e.redactText(s.Skipped))
	if s.Fault != nil {
		b.Text("fault", e.redactText(s.Fault.Error()))
	}
	if v := s.Verdict; v != nil {
		if v.Decision != checkrein.NoOpinion {
			b.Text("decision", v.Decision.String())
			b.Text("reason", e.redactText(v.Reason))
		}
		b.Texts("effects", v.Effects().Words())
		e.encodeRules(b, s)
	}
	if l := s.Lifted; l != nil {
		b.Open("lifted")
		b.Text("grant", e.limitName(l.Grant))
		b.Text("decision", l.Decision.String())
		b.Text("reason", e.redactText(l.Reason))
		b.Close()
	}
	if s.Answer != nil && s.Answer.Usage != nil {
		e.encodeUsage(b, s.Answer.Usage)
	}
	if p := s.Passed; p != nil {
		b.Open("passed")
		b.Text("by", e.limitName(p.By))
		b.Text("reason", e.redactText(p.Reason))
		b.Close()
	}
	b.Flag("rejudged", s.Rejudged)
	b.Flag("stale", s.Stale)
	b.Flag("shadow", s.Hook.Shadow)
	b.Flag("tried", s.Tried)
	b.Close()
}

// encodeUsage writes the usage and cost of a model call.
func (e *Entry) encodeUsage(b *rawjson.Object, s *checkrein.Usage) {
	b.Open("spent")
	b.Text("model", e.limitName(s.Model))
	for _, n := range [...]struct {
		name  string
		value int
	}{{"input_tokens", s.Input}, {"output_tokens", s.Output}, {"cached_input_tokens", s.CachedInput}, {"cached_write_tokens", s.CachedWrite}, {"reasoning_tokens", s.Reasoning}} {
		if n.value > 0 {
			b.Int(n.name, n.value)
		}
	}
	if s.Cost != nil {
		b.Raw("cost", strconv.AppendFloat(nil, *s.Cost, 'f', -1, 64))
	}
	b.Flag("again", s.Again)
	b.Close()
}

// encodeRules writes the rules by which s decided. Metadata from programs is ignored.
func (e *Entry) encodeRules(b *rawjson.Object, s *engine.Step) {
	m := s.Verdict.Metadata
	if s.Lifted != nil {
		m = s.Lifted.Metadata
	}
	if s.Passed != nil {
		m = s.Passed.Metadata
	}
	if len(m) == 0 || s.Hook.Run != "builtin" && s.Hook.Run != "rule" {
		return
	}
	b.Text("pack", e.limitName(m["pack"]))
	b.Text("pack_key", e.limitName(m["pack_key"]))
	b.Text("pack_from", e.limitName(m["pack_from"]))
	b.Text("rule", e.limitName(m["rule"]))
	b.Texts("rules", e.redactList(strings.Fields(m["rules"])))
	b.Text("why", e.redactText(m["reason"]))
	b.Text("final", e.limitName(m["final"]))
	redacted := strings.Split(strings.TrimSpace(m["redacted"]), "\n")
	if redacted[0] != "" {
		b.List("redacted", len(redacted), func(b *rawjson.Object, i int) { e.encodeRedacted(b, strings.Fields(redacted[i])) })
	}
	b.Texts("excused", e.limitNames(strings.Fields(m["excused"])))
}

// encodeRedacted writes a value that was redacted. words are its id, rule, count and lines.
func (e *Entry) encodeRedacted(b *rawjson.Object, words []string) {
	words = append(words, "", "", "", "")
	*b = append(*b, '{')
	b.Text("id", e.limitName(words[0]))
	b.Text("rule", e.limitName(words[1]))
	n, _ := strconv.Atoi(words[2])
	b.Int("count", n)
	b.Text("lines", words[3])
	b.Close()
}

// outcomeWord returns the outcome of s in one word.
func outcomeWord(s *engine.Step) string {
	switch {
	case s.Fault != nil:
		return "fault"
	case s.Unapproved:
		return "unapproved"
	case s.Skipped != "":
		return "skipped"
	case s.Lifted != nil:
		return "lifted"
	case s.Passed != nil:
		return "passed"
	case s.Detached:
		return "detached"
	case s.Verdict == nil || s.Verdict.IsZero():
		return "silent"
	}
	return "answered"
}

func (e *Entry) encodeDropped(b *rawjson.Object, list []checkrein.Dropped) {
	b.List("dropped", min(len(list), e.itemLimit()), func(b *rawjson.Object, i int) {
		*b = append(*b, '{')
		b.Text("hook", e.limitName(list[i].Hook))
		b.Text("effect", list[i].Effect)
		b.Text("why", e.redactText(list[i].Why))
		b.Close()
	})
}

// redactList returns the first of texts, redacted.
func (e *Entry) redactList(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	out := make([]string, 0, min(len(texts), e.itemLimit()))
	for _, s := range texts[:min(len(texts), e.itemLimit())] {
		out = append(out, e.redactText(s))
	}
	return out
}

// limitNames returns the first of list, each as limitName returns it.
func (e *Entry) limitNames(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), e.itemLimit())] {
		out = append(out, e.limitName(s))
	}
	return out
}

// redactText returns s redacted and of limited length.
func (e *Entry) redactText(s string) string {
	if s == "" {
		return ""
	}
	return e.redactHead(s, e.textLimit(), e.Redact.MaskText)
}

// redactHead returns s without its secrets, truncated to at most most bytes. If s is much longer than
// that, the margin at its end is redacted too but never returned, because a secret may be cut off
// there.
func (e *Entry) redactHead(s string, most int, redact func(string) string) string {
	if len(s) <= most+margin {
		return truncateText(redact(s), most)
	}
	s = redact(truncateText(s, most+margin))
	return truncateText(s, min(most, max(0, len(s)-margin)))
}

// limitName returns s, an id or a path, with limited length. Since records are joined by such names,
// only known secrets in them are redacted.
func (e *Entry) limitName(s string) string { return e.redactHead(s, maxName, e.Redact.MaskName) }

// encodeLineHashes writes fingerprints of the lines that the tool call t writes.
func (e *Entry) encodeLineHashes(b *rawjson.Object, t *checkrein.Tool) {
	texts := tools.Texts(t.Name, t.Canonical, t.Input, tools.Content, e.Decode)
	if len(texts) == 0 {
		return
	}
	packed, all := fingerprint.HashLines(e.Lines, texts...)
	if len(packed) > 0 {
		b.Key("lines")
		*b = append(base64.StdEncoding.AppendEncode(append(*b, '"'), packed), '"')
	}
	b.Int("lines_all", all)
}
