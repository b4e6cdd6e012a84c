package fakehost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A transcript is the file that records a session, one JSON object a line, as the real host writes it.
type transcript struct {
	session *session
	agent   string // of a sub-agent
	kind    string
	prompt  string // the one that is at work
	file    *os.File

	mu     sync.Mutex
	parent *string // the line before
	held   *[]hookLine
}

func (s *session) openLog(path, prompt, agent string) (*transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &transcript{session: s, agent: agent, prompt: prompt, file: f}, err
}

func (t *transcript) close() { _ = t.file.Close() }

// A line is an entry of the chain.
type line struct {
	Parent     *string         `json:"parentUuid"`
	Sidechain  bool            `json:"isSidechain"`
	PromptID   string          `json:"promptId,omitempty"`
	Agent      string          `json:"agentId,omitempty"`
	Attachment any             `json:"attachment,omitempty"`
	Subtype    string          `json:"subtype,omitempty"`
	Content    string          `json:"content,omitempty"`
	Message    json.RawMessage `json:"message,omitempty"`
	Meta       *bool           `json:"isMeta,omitempty"`
	Of         string          `json:"attributionAgent,omitempty"`
	Type       string          `json:"type"`
	UUID       string          `json:"uuid"`
	Timestamp  string          `json:"timestamp"`
	Mode       string          `json:"permissionMode,omitempty"`
	Origin     any             `json:"origin,omitempty"`
	Prompt     string          `json:"promptSource,omitempty"`
	Turn       string          `json:"turnOrigin,omitempty"`
	Result     any             `json:"toolUseResult,omitempty"`
	Sandboxed  *bool           `json:"sandboxed,omitempty"`
	Denial     string          `json:"toolDenialKind,omitempty"`
	Assistant  string          `json:"sourceToolAssistantUUID,omitempty"`
	Permission *permission     `json:"permissionDecision,omitempty"`
	Level      string          `json:"level,omitempty"`
	Prevents   bool            `json:"preventContinuation,omitempty"`
	Ending     any             `json:"promptSubmitEnding,omitempty"`
	*stopSummary
	Rendered   []rendered `json:"rendered,omitempty"`
	Role       string     `json:"renderedRole,omitempty"`
	UserType   string     `json:"userType"`
	Entrypoint string     `json:"entrypoint"`
	Cwd        string     `json:"cwd"`
	SessionID  string     `json:"sessionId"`
	Version    string     `json:"version"`
	Branch     string     `json:"gitBranch"`
}

// permission is why a call ran, or did not.
type permission struct {
	Decision string `json:"decision"` // accept or reject
	Source   string `json:"source"`   // hook, config or user_temporary
	Type     string `json:"reasonType,omitempty"`
	Scope    string `json:"grantScope,omitempty"`
	Code     string `json:"reasonCode,omitempty"`
	Rule     string `json:"ruleSource,omitempty"`
}

// stopSummary describes what hooks said to a stop.
type stopSummary struct {
	Hooks     int              `json:"hookCount"`
	Infos     []map[string]any `json:"hookInfos"`
	Errors    []string         `json:"hookErrors"`
	Contexts  []string         `json:"hookAdditionalContext"`
	Prevented bool             `json:"preventedContinuation"`
	Reason    string           `json:"stopReason"`
	Output    bool             `json:"hasOutput"`
	ToolUseID string           `json:"toolUseID"`
}

// rendered is an attachment as the model gets it.
type rendered struct {
	Content string `json:"content"`
}

// A hookLine is a line of the transcript about a hook.
type hookLine struct {
	Type      string    `json:"type"`
	Content   any       `json:"content,omitempty"` // a text, or a list of contexts
	Hook      string    `json:"hookName"`
	ToolUseID string    `json:"toolUseID"`
	Event     string    `json:"hookEvent"`
	Blocking  *blocking `json:"blockingError,omitempty"`
	Stdout    *string   `json:"stdout,omitempty"`
	Stderr    *string   `json:"stderr,omitempty"`
	Exit      *int      `json:"exitCode,omitempty"`
	Command   string    `json:"command,omitempty"`
	Took      int64     `json:"durationMs,omitempty"`
}

// blocking is a hook's objection to what is over already, or to a stop.
type blocking struct {
	Reason  string `json:"blockingError"`
	Command string `json:"command"`
}

// write adds a line after the one before, or after another one, and returns its id.
func (t *transcript) write(l line) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.session
	l.UUID, l.Timestamp = newID(), timestamp()
	if l.Parent == nil {
		l.Parent = t.parent
	}
	l.Sidechain, l.Agent = t.agent != "", t.agent
	if l.Type == "user" {
		l.PromptID = t.prompt
	}
	if l.Type == "assistant" {
		l.Of = t.kind
	}
	l.UserType, l.Entrypoint, l.Cwd, l.SessionID, l.Version, l.Branch = "external", s.entrypoint(), s.cwd, s.id, s.build.version(), s.branch
	t.put(l)
	t.parent = &l.UUID
	return l.UUID
}

// hold buffers hook entries instead of writing them, until release returns them.
func (t *transcript) hold() { t.held = &[]hookLine{} }

func (t *transcript) release() []hookLine {
	held := *t.held
	t.held = nil
	return held
}

// attach writes an entry about a hook.
func (t *transcript) attach(h hookLine) {
	if t.held != nil {
		*t.held = append(*t.held, h)
		return
	}
	if h.ToolUseID == "" {
		h.ToolUseID = newID()
	}
	l := line{Type: "attachment", Attachment: h}
	if text := h.modelText(); text != "" {
		l.Rendered, l.Role = []rendered{{"<system-reminder>\n" + text + "\n</system-reminder>"}}, "system"
	}
	t.write(l)
}

// modelText returns the text of the line that the model gets, "" if it gets none.
func (h hookLine) modelText() string {
	switch contexts, _ := h.Content.([]string); {
	case h.Type == "hook_additional_context" && len(contexts) > 0:
		return contextReminder(h.Hook, contexts[0])
	case h.Type == "hook_blocking_error":
		return objectionReminder(h.Hook, *h.Blocking)
	}
	return ""
}

// note adds a line that is not in the chain.
func (t *transcript) note(members map[string]any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	members["sessionId"] = t.session.id
	t.put(members)
}

func (t *transcript) put(v any) {
	b, err := json.Marshal(v)
	if err != nil { // made of strings and of JSON that was read: cannot be
		return
	}
	_, _ = t.file.Write(append(b, '\n')) // a full disk is not what tests are about
}

func timestamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
