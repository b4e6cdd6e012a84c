package fakehost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A transcript is the file that records a session, one JSON object per line, in the real host's
// format.
type transcript struct {
	session *session
	agent   string // id of the sub-agent; "" for the main conversation
	kind    string
	prompt  string // id of the current prompt
	file    *os.File

	mu     sync.Mutex
	parent *string // id of the previous line
	held   *[]hookLine
}

// openTranscript opens the transcript at path for appending, and creates it if needed.
func (s *session) openTranscript(path, prompt, agent string) (*transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &transcript{session: s, agent: agent, prompt: prompt, file: f}, err
}

func (t *transcript) close() { _ = t.file.Close() }

// A line is an entry of the transcript that refers to the entry before it.
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
	AgentType  string          `json:"attributionAgent,omitempty"`
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
	Rendered   []reminder `json:"rendered,omitempty"`
	Role       string     `json:"renderedRole,omitempty"`
	UserType   string     `json:"userType"`
	Entrypoint string     `json:"entrypoint"`
	Cwd        string     `json:"cwd"`
	SessionID  string     `json:"sessionId"`
	Version    string     `json:"version"`
	Branch     string     `json:"gitBranch"`
}

// A permission records why a call ran or was refused.
type permission struct {
	Decision string `json:"decision"` // accept or reject
	Source   string `json:"source"`   // hook, config or user_temporary
	Type     string `json:"reasonType,omitempty"`
	Scope    string `json:"grantScope,omitempty"`
	Code     string `json:"reasonCode,omitempty"`
	Rule     string `json:"ruleSource,omitempty"`
}

// A stopSummary describes the answers of all hooks to a stop.
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

// A reminder is an attachment in the form that the model gets.
type reminder struct {
	Content string `json:"content"`
}

// A hookLine is a line of the transcript about a hook.
type hookLine struct {
	Type      string    `json:"type"`
	Content   any       `json:"content,omitempty"` // a string or a list of contexts
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

// A blocking is a hook's objection to a call that already ran, to a prompt, or to a stop.
type blocking struct {
	Reason  string `json:"blockingError"`
	Command string `json:"command"`
}

// write appends l and returns its id. Its parent is the previous line, unless l.Parent is set.
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
		l.AgentType = t.kind
	}
	l.UserType, l.Entrypoint, l.Cwd, l.SessionID, l.Version, l.Branch = "external", s.entrypoint(), s.cwd, s.id, s.build.version(), s.branch
	t.writeJSON(l)
	t.parent = &l.UUID
	return l.UUID
}

// hold buffers hook entries instead of writing them, until release returns them.
func (t *transcript) hold() { t.held = &[]hookLine{} }

// release returns the buffered entries and ends the buffering that hold began.
func (t *transcript) release() []hookLine {
	held := *t.held
	t.held = nil
	return held
}

// attach writes an entry about a hook, or buffers it after hold.
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
		l.Rendered, l.Role = []reminder{{"<system-reminder>\n" + text + "\n</system-reminder>"}}, "system"
	}
	t.write(l)
}

// modelText returns the text that the model gets for the entry, or "" if it gets none.
func (h hookLine) modelText() string {
	switch contexts, _ := h.Content.([]string); {
	case h.Type == "hook_additional_context" && len(contexts) > 0:
		return contextReminder(h.Hook, contexts[0])
	case h.Type == "hook_blocking_error":
		return objectionReminder(h.Hook, *h.Blocking)
	}
	return ""
}

// writeUnlinked appends a line that has no id and no parent.
func (t *transcript) writeUnlinked(members map[string]any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	members["sessionId"] = t.session.id
	t.writeJSON(members)
}

// writeJSON appends v to the file. The caller must hold t.mu. Errors are ignored: a test does not
// depend on a full disk.
func (t *transcript) writeJSON(v any) {
	b, err := json.Marshal(v)
	if err != nil { // impossible: v consists of strings and valid JSON
		return
	}
	_, _ = t.file.Write(append(b, '\n'))
}

func timestamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }
