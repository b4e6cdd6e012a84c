package honoured

import (
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/capability"
)

// A Finding is a change by hooks that a host did not honour.
type Finding struct {
	Row     capability.Row `json:"row"` // the capability that the host lacked
	Host    string         `json:"host"`
	Session string         `json:"session"`
	Agent   string         `json:"agent,omitempty"`
	Tool    string         `json:"tool"`    // of the call whose result or arguments were changed
	At      time.Time      `json:"at"`      // time of the event that shows it
	Changed uint64         `json:"changed"` // the record of the change
	Seen    uint64         `json:"seen"`    // the record of the event that shows it
	Secret  string         `json:"-"`       // the secret that appeared, by the digits in its marker
	// Maybe is another explanation; "" means that none is known. Only findings without one count
	// against a host.
	Maybe string `json:"maybe,omitempty"`
}

// A Host holds what must be known about the host of a session.
type Host struct {
	// Ran is set if its events after a call are known to contain the arguments with which the call
	// ran, even after a rewrite.
	Ran bool
}

// Other explanations for a secret in the model's text.
const (
	inPrompt  = "a prompt of the session has it too"
	inCall    = "an earlier call or answer of the session has it too"
	inResult  = "another result that was not replaced has it too"
	resumed   = "the session continues another one, which may have it too"
	unstarted = "the beginning of the session was not recorded"
	attached  = "a prompt of the session names a file with @, which may have it too"
	unheard   = "the result of another call was not recorded, and may have it too"
	tooMany   = "a prompt of the session is too long to be sure that it does not have it"
	notShown  = "this agent does not report after a call what ran"
)

// Limits of what a Session holds.
const (
	maxSecrets = 4096
	maxWords   = 64 << 10
	maxCalls   = 512
)

// A Session checks the records of one session, which are added oldest first.
type Session struct {
	host     Host
	started  bool              // its start was recorded
	removed  map[string]change // what hosts were required to hide from the model, by secret
	shown    map[string]string // by secret, what else contained it
	typed    map[string]bool   // the words of its prompts that may be secrets
	unsure   string            // why something else may contain any of the secrets
	calls    []*call           // calls without a result so far
	cleaned  []cleanedResult
	found    []Finding
	reported map[string]bool // what was found before
}

// A change is a record in which hooks changed something.
type change struct {
	seq  uint64
	tool string
}

// A call is a call that was judged.
type call struct {
	id, tool         string
	seq              uint64
	input, rewritten *record.Part // rewritten is nil if it was not changed
	denied           bool
}

// A cleanedResult is a result in which secrets were replaced. An event of the host may become several
// records, of which only the first shows the replacement.
type cleanedResult struct {
	id, input string
	secrets   []string
}

// New returns a session of the host h, without records.
func New(h Host) *Session {
	return &Session{host: h, removed: map[string]change{}, shown: map[string]string{}, typed: map[string]bool{}, reported: map[string]bool{}}
}

// Findings returns the findings so far.
func (s *Session) Findings() []Finding { return s.found }

// CheckRecord checks r, the next record.
func (s *Session) CheckRecord(r *record.Record) {
	kind, ok := hookfile.KindOf(r.Event)
	if !ok || r.Foreign {
		return
	}
	s.checkStart(kind, r)
	secrets := r.Secrets
	if secrets == nil {
		secrets = &record.Secrets{}
	}
	switch kind {
	case checkrein.PreToolUse:
		s.checkWritten(r, secrets.Input)
		s.addCall(r)
	case checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure:
		s.checkRan(kind, r)
		s.addResult(kind, r, secrets)
	case checkrein.Stop, checkrein.SubagentStop, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnCompletionClaim, checkrein.OnOutboundMessage, checkrein.AfterCompaction:
		s.checkWritten(r, secrets.Text)
	case checkrein.BeforeLLMCall:
		s.checkWritten(r, secrets.Messages)
	case checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
		s.addShown(secrets.Text, inPrompt)
		s.addPromptWords(secrets)
		s.checkAttachments(r)
	case checkrein.PermissionRequest, checkrein.OnToolApprovalDecision:
		// Hooks may have restored secrets in its arguments.
	default:
		s.addShown(slices.Concat(secrets.Text, secrets.Input, secrets.Output), inCall)
	}
}

// checkStart adds a doubt if the records do not contain everything that the model received. They must
// include the start of the session before its first call. Some hosts send a prompt before that.
func (s *Session) checkStart(kind checkrein.Kind, r *record.Record) {
	switch {
	case kind == checkrein.SessionStart && (r.Source == "resume" || r.Source == "fork"):
		s.addDoubt(resumed)
		s.started = true
	case kind == checkrein.SessionStart && r.Source != "compact":
		s.started = true
	case kind == checkrein.PreToolUse && !s.started:
		s.addDoubt(unstarted)
	}
}

// addDoubt sets why any secret may have another source, unless that is set.
func (s *Session) addDoubt(why string) {
	if s.unsure == "" {
		s.unsure = why
	}
}

// addShown records that something other than a replaced result contained the secrets ids. why says
// what.
func (s *Session) addShown(ids []string, why string) {
	for _, id := range ids {
		if s.shown[id] == "" && len(s.shown) < maxSecrets {
			s.shown[id] = why
		}
	}
}

// checkWritten adds a finding for each removed secret among ids, which occur in text of r that only
// the model can have written.
func (s *Session) checkWritten(r *record.Record, ids []string) {
	for _, id := range ids {
		was, removed := s.removed[id]
		if !removed {
			s.addShown([]string{id}, inCall)
			continue
		}
		if s.reported[id] {
			continue
		}
		s.reported[id] = true
		f := s.newFinding(capability.OutputReplaced, was, r)
		f.Secret = id
		switch {
		case s.shown[id] != "":
			f.Maybe = s.shown[id]
		case s.typed[id]:
			f.Maybe = inPrompt
		case s.unsure != "":
			f.Maybe = s.unsure
		case s.hasOpenCall(r.Seq):
			f.Maybe = unheard
		}
		s.found = append(s.found, f)
	}
}

// newFinding returns the finding that r shows that the host did not honour the change was.
func (s *Session) newFinding(row capability.Row, was change, r *record.Record) Finding {
	return Finding{Row: row, Host: r.Host, Session: r.Session, Agent: r.Agent, Tool: was.tool, Changed: was.seq, Seen: r.Seq, At: r.Time}
}

// addPromptWords records the words of a prompt that may be secrets.
func (s *Session) addPromptWords(secrets *record.Secrets) {
	for _, id := range secrets.PromptWords() {
		s.typed[id] = true
	}
	if secrets.SaidMore || len(s.typed) > maxWords {
		s.addDoubt(tooMany)
	}
	if len(s.typed) > maxWords {
		clear(s.typed)
	}
}

// checkAttachments adds a doubt if the prompt in r may attach a file.
func (s *Session) checkAttachments(r *record.Record) {
	if r.Subject == nil || r.Subject.Text == nil {
		return
	}
	p := r.Subject.Text
	for _, text := range []string{p.Text, p.Head, p.Tail} {
		if mentionsFile(text) {
			s.addDoubt(attached)
		}
	}
}

// mentionsFile reports whether text, a prompt, may attach a file, by an @ before a name.
func mentionsFile(text string) bool {
	for i := range len(text) {
		if text[i] == '@' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\n' || text[i-1] == '\t' || text[i-1] == '(' || text[i-1] == '"') && i+1 < len(text) && text[i+1] > ' ' {
			return true
		}
	}
	return false
}

// addResult records which secrets the result in r contains, and which of them hooks removed.
func (s *Session) addResult(kind checkrein.Kind, r *record.Record, secrets *record.Secrets) {
	id, input := callKeys(r)
	gone := secrets.Replaced
	if !slices.Contains(r.Effects, checkrein.CanRewriteOutput.Words()[0]) || r.Shadow || r.Canceled {
		gone = nil
	}
	if len(gone) > 0 {
		s.cleaned = append(s.cleaned, cleanedResult{id, input, gone})
		if len(s.cleaned) > maxCalls {
			s.cleaned = s.cleaned[1:]
		}
	} else if kind != checkrein.ToolResponseTransform {
		i := slices.IndexFunc(s.cleaned, func(c cleanedResult) bool { return c.id == id && c.input == input })
		if i >= 0 {
			gone = s.cleaned[i].secrets
		}
	}
	for _, id := range gone {
		if _, ok := s.removed[id]; !ok && len(s.removed) < maxSecrets {
			s.removed[id] = change{r.Seq, toolName(r)}
		}
	}
	for _, id := range slices.Concat(secrets.Output, secrets.Text) {
		if !slices.Contains(gone, id) {
			s.addShown([]string{id}, inResult)
		}
	}
}

// callKeys returns the id of the call in r and the digest of its input, which all records of the call
// share.
func callKeys(r *record.Record) (id, input string) {
	if r.Tool != nil {
		id = r.Tool.CallID
	}
	if r.Subject != nil && r.Subject.Input != nil {
		input = r.Subject.Input.Digest
	}
	return id, input
}

func toolName(r *record.Record) string {
	if r.Tool == nil {
		return ""
	}
	return r.Tool.Name
}
