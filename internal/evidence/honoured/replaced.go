package honoured

import (
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host/capability"
)

// A Finding is something that a host did although hooks had changed it.
type Finding struct {
	Row     capability.Row `json:"row"` // what it was told and did not do
	Host    string         `json:"host"`
	Session string         `json:"session"`
	Agent   string         `json:"agent,omitempty"`
	Tool    string         `json:"tool"`    // of the call whose result or arguments were changed
	At      time.Time      `json:"at"`      // of the event that shows it
	Changed uint64         `json:"changed"` // the record of the change
	Seen    uint64         `json:"seen"`    // the record of the event that shows it
	Secret  string         `json:"-"`       // that came back, by the digits in its marker
	// Maybe is what else explains it; "" = nothing that is known. Only what nothing else
	// explains is held against a host.
	Maybe string `json:"maybe,omitempty"`
}

// A Host is what must be known of a session's host.
type Host struct {
	// Ran is set if its events after a call were seen to have the arguments with which
	// that ran, also after a rewrite.
	Ran bool
}

// What else explains that a model knows a secret.
const (
	inPrompt  = "a prompt of the session has it too"
	inCall    = "an earlier call or answer of the session has it too"
	inResult  = "another result that was not replaced has it too"
	resumed   = "the session goes on from another one, which may have it too"
	unstarted = "the beginning of the session was not heard"
	attached  = "a prompt of the session names a file with @, which may have it too"
	unheard   = "the result of another call was not heard, and may have it too"
	tooMany   = "a prompt of the session is too long to be sure that it has it not"
	notShown  = "this agent does not tell after a call what ran"
)

// What is kept of a session at once.
const (
	maxSecrets = 4096
	maxWords   = 64 << 10
	maxCalls   = 512
)

// A Session takes the records of one session, the oldest first.
type Session struct {
	host    Host
	started bool              // its start was heard
	removed map[string]change // what hosts were told to keep from the model, by secret
	shown   map[string]string // what else had a secret
	typed   map[string]bool   // the words of its prompts that may be secrets
	unsure  string            // why something else may have any secret
	calls   []*call           // that were asked about and have no result yet
	cleaned []cleaned
	found   []Finding
	told    map[string]bool // what was found before
}

// A change is a record in which hooks changed something.
type change struct {
	seq  uint64
	tool string
}

// A call was asked about.
type call struct {
	id, tool         string
	seq              uint64
	input, rewritten *record.Part // rewritten is nil where it was not
	denied           bool
}

// cleaned is a result of which secrets were replaced: a host's event may be several
// records, and only the first tells so.
type cleaned struct {
	id, input string
	secrets   []string
}

// New returns a session of a host of which no record was taken yet.
func New(h Host) *Session {
	return &Session{host: h, removed: map[string]change{}, shown: map[string]string{}, typed: map[string]bool{}, told: map[string]bool{}}
}

// Found returns what the records came to.
func (s *Session) Found() []Finding { return s.found }

// Add takes the next record.
func (s *Session) Add(r *record.Record) {
	kind, ok := hookfile.KindOf(r.Event)
	if !ok || r.Foreign {
		return
	}
	s.begin(kind, r)
	secrets := r.Secrets
	if secrets == nil {
		secrets = &record.Secrets{}
	}
	switch kind {
	case checkrein.PreToolUse:
		s.checkWritten(r, secrets.Input)
		s.asked(r)
	case checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure:
		s.ran(kind, r)
		s.returned(kind, r, secrets)
	case checkrein.Stop, checkrein.SubagentStop, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnCompletionClaim, checkrein.OnOutboundMessage, checkrein.AfterCompaction:
		s.checkWritten(r, secrets.Text)
	case checkrein.BeforeLLMCall:
		s.checkWritten(r, secrets.Messages)
	case checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit:
		s.show(secrets.Text, inPrompt)
		s.words(secrets)
		s.prompt(r)
	case checkrein.PermissionRequest, checkrein.OnToolApprovalDecision:
		// Its arguments may be those that hooks put secrets back into.
	default:
		s.show(slices.Concat(secrets.Text, secrets.Input, secrets.Output), inCall)
	}
}

// begin notes whether all that the model knows is in the records: they must have the start of
// the session, before its first call. Some hosts send a prompt before it.
func (s *Session) begin(kind checkrein.Kind, r *record.Record) {
	switch {
	case kind == checkrein.SessionStart && (r.Source == "resume" || r.Source == "fork"):
		s.doubt(resumed)
		s.started = true
	case kind == checkrein.SessionStart && r.Source != "compact":
		s.started = true
	case kind == checkrein.PreToolUse && !s.started:
		s.doubt(unstarted)
	}
}

func (s *Session) doubt(why string) {
	if s.unsure == "" {
		s.unsure = why
	}
}

// show notes that something other than the results had secrets.
func (s *Session) show(ids []string, why string) {
	for _, id := range ids {
		if s.shown[id] == "" && len(s.shown) < maxSecrets {
			s.shown[id] = why
		}
	}
}

// checkWritten looks for removed secrets in what only the model can have written.
func (s *Session) checkWritten(r *record.Record, ids []string) {
	for _, id := range ids {
		was, removed := s.removed[id]
		if !removed {
			s.show([]string{id}, inCall)
			continue
		}
		if s.told[id] {
			continue
		}
		s.told[id] = true
		f := s.finding(capability.OutputReplaced, was, r)
		f.Secret = id
		switch {
		case s.shown[id] != "":
			f.Maybe = s.shown[id]
		case s.typed[id]:
			f.Maybe = inPrompt
		case s.unsure != "":
			f.Maybe = s.unsure
		case s.open(r.Seq):
			f.Maybe = unheard
		}
		s.found = append(s.found, f)
	}
}

func (s *Session) finding(row capability.Row, was change, r *record.Record) Finding {
	return Finding{Row: row, Host: r.Host, Session: r.Session, Agent: r.Agent, Tool: was.tool, Changed: was.seq, Seen: r.Seq, At: r.Time}
}

// words takes the words of a prompt that nothing there tells to be secrets.
func (s *Session) words(secrets *record.Secrets) {
	for _, id := range secrets.SaidWords() {
		s.typed[id] = true
	}
	if secrets.SaidMore || len(s.typed) > maxWords {
		s.doubt(tooMany)
	}
	if len(s.typed) > maxWords {
		clear(s.typed)
	}
}

// prompt looks for what a prompt brings along.
func (s *Session) prompt(r *record.Record) {
	if r.Subject == nil || r.Subject.Text == nil {
		return
	}
	p := r.Subject.Text
	for _, text := range []string{p.Text, p.Head, p.Tail} {
		if mentions(text) {
			s.doubt(attached)
		}
	}
}

// mentions reports whether a prompt may have a file attached: @ before a name.
func mentions(text string) bool {
	for i := range len(text) {
		if text[i] == '@' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\n' || text[i-1] == '\t' || text[i-1] == '(' || text[i-1] == '"') && i+1 < len(text) && text[i+1] > ' ' {
			return true
		}
	}
	return false
}

// returned takes what a tool returned.
func (s *Session) returned(kind checkrein.Kind, r *record.Record, secrets *record.Secrets) {
	id, input := names(r)
	gone := secrets.Replaced
	if !slices.Contains(r.Effects, checkrein.CanRewriteOutput.Words()[0]) || r.Shadow || r.Canceled {
		gone = nil
	}
	if len(gone) > 0 {
		s.cleaned = append(s.cleaned, cleaned{id, input, gone})
		if len(s.cleaned) > maxCalls {
			s.cleaned = s.cleaned[1:]
		}
	} else if kind != checkrein.ToolResponseTransform {
		i := slices.IndexFunc(s.cleaned, func(c cleaned) bool { return c.id == id && c.input == input })
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
			s.show([]string{id}, inResult)
		}
	}
}

// names are by what the records of one call are known.
func names(r *record.Record) (id, input string) {
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
