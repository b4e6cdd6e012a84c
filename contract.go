package checkrein

// A Kind identifies a row of the contract table. The zero Kind is [Other].
type Kind uint8

// The kinds, in the order of the table. Other is an event for which checkrein has no row: hooks can
// observe it under its native name, but change nothing. [ContractOf] returns what verdicts can do at
// each of them, and what a denial does there.
const (
	Other                      Kind = iota
	SessionStart                    // a session starts, resumes, is cleared or has been compacted
	SessionEnd                      // a session has ended
	OnSessionResume                 // the user agreed to continue past the iteration limit
	WorktreeCreate                  // a new worktree was created, before its session exists
	UserPromptSubmit                // the user sent a message, before the model sees it
	UserSteeringMessagesSubmit      // messages sent while the agent was working are taken from the queue
	UserFollowupSubmit              // a queued follow-up starts a turn
	TurnStart                       // a turn starts: one model call and the tools it asks for
	TurnEnd                         // a turn has ended, whatever ended it
	BeforeLLMCall                   // the model is about to be called
	AfterLLMCall                    // the model has answered, before the answer is recorded
	PreToolUse                      // a tool is about to run
	PermissionRequest               // the user is about to be asked to approve a tool call
	OnToolApprovalDecision          // a tool call has been allowed, denied or canceled
	ToolResponseTransform           // a tool has produced output, before anyone sees it
	PostToolUse                     // a tool has run
	PostToolUseFailure              // a tool has failed
	OnResponseEnd                   // the final reply is complete, before it is shown
	Stop                            // the agent is about to stop
	OnCompletionClaim               // the agent claims that it has reached its goal
	OnOutboundMessage               // a message is about to be sent to a user or a service
	SubagentStart                   // a sub-agent is about to start
	SubagentStop                    // a sub-agent is about to stop
	OnAgentSwitch                   // another agent takes over
	PreCompact                      // the conversation is about to be compacted
	BeforeCompaction                // a compaction with known token counts is about to run
	AfterCompaction                 // a summary has replaced the conversation
	OnUserInput                     // the agent is waiting for the user
	Notification                    // the agent reports an error or a warning
	OnError                         // a turn failed
	OnMaxIterations                 // the iteration limit was reached
	PreCommit                       // git is about to record a commit
	PrePush                         // git is about to push commits
	Scrub                           // text is scrubbed before it is passed on
	NumKinds                        // the number of kinds; not a kind
)

// An Effect is a set of things that a verdict may do.
type Effect uint16

// The effects. Notices to the person need no effect.
const (
	CanDeny Effect = 1 << iota
	CanAllow
	CanAsk
	CanRewriteInput    // a tool's arguments
	CanRewriteOutput   // a tool's output, or the text that the event is about
	CanRewriteMessages // the conversation about to be sent
	CanAddContext
	CanRedo // a denial keeps the agent going instead of letting it stop
	CanHalt // end the turn
	CanSummarize
	CanAnnotate // metadata for the confirmation prompt

	AllEffects Effect = CanAnnotate<<1 - 1
)

// A Subject is the part of an event that the event is about, and that a rewrite changes.
type Subject uint8

// The subjects.
const (
	SubjectNone Subject = iota
	SubjectTool
	SubjectText
	SubjectMessages
)

// A Contract is a row of the table of events: when the event fires, what it is about,
// what a verdict may do there, and what a fault does.
type Contract struct {
	Kind    Kind
	Name    string
	When    string
	Layer   string // lifecycle, tool or boundary
	Subject Subject
	Effects Effect
	Context string // how long added context is kept: transient, persisted, guidance or printed; "" = the event takes no context
	DenyIs  string // what a denial means here, for people

	Closed bool // a fault denies; otherwise the action continues
	Plain  bool // plain text on stdout is context, in files that follow docker-agent
	Final  bool // its hooks finish even if the caller was cancelled
	Asks   bool // the host asks the person unless a verdict decides

	Text    string                           // the payload field that holds the text, if any
	Fields  []string                         // further payload fields, besides those of every event and every tool event
	Aliases []struct{ Dialect, Name string } // names of the event in the files and payloads of other systems
}

// Can reports whether the row allows all effects in e.
func (c *Contract) Can(e Effect) bool { return c.Effects&e == e }

// ContractOf returns the row of k. Callers must not change it.
func ContractOf(k Kind) *Contract {
	if k >= NumKinds {
		k = Other
	}
	return &contracts[k]
}

// Contracts returns the table, in its order, starting with [Other].
// Callers must not change it.
func Contracts() []Contract { return contracts[:] }

// String returns the canonical name of k.
func (k Kind) String() string { return ContractOf(k).Name }

// Words returns the names of the effects in e, in a fixed order.
func (e Effect) Words() []string {
	var out []string
	for i, w := range effectWords {
		if e&(1<<i) != 0 {
			out = append(out, w)
		}
	}
	return out
}

var effectWords = [...]string{
	"deny", "allow", "ask", "rewrite_input", "rewrite_output", "rewrite_messages",
	"context", "redo", "halt", "summary", "metadata",
}
