// Package guard holds the hooks that come with checkrein: functions that a
// configuration calls by name and that run in process.
//
// It stands at the end of the pipe's middle, beside the other handler types:
// an event goes in and a verdict comes out. [Table] lists what there is, one
// row and one source file per builtin; [Type] makes them a row of the handler
// table.
package guard

import (
	"context"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
)

// Env is what builtins see of the machine. Its functions are called from
// several goroutines at once.
type Env struct {
	Environ []string         // the environment; nil = the process's own
	Home    string           // the home directory; "" = as Environ says
	Now     func() time.Time // in the person's time zone; nil = time.Now
	// State is checkrein's state directory, and Own are all directories of checkrein
	// and of the person that no agent changes, wherever variables lead.
	State string
	Own   []string
	// Account is the home directory that the system has on record for the user,
	// wherever variables say that it is; nil or "" = Home is it.
	Account func() string
	// Hosts reports whether a process, by its number, is a host that is alive or one
	// above us; nil knows of none.
	Hosts func(pid int) bool
	// Run runs a program and returns what it wrote to stdout. It gives an
	// error when the program did not start, did not exit with 0 or was ended,
	// and may then still return what there is. dir "" is our own directory.
	// A nil Run runs nothing: what needs a program has nothing to say then.
	Run func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error)
	// Spill keeps a text of the event's session in a private file and returns
	// its path; nil keeps nothing. Unspill removes what was kept.
	Spill   func(ev *checkrein.Event, text string) (string, error)
	Unspill func(ev *checkrein.Event) error
	// Denials returns how often a thing, by its key or by what it does, was denied
	// in this turn of the session, and why at first; nil remembers nothing.
	Denials func(ev *checkrein.Event, key string, does []Touch) (n int, why string)
	// Redone reports whether a hook has told the agent to go on in this turn, so
	// that what looks like a new one is still the same; nil knows of none.
	Redone func(ev *checkrein.Event) bool
	// Keep changes what a builtin, by its name, remembers of the event's session
	// until ttl after the last change: it fills v, a pointer, with what there is,
	// or zero, calls change, and keeps what is in v then. An error of change is
	// returned and nothing is kept. Change must not call Keep. Without a session
	// v is always zero at first. Forget forgets. Use [Call.Keep] and [Call.Forget],
	// which do without when these are nil.
	Keep   func(ev *checkrein.Event, name string, ttl time.Duration, v any, change func() error) error
	Forget func(ev *checkrein.Event, name string) error
	// AddLine adds a line to a file, by its absolute path or, in a folder of ours,
	// its bare name; nil adds nothing.
	AddLine func(file string, line []byte) error
	// Foreign reports whether the event is not of its session's host, so that nothing
	// that is kept of the session changes; nil = it is.
	Foreign func() bool
	// DirArgs lists the arguments by which a host's own tools take a directory, and
	// which it obeys; nil knows of none.
	DirArgs func(host string) []string
	// Typing reports whether a host lets the model type into programs that run, and
	// asks no hook about that; nil knows of none.
	Typing func(host string) bool
	// Fetch returns what an HTTP URL answers to a GET, within the context's time;
	// nil has no network.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Post sends JSON to an HTTP URL, within the context's time; nil has no network.
	Post func(ctx context.Context, url string, body []byte) error
	// MarkKey is the key of the markers that stand for secrets; nil or false = one
	// that lasts as long as the process.
	MarkKey func() (placeholder.Key, bool)
	// Excused returns the ids of the markers whose values a person allowed where the event
	// happens; nil = the hook is one that no grant lifts.
	Excused func(ev *checkrein.Event) []string
	// Restores reports whether a rewrite of the event's arguments is seen by neither
	// the model nor its history, so that secrets may be put back there; nil = never.
	Restores func(ev *checkrein.Event) bool
	// Unreplaced says why what a tool returns to the event's host cannot be kept from the
	// model, as a clause; "" = it can. Nil knows of nothing.
	Unreplaced func(ev *checkrein.Event) string
	// Redacts returns the program that prints what a command prints without secrets, and
	// whether a call that would show the model secrets is to be rewritten so that it runs
	// through that, as the person wants it and the event's host does it; nil = never.
	Redacts func(ev *checkrein.Event) (program string, ok bool)
	// Earlier returns the records of the tool calls that the event's session made before,
	// the newest first, as far as they are at hand; nil knows of none.
	Earlier func(ev *checkrein.Event) [][]byte
	// Shadow finds where snapshots of the files of a directory are; nil takes none.
	Shadow func(ctx context.Context, dir string) (*snapshot.Shadow, error)
}

// A Builtin is a row of the table.
type Builtin struct {
	Name   string
	Doc    string           // what it does, in one line
	Args   string           // how its arguments look, for the docs
	Events []checkrein.Kind // where it is meant to stand, the usual place first
	Traits checkrein.Traits
	New    func(args []string) (Func, error) // checks the arguments, once
}

// A Func is a builtin at work. It is safe for concurrent use. Nothing to say
// is the zero Verdict and no error.
type Func func(ctx context.Context, call Call) (checkrein.Verdict, error)

// A Call is one use of a builtin.
type Call struct {
	Event   checkrein.Event
	Dir     string   // where it works, absolute; "" = unknown
	Environ []string // the environment of programs that it starts; nil = the process's own
	Env     Env
}

// Keep is [Env.Keep] for the call's event.
func (c *Call) Keep(name string, ttl time.Duration, v any, change func() error) error {
	if c.Env.Keep == nil {
		return change()
	}
	return c.Env.Keep(&c.Event, name, ttl, v, change)
}

// Forget is [Env.Forget] for the call's event.
func (c *Call) Forget(name string) error {
	if c.Env.Forget == nil {
		return nil
	}
	return c.Env.Forget(&c.Event, name)
}

// Table returns the builtins in the order of the docs. Callers must not change
// it.
func Table() []Builtin { return table }

// Named finds a row. Callers must not change it.
func Named(name string) (*Builtin, bool) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], true
		}
	}
	return nil, false
}

// Names returns the names of all builtins, in the order of the table.
func Names() []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}

// table is static data: a program that runs one hook pays nothing for the
// others at start-up.
var table = []Builtin{
	{
		Name:   "add_date",
		Doc:    "tells the model today's date",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		Traits: checkrein.Traits{Instant: true},
		New:    newAddDate,
	},
	{
		Name:   "add_environment_info",
		Doc:    "tells the model its directory, whether it is a Git repository, the operating system, the architecture and the shell",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    newAddEnvironmentInfo,
	},
	{
		Name:   "add_prompt_files",
		Doc:    "gives the model the nearest files with these names, searching up from its directory, and those in the home directory",
		Args:   "FILE…",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    newAddPromptFiles,
	},
	{
		Name:   "add_git_status",
		Doc:    "gives the model the short Git status and the branch",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    newAddGitStatus,
	},
	{
		Name:   "add_git_diff",
		Doc:    "gives the model the unstaged changes, as a summary or in full",
		Args:   "[full]",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    newAddGitDiff,
	},
	{
		Name:   "add_directory_listing",
		Doc:    "gives the model a list of the files and folders in its directory",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    newAddDirectoryListing,
	},
	{
		Name:   "add_user_info",
		Doc:    "tells the model the user's login name and full name and the machine's name",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    newAddUserInfo,
	},
	{
		Name:   "add_recent_commits",
		Doc:    "gives the model the latest commits, one line each (default: 10)",
		Args:   "[COUNT]",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    newAddRecentCommits,
	},
	{
		Name:   "safer_shell",
		Doc:    "asks before a shell command that does more than read; commands known to only read pass",
		Args:   "[unsafe|safer|safe-auto|strict]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    newSaferShell,
	},
	{
		Name:   "packs",
		Doc:    "applies the named packs: denies commands that cause far-reaching losses or leak data, and asks before smaller losses in the project",
		Args:   "PACK… [PACK.low|medium|high|unknown|exfiltration=none|ask|deny] [PACK.allow=GLOB]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    newPacks,
	},
	{
		Name:   "protect_paths",
		Doc:    "on by default: denies changes, by any tool or shell command, to checkrein itself, to the settings that make agents call it, and to the given paths; asks before changes to start-up files, keys, Git hooks, /etc and scheduled jobs; strict denies these too, and commands that it cannot follow",
		Args:   "[strict] [GLOB…]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    newProtectPaths,
	},
	{
		Name:   DenialMemory,
		Doc:    "denies other ways to make a call that was already denied in this turn, more firmly each time, then ends the turn",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Recalls: true},
		New:    newDenialMemory,
	},
	{
		Name:   "redact_secrets",
		Doc:    "replaces secrets with [REDACTED] in tool arguments, tool output, the conversation, replies and messages",
		Events: []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Rewrites: true, Phase: checkrein.PhaseRedact, Secrets: true},
		New:    newRedactSecrets,
	},
	{
		Name:   GuardSecrets,
		Doc:    "replaces secrets with [REDACTED:id] in tool output, the conversation, replies and messages; leaves tool arguments alone, where a secret may go to the service that issued it, to the named host as a credential, and into files that git ignores; turns markers that come back into secrets again where the agent can hide these from the model",
		Args:   "[issuer=NAME:HOST]",
		Events: []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Judges: true, Rewrites: true, Phase: checkrein.PhaseRedact, Secrets: true, Markers: true},
		New:    newGuardSecrets,
	},
	{
		Name:   "secret_guard",
		Doc:    "hides pasted secrets from the model, masks secrets in replies and messages, and blocks commands that cannot be undone or that leak credentials",
		Args:   "[message_tool=GLOB] [block=CATEGORY|PACK.RULE] [allow=CATEGORY|PACK.RULE] [pattern=NAME:REGEX]",
		Events: []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit, checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Judges: true, Rewrites: true, Refuses: true, Phase: checkrein.PhaseRedact},
		New:    newSecretGuard,
	},
	{
		Name:   "pii_redactor",
		Doc:    "masks e-mail addresses and phone, card and bank account numbers, showing only their kind",
		Args:   "[email] [phone] [card] [iban]",
		Events: []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage, checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Instant: true, Rewrites: true, Phase: checkrein.PhaseRedact},
		New:    newPIIRedactor,
	},
	{
		Name:   "limit_large_tool_results",
		Doc:    "cuts tool output over 50 KiB or 2,000 lines to its end, and keeps all of it, redacted, in a private file until the session ends",
		Events: []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true, Phase: checkrein.PhaseLimit},
		New:    newLimitLargeToolResults,
	},
	{
		Name:   "runtime_footer",
		Doc:    "adds the model and the turn's real cost below the reply, and removes footers that the model made up; on before_llm_call, tells the model not to write one",
		Args:   "[tokens] [credit] [credit_url=URL] [template=TEXT] [strip=false] [nudge=TEXT]",
		Events: []checkrein.Kind{checkrein.OnResponseEnd, checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Rewrites: true},
		New:    newRuntimeFooter,
	},
	{
		Name:   "tool_audit_log",
		Doc:    "logs every tool call, without secrets, as one JSON line in a file (default: log/tools.jsonl in the state directory)",
		Args:   "[path=FILE]",
		Events: []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.PreToolUse},
		New:    newToolAuditLog,
	},
	{
		Name:   "cost_ledger",
		Doc:    "logs the cost of each model call, turn and session, with running totals, as one JSON line in a file (default: log/costs.jsonl in the state directory)",
		Args:   "[path=FILE]",
		Events: []checkrein.Kind{checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit, checkrein.SessionEnd},
		New:    newCostLedger,
	},
	{
		Name:   "budget_alert",
		Doc:    "warns once when a turn or the session reaches its budget in US dollars, but stops nothing",
		Args:   "[turn=]USD [session=USD]",
		Events: []checkrein.Kind{checkrein.OnResponseEnd, checkrein.AfterLLMCall, checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true},
		New:    newBudgetAlert,
	},
	{
		Name:   "snapshot",
		Doc:    "saves a Git project's files before each turn or tool call, so that checkrein undo can take it back; leaves the project's repository alone and skips ignored files and new files over 2 MiB",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.TurnEnd, checkrein.SessionStart, checkrein.SessionEnd, checkrein.PreToolUse, checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.UserPromptSubmit, checkrein.Stop},
		New:    newSnapshot,
	},
	{
		Name:   "unload",
		Doc:    "after a switch to another agent, tells the engine that runs the old agent's local models (provider dmr) to free their memory; only logs failures, to log/unload.jsonl in the state directory",
		Events: []checkrein.Kind{checkrein.OnAgentSwitch},
		New:    newUnload,
	},
	{
		Name:   narrationGuard,
		Args:   "[ttl=10m]",
		Doc:    "catches a reply that describes using a tool when the whole run used none, and tells the model and the user; put it on post_tool_use, on after_llm_call or stop, on one event before the model is called, and, where the agent has no run IDs, on stop, turn_end or a prompt event to tell runs apart; ttl is how long a caught reply is remembered",
		Events: []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.AfterLLMCall, checkrein.TurnStart, checkrein.TurnEnd, checkrein.BeforeLLMCall, checkrein.UserPromptSubmit, checkrein.OnOutboundMessage, checkrein.OnResponseEnd, checkrein.Stop, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true},
		New:    newNarrationGuard,
	},
	{
		Name:   "verify_claims",
		Doc:    "sends the agent back to work if it claims to have published, posted or scheduled something whose URL or ID is in no evidence file; on on_response_end, adds a note instead",
		Args:   "[evidence=FILE…] [WORD…]",
		Events: []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.OnResponseEnd},
		Traits: checkrein.Traits{Rewrites: true, Refuses: true},
		New:    newVerifyClaims,
	},
	{
		Name:   "quality_gate",
		Doc:    "keeps the agent working until a command passes; the command can read the reply on stdin",
		Args:   "COMMAND [ARGUMENT…]",
		Events: []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.PreCommit, checkrein.PrePush},
		Traits: checkrein.Traits{Refuses: true},
		New:    newQualityGate,
	},
	{
		Name:   "inject_reminder",
		Doc:    "gives the model a fixed reminder each time",
		Args:   "TEXT…",
		Events: []checkrein.Kind{checkrein.BeforeLLMCall, checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		Traits: checkrein.Traits{Instant: true},
		New:    newInjectReminder,
	},
	{
		Name:   "max_iterations",
		Doc:    "ends a run after the given number of model calls, as counted by the runtime",
		Args:   "COUNT",
		Events: []checkrein.Kind{checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Instant: true, Refuses: true},
		New:    newMaxIterations,
	},
}
