package record

import (
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

// An Entry is everything that a record is made of.
type Entry struct {
	Event   *checkrein.Event // as it came
	Outcome *engine.Outcome
	Reply   *wire.Reply
	Fault   string // why the event could not be read
	Policy  string
	Off     []string // packs of guards that a file switched off
	Shadow  bool     // the outcome is what would have counted: it was not enforced
	Held    []string // what the person's file loosens and is not confirmed
	Took    time.Duration
	Foreign bool     // it did not come from the host of its session
	Caller  []string // from whom, then: processes, nearest first
	Noted   []string // the processes that were noted as agent hosts before it

	Digests [32]byte // the key of digests
	Lines   fingerprint.Key
	Redact  secret.Redactor
	Decode  func(val []byte) string // a string of the event's JSON; nil = as anyone does
	Sums    func(h *checkrein.Hook) Sums
	// Found returns the secrets that were found in the event so far; nil = they are not
	// told from each other.
	Found func() []string
	// Mark returns by what a secret is known again, as in its marker.
	Mark func(value string) string

	short   int // how often it was too long
	secrets Secrets
}

// Sums are the digests of a hook that was asked.
type Sums struct {
	Definition [32]byte
	Approval   [32]byte // of what a person approved of it; zero = nothing
}

const (
	maxPart  = 16 << 10 // of the subject, and of the reply
	maxText  = 4 << 10  // of a reason
	maxName  = 512      // of an id or a path
	maxSteps = 200
	maxList  = 50 // notices, ignored keys, dropped effects

	// maxMembers is what a record may come to. JSON spells some characters in
	// six, so that what is bounded above can still be too long together.
	maxMembers = 512 << 10
)

// Members returns the record's members, redacted and of bounded length, without
// braces. What is too long is left out rather than not recorded.
func (e *Entry) Members() []byte {
	b := e.members()
	for len(b) > maxMembers && e.short < len(shorter) {
		e.short++
		b = e.members()
	}
	return b
}

// shorter is how many steps, list items and bytes of a text each try keeps.
var shorter = [...]struct{ steps, list, text int }{{50, 5, 200}, {5, 0, 100}}

// most returns a bound of the present try.
func (e *Entry) most(usual int, pick func(i int) int) int {
	if e.short == 0 {
		return usual
	}
	return pick(e.short - 1)
}

func (e *Entry) steps() int { return e.most(maxSteps, func(i int) int { return shorter[i].steps }) }
func (e *Entry) items() int { return e.most(maxList, func(i int) int { return shorter[i].list }) }
func (e *Entry) chars() int { return e.most(maxText, func(i int) int { return shorter[i].text }) }

func (e *Entry) members() []byte {
	b := append(make(rawjson.Object, 0, e.size()), '{')
	b.Text("program", build.Version)
	b.Text("policy", e.Policy)
	b.Texts("packs_off", e.list(e.Off))
	b.Texts("held", e.list(e.Held))
	b.Flag("shadow", e.Shadow)
	b.Flag("foreign", e.Foreign)
	b.Texts("caller", e.names(e.Caller))
	b.Texts("noted", e.Noted) // which the ledger looks for
	b.Text("handle", e.Outcome.Handle)
	b.Text("unasked", e.prose(e.Outcome.Unasked))
	b.Flag("shortened", e.short > 0)
	e.event(&b)
	e.verdict(&b)
	e.plan(&b)
	e.facts(&b)
	e.subject(&b)
	e.marked(&b)
	e.reply(&b)
	if t := e.Event.Tool; t != nil {
		e.lines(&b, t)
	}
	b.Millis("ms", e.Took)
	return b[1:]
}

// size is about what the members come to, lines included: room that is made at once
// leaves no pages behind.
func (e *Entry) size() int {
	n := 4<<10 + room(len(e.Event.Text)) + room(len(e.Event.Messages))
	if t := e.Event.Tool; t != nil {
		n += room(len(t.Input)) + room(len(t.Output)) + min(len(t.Input)/4, fingerprint.MaxLines*fingerprint.Size*4/3)
	}
	if r := e.Reply; r != nil {
		n += room(len(r.Stdout)) + room(len(r.Stderr))
	}
	return n
}

// room is about what a value comes to in a record: a long one is cut and spelt as a
// string once more.
func room(n int) int {
	if n <= maxPart {
		return n
	}
	return maxPart + maxPart/4
}

func (e *Entry) event(b *rawjson.Object) {
	ev := e.Event
	b.Text("event", ev.Kind.String())
	b.Text("native", e.name(ev.Native))
	host := ev.Host
	if host == "" {
		host = "native"
	}
	b.Text("host", host)
	b.Text("session", e.name(ev.Session.ID))
	if ev.Session.ID != "" {
		b.Text("session_key", SessionKey(host, ev.Session.ID, ev.Session.Agent))
	}
	b.Text("agent", e.name(ev.Session.Agent))
	b.Text("dir", e.name(ev.Session.Dir))
	b.Text("root", e.name(ev.Session.Root))
	if ev.Kind == checkrein.SessionStart {
		source, _ := rawjson.Text(ev.Detail("source"))
		b.Text("source", e.name(source))
	}
	if t := ev.Tool; t != nil {
		b.Open("tool")
		b.Text("name", e.name(t.Name))
		b.Text("canonical", e.name(t.Canonical))
		b.Text("call_id", e.name(t.CallID))
		b.Flag("failed", t.Failed)
		b.Close()
	}
}

// SessionKey names a session of a host, whatever its id looks like.
func SessionKey(host, id, agent string) string {
	sum := sha256.Sum256([]byte(host + "\x00" + id + "\x00" + agent))
	return hex.EncodeToString(sum[:8])
}

func (e *Entry) verdict(b *rawjson.Object) {
	v := &e.Outcome.Verdict
	b.Text("decision", v.Decision.String())
	b.Text("reason", e.prose(v.Reason))
	b.Texts("effects", v.Effects().Words())
	if r := e.Outcome.Redo; r != nil {
		b.Open("redo")
		b.Int("attempt", r.Attempt)
		b.Int("limit", r.Limit)
		b.Close()
	}
	b.Texts("notices", e.list(v.Notice))
	e.dropped(b, e.Outcome.Dropped)
	b.Texts("ignored", e.list(e.Outcome.Ignored()))
	b.Flag("canceled", e.Outcome.Canceled)
	b.Text("fault", e.prose(e.Fault))
}

// plan lists the hooks that the event concerned: in full those that were asked
// or kept from it, by name those whose condition did not hold.
func (e *Entry) plan(b *rawjson.Object) {
	steps := make([]*engine.Step, 0, len(e.Outcome.Steps))
	var unmet []string
	for i := range e.Outcome.Steps {
		if s := &e.Outcome.Steps[i]; s.Unmet {
			unmet = append(unmet, e.name(s.Hook.Label()))
		} else {
			steps = append(steps, s)
		}
	}
	b.List("plan", min(len(steps), e.steps()), func(b *rawjson.Object, i int) { e.step(b, steps[i]) })
	b.Texts("unmet", unmet[:min(len(unmet), e.steps())])
	if more := max(0, len(steps)-e.steps()) + max(0, len(unmet)-e.steps()); more > 0 {
		b.Int("plan_more", more)
	}
}

func (e *Entry) step(b *rawjson.Object, s *engine.Step) {
	*b = append(*b, '{')
	b.Text("hook", e.name(s.Hook.Label()))
	b.Text("type", s.Hook.Run)
	b.Text("scope", s.Hook.From.Scope.String())
	b.Text("origin", e.name(s.Hook.From.String()))
	sums := e.Sums(s.Hook)
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
	b.Text("outcome", outcome(s))
	b.Text("skipped", e.prose(s.Skipped))
	if s.Fault != nil {
		b.Text("fault", e.prose(s.Fault.Error()))
	}
	if v := s.Verdict; v != nil {
		if v.Decision != checkrein.NoOpinion {
			b.Text("decision", v.Decision.String())
			b.Text("reason", e.prose(v.Reason))
		}
		b.Texts("effects", v.Effects().Words())
		e.decider(b, s)
	}
	if l := s.Lifted; l != nil {
		b.Open("lifted")
		b.Text("grant", e.name(l.Grant))
		b.Text("decision", l.Decision.String())
		b.Text("reason", e.prose(l.Reason))
		b.Close()
	}
	if s.Answer != nil && s.Answer.Usage != nil {
		e.spent(b, s.Answer.Usage)
	}
	if p := s.Passed; p != nil {
		b.Open("passed")
		b.Text("by", e.name(p.By))
		b.Text("reason", e.prose(p.Reason))
		b.Close()
	}
	b.Flag("rejudged", s.Rejudged)
	b.Flag("stale", s.Stale)
	b.Flag("shadow", s.Hook.Shadow)
	b.Close()
}

// spent writes what asking a model took.
func (e *Entry) spent(b *rawjson.Object, s *checkrein.Usage) {
	b.Open("spent")
	b.Text("model", e.name(s.Model))
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

// decider writes by what a step decided. A program's own word for it does not count.
func (e *Entry) decider(b *rawjson.Object, s *engine.Step) {
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
	b.Text("pack", e.name(m["pack"]))
	b.Text("pack_key", e.name(m["pack_key"]))
	b.Text("pack_from", e.name(m["pack_from"]))
	b.Text("rule", e.name(m["rule"]))
	b.Texts("rules", e.list(strings.Fields(m["rules"])))
	b.Text("why", e.prose(m["reason"]))
	b.Text("final", e.name(m["final"]))
	redacted := strings.Split(strings.TrimSpace(m["redacted"]), "\n")
	if redacted[0] != "" {
		b.List("redacted", len(redacted), func(b *rawjson.Object, i int) { e.redacted(b, strings.Fields(redacted[i])) })
	}
	b.Texts("excused", e.names(strings.Fields(m["excused"])))
}

// redacted writes a value that was redacted: id, rule, count and lines.
func (e *Entry) redacted(b *rawjson.Object, words []string) {
	words = append(words, "", "", "", "")
	*b = append(*b, '{')
	b.Text("id", e.name(words[0]))
	b.Text("rule", e.name(words[1]))
	n, _ := strconv.Atoi(words[2])
	b.Int("count", n)
	b.Text("lines", words[3])
	b.Close()
}

// outcome describes in a word what became of a hook.
func outcome(s *engine.Step) string {
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

func (e *Entry) dropped(b *rawjson.Object, list []checkrein.Dropped) {
	b.List("dropped", min(len(list), e.items()), func(b *rawjson.Object, i int) {
		*b = append(*b, '{')
		b.Text("hook", e.name(list[i].Hook))
		b.Text("effect", list[i].Effect)
		b.Text("why", e.prose(list[i].Why))
		b.Close()
	})
}

func (e *Entry) list(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	out := make([]string, 0, min(len(texts), e.items()))
	for _, s := range texts[:min(len(texts), e.items())] {
		out = append(out, e.prose(s))
	}
	return out
}

// names are ids that are kept as they are, like name.
func (e *Entry) names(list []string) []string {
	var out []string
	for _, s := range list[:min(len(list), e.items())] {
		out = append(out, e.name(s))
	}
	return out
}

// prose redacts a text and bounds it.
func (e *Entry) prose(s string) string {
	if s == "" {
		return ""
	}
	return e.within(s, e.chars(), e.Redact.Text)
}

// within returns a text without its secrets, and of a long one the beginning.
// What lies within the margin is never shown, as in a part.
func (e *Entry) within(s string, most int, redact func(string) string) string {
	if len(s) <= most+margin {
		return cutText(redact(s), most)
	}
	s = redact(cutText(s, most+margin))
	return cutText(s, min(most, max(0, len(s)-margin)))
}

// name bounds an id or a path. They are kept as they are, unless they look like a
// known secret: without them nothing can be joined with anything.
func (e *Entry) name(s string) string { return e.within(s, maxName, e.Redact.Name) }

func (e *Entry) lines(b *rawjson.Object, t *checkrein.Tool) {
	texts := tools.Texts(t.Name, t.Canonical, t.Input, tools.Content, e.Decode)
	if len(texts) == 0 {
		return
	}
	packed, all := fingerprint.Lines(e.Lines, texts...)
	if len(packed) > 0 {
		b.Key("lines")
		*b = append(base64.StdEncoding.AppendEncode(append(*b, '"'), packed), '"')
	}
	b.Int("lines_all", all)
}
