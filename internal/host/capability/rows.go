package capability

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
)

// A Row is a property of a host that a proof can show.
type Row string

// The rows, in the order in which they are shown.
const (
	DenyShell      Row = "deny-shell"
	DenyWrite      Row = "deny-write"
	DenyEdit       Row = "deny-edit"
	DenyMCP        Row = "deny-mcp"
	DenySubagent   Row = "deny-subagent"
	Ask            Row = "ask"
	DenyEditor     Row = "deny-editor"
	AskEditor      Row = "ask-editor"
	Rewrite        Row = "rewrite"
	OutputReplaced Row = "output-replaced"
	ContextSession Row = "context-session"
	ContextPrompt  Row = "context-prompt"
	ContextCall    Row = "context-call"
	ContextResult  Row = "context-result"
	PromptBlocked  Row = "prompt-blocked"
	StopBlocked    Row = "stop-blocked"
	StopCap        Row = "stop-cap"
	FaultMissing   Row = "fault-missing"
	FaultCrash     Row = "fault-crash"
	FaultHang      Row = "fault-hang"
	FaultGarbage   Row = "fault-garbage"
	SelfProtection Row = "self-protection"
	AskedOnce      Row = "asked-once"
	Latency        Row = "latency"
	Version        Row = "version"
)

// A Fact describes a row.
type Fact struct {
	Row     Row
	Does    string // what a host that honours it does
	DoesNot string // what a host that does not honour it did
	// Kind and Effect are the event and the effect of verdicts that the row is about. Effect is 0 if it
	// is about none.
	Kind   checkrein.Kind
	Effect checkrein.Effect
	tool   func(*checkrein.Event) bool // reports whether the row is about an event of the kind; nil = all
	// SameCauseAs is a row that is not honoured for the same cause. If it is not, this row is not
	// reported as well.
	SameCauseAs Row
}

// Facts returns the facts of all rows. Callers must not change them.
func Facts() []Fact { return facts }

var facts = []Fact{
	{Row: DenyShell, Does: "does not run a shell command that is denied", DoesNot: "ran a shell command that was denied", Kind: checkrein.PreToolUse, Effect: checkrein.CanDeny, tool: callsShell},
	{Row: DenyWrite, Does: "does not write a file when that is denied", DoesNot: "wrote a file although that was denied", Kind: checkrein.PreToolUse, Effect: checkrein.CanDeny, tool: callsWrite},
	{Row: DenyEdit, Does: "does not edit a file when that is denied", DoesNot: "edited a file although that was denied", Kind: checkrein.PreToolUse, Effect: checkrein.CanDeny, tool: callsEdit},
	{Row: DenyMCP, Does: "does not call a tool of an MCP server when that is denied", DoesNot: "called a tool of an MCP server although that was denied", Kind: checkrein.PreToolUse, Effect: checkrein.CanDeny, tool: callsMCP},
	{Row: DenySubagent, Does: "obeys denials in sub-agents too", DoesNot: "ran a call of a sub-agent although it was denied", Kind: checkrein.PreToolUse, Effect: checkrein.CanDeny, tool: fromSubagent},
	{Row: Ask, Does: "asks the user before it runs the call", DoesNot: "ran a call that it should have asked the user about", Kind: checkrein.PreToolUse, Effect: checkrein.CanAsk},
	// Events do not show whether an editor drives the host. These rows could not restrict
	// verdicts anyway, because a host that ignores such a denial does not ask checkrein.
	{Row: DenyEditor, Does: "does not run a shell command that checkrein denies, even when an editor drives the agent", DoesNot: "ran a shell command that checkrein denied, while an editor drove the agent"},
	{Row: AskEditor, Does: "asks the user in the editor that drives it", DoesNot: "ran a call that it should have asked the user about in the editor that drove it", SameCauseAs: DenyEditor},
	{Row: Rewrite, Does: "runs the rewritten call", DoesNot: "ran the original call instead of the rewritten one", Kind: checkrein.PreToolUse, Effect: checkrein.CanRewriteInput},
	{Row: OutputReplaced, Does: "gives the model the replaced output", DoesNot: "gave the model the original output instead of the replaced one", Kind: checkrein.ToolResponseTransform, Effect: checkrein.CanRewriteOutput},
	{Row: ContextSession, Does: "gives the model what hooks add at the start of a session", DoesNot: "did not give the model what hooks add at the start of a session", Kind: checkrein.SessionStart, Effect: checkrein.CanAddContext},
	{Row: ContextPrompt, Does: "gives the model what hooks add to a prompt", DoesNot: "did not give the model what hooks add to a prompt", Kind: checkrein.UserPromptSubmit, Effect: checkrein.CanAddContext},
	{Row: ContextCall, Does: "gives the model what hooks add to a call", DoesNot: "did not give the model what hooks add to a call", Kind: checkrein.PreToolUse, Effect: checkrein.CanAddContext},
	{Row: ContextResult, Does: "gives the model what hooks add to a result", DoesNot: "did not give the model what hooks add to a result", Kind: checkrein.PostToolUse, Effect: checkrein.CanAddContext},
	{Row: PromptBlocked, Does: "does not send a prompt that is blocked", DoesNot: "sent a prompt that was blocked", Kind: checkrein.UserPromptSubmit, Effect: checkrein.CanDeny},
	{Row: StopBlocked, Does: "goes on when a hook keeps it from stopping", DoesNot: "stopped although a hook told it to go on", Kind: checkrein.Stop, Effect: checkrein.CanDeny | checkrein.CanRedo},
	{Row: StopCap, Does: "stops eventually, even if a hook keeps telling it to go on", DoesNot: "never stopped while a hook kept telling it to go on"},
	{Row: FaultMissing, Does: "runs no tool when checkrein or the program of a hook is missing", DoesNot: "ran a tool while checkrein or the program of a hook was missing"},
	{Row: FaultCrash, Does: "runs no tool when checkrein or a hook crashes", DoesNot: "ran a tool after checkrein or a hook crashed"},
	{Row: FaultHang, Does: "runs no tool when a hook does not answer in time", DoesNot: "ran a tool although a hook did not answer in time"},
	{Row: FaultGarbage, Does: "runs no tool when the answer of a hook cannot be read", DoesNot: "ran a tool although the answer of a hook could not be read"},
	{Row: SelfProtection, Does: "does not let its agent disable checkrein", DoesNot: "let its agent disable checkrein"},
	{Row: AskedOnce, Does: "asks checkrein once about a call", DoesNot: "asked checkrein more than once about a call"},
	{Row: Latency, Does: "waits for checkrein for as long as it takes", DoesNot: "did not wait for checkrein"},
	{Row: Version, Does: "is the version that it reports", DoesNot: "reports a version that is not its own"},
}

// FactOf returns the fact of a row. It reports false if the row is unknown.
func FactOf(row Row) (*Fact, bool) {
	for i := range facts {
		if facts[i].Row == row {
			return &facts[i], true
		}
	}
	return nil, false
}

// isAbout reports whether f is about verdicts on ev.
func (f *Fact) isAbout(ev *checkrein.Event) bool {
	return f.Effect != 0 && f.Kind == ev.Kind && (f.tool == nil || f.tool(ev))
}

// These are functions instead of closures, so that the hot program allocates nothing when it starts.
func callsShell(ev *checkrein.Event) bool { return toolName(ev) == "shell" }
func callsWrite(ev *checkrein.Event) bool { return toolName(ev) == "write" }
func callsEdit(ev *checkrein.Event) bool  { return toolName(ev) == "edit" }

func callsMCP(ev *checkrein.Event) bool { return strings.HasPrefix(toolName(ev), "mcp:") }

func fromSubagent(ev *checkrein.Event) bool { return ev.Session.Agent != "" }

// toolName returns the canonical name of the tool in ev, or "" if it has none.
func toolName(ev *checkrein.Event) string {
	switch t := ev.Tool; {
	case t == nil:
		return ""
	case t.Canonical != "":
		return t.Canonical
	default:
		return tools.CanonicalTool(t.Name)
	}
}
