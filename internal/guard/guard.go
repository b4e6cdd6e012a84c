// Package guard holds the hooks that come with checkrein: functions that a configuration refers to by
// name and that run in process.
//
// [Table] lists the builtins, each with its own source file. [Type] makes them available as a handler
// type.
package guard

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/addcontext"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/guard/save"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/guard/usage"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
)

// An Env gives builtins access to the machine and to checkrein. Its functions must be safe for
// concurrent use.
type Env struct {
	builtin.Machine
	Self    selfprotect.Env
	Secrets secretguard.Env
	Usage   usage.Env
	Large   save.Limiter
	// Denials returns how many times a call with the given key or touches was denied in this turn of the
	// session, and the first reason; nil means that denials are not recorded.
	Denials func(ev *checkrein.Event, key string, does []study.Touch) (n int, why string)
	// Redone reports whether a hook made the agent continue in this turn, so that what looks like a
	// new turn is still the same one; nil means never.
	Redone func(ev *checkrein.Event) bool
	// Shadow returns the store of snapshots for a directory; nil means that none are taken.
	Shadow func(ctx context.Context, dir string) (*snapshot.Shadow, error)
}

// A Builtin describes a builtin.
type Builtin struct {
	Name   string
	Doc    string           // what it does, in one line
	Args   string           // the syntax of its arguments, for the docs
	Events []checkrein.Kind // the events for which it is meant, the most common first
	Traits checkrein.Traits
	New    func(env *Env, args []string) (builtin.Func, error) // returns the function, or an error if args are invalid
}

// Table returns the builtins in the order in which the documentation lists them. Callers must not
// modify it.
func Table() []Builtin { return table }

// Lookup returns the builtin name, which callers must not modify, or false if there is none.
func Lookup(name string) (*Builtin, bool) {
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

// table is static data, so that a process that runs one builtin spends no time on the others at
// start-up.
var table = []Builtin{
	{
		Name:   "add_date",
		Doc:    "tells the model today's date",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		Traits: checkrein.Traits{Instant: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddDate(args) },
	},
	{
		Name:   "add_environment_info",
		Doc:    "tells the model its directory, whether it is a Git repository, the operating system, the architecture and the shell",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddEnvironmentInfo(args) },
	},
	{
		Name:   "add_prompt_files",
		Doc:    "gives the model the nearest files with these names, searching up from its directory, and those in the home directory",
		Args:   "FILE…",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddPromptFiles(args) },
	},
	{
		Name:   "add_git_status",
		Doc:    "gives the model the short Git status and the branch",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddGitStatus(args) },
	},
	{
		Name:   "add_git_diff",
		Doc:    "gives the model the unstaged changes, as a summary or in full",
		Args:   "[full]",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddGitDiff(args) },
	},
	{
		Name:   "add_directory_listing",
		Doc:    "gives the model a list of the files and folders in its directory",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddDirectoryListing(args) },
	},
	{
		Name:   "add_user_info",
		Doc:    "tells the model the user's login name and full name and the machine's name",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddUserInfo(args) },
	},
	{
		Name:   "add_recent_commits",
		Doc:    "gives the model the latest commits, one line each (default: 10)",
		Args:   "[COUNT]",
		Events: []checkrein.Kind{checkrein.SessionStart, checkrein.SubagentStart},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewAddRecentCommits(args) },
	},
	{
		Name:   "safer_shell",
		Doc:    "asks before a shell command that does more than read; commands known to only read pass",
		Args:   "[unsafe|safer|safe-auto|strict]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return packguard.NewSaferShell(args) },
	},
	{
		Name:   "packs",
		Doc:    "applies the named packs: denies commands that cause far-reaching losses or leak data, saves smaller losses in the project first, and asks where it cannot",
		Args:   "PACK… [PACK.low|medium|high|unknown|exfiltration=none|ask|deny] [PACK.allow=GLOB]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return packguard.NewPacks(args) },
	},
	{
		Name:   "protect_paths",
		Doc:    "on by default: denies changes, by any tool or shell command, to checkrein itself, to the settings that make agents call it, and to the given paths; asks before changes to start-up files, keys, Git hooks, /etc and scheduled jobs; strict denies these too, and commands that it cannot follow",
		Args:   "[strict] [GLOB…]",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Judges: true},
		New:    func(env *Env, args []string) (builtin.Func, error) { return selfprotect.New(env.Self, args) },
	},
	{
		Name:   conduct.DenialMemory,
		Doc:    "denies other ways to make a call that was already denied in this turn, more firmly each time, then ends the turn",
		Events: []checkrein.Kind{checkrein.PreToolUse},
		Traits: checkrein.Traits{Instant: true, Recalls: true},
		New:    func(env *Env, args []string) (builtin.Func, error) { return conduct.NewDenialMemory(env.Denials, args) },
	},
	{
		Name:   "redact_secrets",
		Doc:    "replaces secrets with [REDACTED] in tool arguments, tool output, the conversation, replies and messages",
		Events: []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Rewrites: true, Redacts: true, Secrets: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return secretguard.NewRedactSecrets(args) },
	},
	{
		Name:   secretguard.GuardSecrets,
		Doc:    "replaces secrets with [REDACTED:id] in tool output, the conversation, replies and messages; leaves tool arguments alone, where a secret may go to the service that issued it, to the named host as a credential, and into files that git ignores; turns markers that come back into secrets again where the agent can hide these from the model",
		Args:   "[issuer=NAME:HOST]",
		Events: []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Judges: true, Rewrites: true, Redacts: true, Secrets: true, Markers: true},
		New: func(env *Env, args []string) (builtin.Func, error) {
			return secretguard.NewGuardSecrets(env.Secrets, args)
		},
	},
	{
		Name:   "secret_guard",
		Doc:    "hides pasted secrets from the model, masks secrets in replies and messages, and blocks commands that cannot be undone or that leak credentials",
		Args:   "[message_tool=GLOB] [block=CATEGORY|PACK.RULE] [allow=CATEGORY|PACK.RULE] [pattern=NAME:REGEX]",
		Events: []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit, checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		Traits: checkrein.Traits{Instant: true, Judges: true, Rewrites: true, Refuses: true, Redacts: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return secretguard.NewSecretGuard(args) },
	},
	{
		Name:   "pii_redactor",
		Doc:    "masks e-mail addresses and phone, card and bank account numbers, showing only their kind",
		Args:   "[email] [phone] [card] [iban]",
		Events: []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage, checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Instant: true, Rewrites: true, Redacts: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return secretguard.NewPIIRedactor(args) },
	},
	{
		Name:   "limit_large_tool_results",
		Doc:    "cuts tool output over 50 KiB or 2,000 lines to its end, and keeps all of it, redacted, in a private file until the session ends",
		Events: []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true, Limits: true},
		New: func(env *Env, args []string) (builtin.Func, error) {
			return save.NewLimitLargeToolResults(env.Large, args)
		},
	},
	{
		Name:   "runtime_footer",
		Doc:    "adds the model and the turn's real cost below the reply, and removes footers that the model made up; on before_llm_call, tells the model not to write one",
		Args:   "[tokens] [credit] [credit_url=URL] [template=TEXT] [strip=false] [nudge=TEXT]",
		Events: []checkrein.Kind{checkrein.OnResponseEnd, checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Rewrites: true},
		New:    func(env *Env, args []string) (builtin.Func, error) { return usage.NewRuntimeFooter(env.Usage, args) },
	},
	{
		Name:   "tool_audit_log",
		Doc:    "logs every tool call, without secrets, as one JSON line in a file (default: log/tools.jsonl in the state directory)",
		Args:   "[path=FILE]",
		Events: []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.PreToolUse},
		New:    func(env *Env, args []string) (builtin.Func, error) { return usage.NewToolAuditLog(env.Usage, args) },
	},
	{
		Name:   "cost_ledger",
		Doc:    "logs the cost of each model call, turn and session, with running totals, as one JSON line in a file (default: log/costs.jsonl in the state directory)",
		Args:   "[path=FILE]",
		Events: []checkrein.Kind{checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit, checkrein.SessionEnd},
		New:    func(env *Env, args []string) (builtin.Func, error) { return usage.NewCostLedger(env.Usage, args) },
	},
	{
		Name:   "budget_alert",
		Doc:    "warns once when a turn or the session reaches its budget in US dollars, but stops nothing",
		Args:   "[turn=]USD [session=USD]",
		Events: []checkrein.Kind{checkrein.OnResponseEnd, checkrein.AfterLLMCall, checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return usage.NewBudgetAlert(args) },
	},
	{
		Name:   "snapshot",
		Doc:    "saves a Git project's files before each turn or tool call, so that checkrein undo can take it back; leaves the project's repository alone and skips ignored files and new files over 2 MiB",
		Events: []checkrein.Kind{checkrein.TurnStart, checkrein.TurnEnd, checkrein.SessionStart, checkrein.SessionEnd, checkrein.PreToolUse, checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.UserPromptSubmit, checkrein.Stop},
		New:    func(env *Env, args []string) (builtin.Func, error) { return save.NewSnapshot(env.Shadow, args) },
	},
	{
		Name:   "unload",
		Doc:    "after a switch to another agent, tells the engine that runs the old agent's local models (provider dmr) to free their memory; only logs failures, to log/unload.jsonl in the state directory",
		Events: []checkrein.Kind{checkrein.OnAgentSwitch},
		New:    func(env *Env, args []string) (builtin.Func, error) { return usage.NewUnload(env.Usage, args) },
	},
	{
		Name:   conduct.NarrationGuard,
		Args:   "[ttl=10m]",
		Doc:    "catches a reply that describes using a tool when the whole run used none, and tells the model and the user; put it on post_tool_use, on after_llm_call or stop, on one event before the model is called, and, where the agent has no run IDs, on stop, turn_end or a prompt event to tell runs apart; ttl is how long a caught reply is remembered",
		Events: []checkrein.Kind{checkrein.PostToolUse, checkrein.PostToolUseFailure, checkrein.AfterLLMCall, checkrein.TurnStart, checkrein.TurnEnd, checkrein.BeforeLLMCall, checkrein.UserPromptSubmit, checkrein.OnOutboundMessage, checkrein.OnResponseEnd, checkrein.Stop, checkrein.SessionEnd},
		Traits: checkrein.Traits{Rewrites: true},
		New: func(env *Env, args []string) (builtin.Func, error) {
			return conduct.NewNarrationGuard(env.Redone, args)
		},
	},
	{
		Name:   "verify_claims",
		Doc:    "sends the agent back to work if it claims to have published, posted or scheduled something whose URL or ID is in no evidence file; on on_response_end, adds a note instead",
		Args:   "[evidence=FILE…] [WORD…]",
		Events: []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.OnResponseEnd},
		Traits: checkrein.Traits{Rewrites: true, Refuses: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return conduct.NewVerifyClaims(args) },
	},
	{
		Name:   "quality_gate",
		Doc:    "keeps the agent working until a command passes; the command can read the reply on stdin",
		Args:   "COMMAND [ARGUMENT…]",
		Events: []checkrein.Kind{checkrein.Stop, checkrein.OnCompletionClaim, checkrein.SubagentStop, checkrein.PreCommit, checkrein.PrePush},
		Traits: checkrein.Traits{Refuses: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return conduct.NewQualityGate(args) },
	},
	{
		Name:   "inject_reminder",
		Doc:    "gives the model a fixed reminder each time",
		Args:   "TEXT…",
		Events: []checkrein.Kind{checkrein.BeforeLLMCall, checkrein.TurnStart, checkrein.UserPromptSubmit, checkrein.SessionStart},
		Traits: checkrein.Traits{Instant: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return addcontext.NewInjectReminder(args) },
	},
	{
		Name:   "max_iterations",
		Doc:    "ends a run after the given number of model calls, as counted by the runtime",
		Args:   "COUNT",
		Events: []checkrein.Kind{checkrein.BeforeLLMCall},
		Traits: checkrein.Traits{Instant: true, Refuses: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return conduct.NewMaxIterations(args) },
	},
	{
		Name:   conduct.Freeze,
		Doc:    "denies every tool until a time, which ends by itself; checkrein fleet freeze uses it on all machines of a fleet",
		Args:   "until=TIME [by=NAME] [reason=TEXT]",
		Events: []checkrein.Kind{checkrein.PreToolUse, checkrein.PermissionRequest},
		Traits: checkrein.Traits{Instant: true, Refuses: true},
		New:    func(_ *Env, args []string) (builtin.Func, error) { return conduct.NewFreeze(args) },
	},
}
