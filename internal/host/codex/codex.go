// Package codex is the wire of Codex CLI.
//
// It throws a whole answer away for one key that it does not know on the event,
// for a denial without a reason and for a decision that it has not, and runs the
// tool then. So each event has its own list of keys, and what is not on it is
// never written.
package codex

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Host is Codex CLI.
var Host = wire.Host{
	Name: "codex", Title: "Codex CLI", Version: "0.166.0", Mark: wire.Observed,
	Sets:  []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"}, // read about; the first two only in its sandbox
	About: "Hooks go in hooks.json or config.toml. Codex silently skips a hook until the user has trusted that exact command line.",
	Dirs:  []string{"workdir"}, Patches: "apply_patch",
	Typing: true, // write_stdin
	Waits:  600 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
	Ran:      true, // observed
	Restores: true, // see rewrite-stays-hidden
}

// read says in docker-agent's words what model requests took.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
	if c.Native != "PreModelRequest" && c.Native != "PostModelRequest" || c.Err != nil {
		return c
	}
	ev := &c.Events[0]
	c.Tell(ev.Kind, "model_id", rawjson.GetText(body, "model"))
	if took, ok := rawjson.Get(body, "token_usage"); ok && rawjson.Kind(took) == '{' {
		usage := rawjson.Object{'{'}
		for _, k := range [...][2]string{{"input_tokens", "input_tokens"}, {"output_tokens", "output_tokens"}, {"cached_input_tokens", "cached_input_tokens"},
			{"cache_write_input_tokens", "cached_write_tokens"}, {"reasoning_output_tokens", "reasoning_tokens"}} {
			if n, ok := rawjson.Get(took, k[0]); ok {
				usage.Raw(k[1], n)
			}
		}
		usage.Close()
		ev.Details = append(ev.Details, checkrein.Detail{Name: "usage", Value: json.RawMessage(usage)})
	}
	return c
}

const (
	context = checkrein.CanAddContext
	deny    = checkrein.CanDeny
	redo    = checkrein.CanDeny | checkrein.CanRedo
)

var events = []wire.Event{
	{Native: "SessionStart", Rows: []wire.Row{{Kind: checkrein.SessionStart, Honours: context}}, Mark: wire.Observed, Wired: true},
	{Native: "UserPromptSubmit", Rows: []wire.Row{{Kind: checkrein.UserPromptSubmit, Honours: deny | context}, {Kind: checkrein.TurnStart, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "fires for sub-agents' prompts too"},
	{Native: "PreModelRequest", Rows: []wire.Row{{Kind: checkrein.BeforeLLMCall}}, Mark: wire.Observed, Note: "the host honors no answer here, so it is not wired"},
	{Native: "PostModelRequest", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}}, Mark: wire.Observed, Note: "the host honors no answer here, so it is not wired"},
	{Native: "PreToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanRewriteInput | context}}, Mark: wire.Observed, Wired: true,
		Note: "the host cannot ask, so an ask is a denial; an allow would not skip the approval"},
	{Native: "PermissionRequest", Rows: []wire.Row{{Kind: checkrein.PermissionRequest, Honours: deny | checkrein.CanAllow}}, Mark: wire.Observed, Wired: true},
	{Native: "PostToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "fires for failed commands too; a hook cannot stop the run here, so a denial replaces the output"},
	{Native: "PreCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny}}, Mark: wire.Observed, Wired: true},
	{Native: "PostCompact", Rows: []wire.Row{{Kind: checkrein.AfterCompaction}}, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStart", Rows: []wire.Row{{Kind: checkrein.SubagentStart, Honours: context}}, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStop", Rows: []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}, Mark: wire.Documented, Wired: true},
	{Native: "Stop", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Mark: wire.Observed, Wired: true,
		Note: "the host sets no limit"},
	{Native: "Interrupt", Mark: wire.Observed},
	{Native: "SessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Mark: wire.Observed, Wired: true, Waits: 3 * time.Second, Note: "Codex waits only briefly for the answer"},
}

var quirks = []wire.Quirk{
	{ID: "unknown-key-is-open", Seen: "0.166.0", Does: "If the answer has a key that is not on the event's list, at any level, the whole answer is dropped and the tool runs.", We: "checkrein has a list of allowed keys for each event.", Fixture: "PreToolUse.json"},
	{ID: "workdir-is-hidden", Seen: "0.166.0", Does: "exec_command runs in its workdir, but PreToolUse sends only the command and the session's directory.", We: "checkrein resolves relative paths in the session's directory. It uses workdir if a later version sends it.", Fixture: "PreToolUse.json"},
	{ID: "deny-needs-a-reason", Seen: "0.166.0", Does: "A denial without a reason counts as a failed hook, and the tool runs.", We: "checkrein always sends a reason.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-needs-stderr", Seen: "0.166.0", Does: "Exit code 2 with an empty stderr counts as a failed hook; JSON sent with it is not read.", We: "checkrein denies with JSON and exit code 0. If checkrein is missing or dies, the command line that install writes denies with a reason.", Fixture: "PreToolUse.json"},
	{ID: "no-ask", Seen: "0.166.0", Does: "ask and defer are rejected, and the tool runs.", We: "checkrein sends an ask as a denial that says so. PermissionRequest can still allow the call.", Fixture: "PermissionRequest.json"},
	{ID: "allow-is-an-error", Seen: "0.166.0", Does: "A bare allow is reported as a failed hook. With updatedInput, allow is required; it skips no approval.", We: "checkrein sends allow only with a rewritten input.", Fixture: "PreToolUse.json"},
	{ID: "no-continue-before-tools", Seen: "0.166.0", Does: "continue, stopReason and suppressOutput on PreToolUse make the whole answer invalid.", We: "checkrein never sends them there.", Fixture: "PreToolUse.json"},
	{ID: "block-replaces-output", Seen: "0.166.0", Does: "A block on PostToolUse replaces the output with the reason.", We: "checkrein uses this to replace output.", Fixture: "PostToolUse.json"},
	{ID: "stop-needs-a-reason", Seen: "0.166.0", Does: "Blocking Stop without a reason, or with context, fails, and the turn ends. Blocking it with a reason keeps the turn going, without limit.", We: "checkrein always sends a reason, sends no context, and has its own redo limit.", Fixture: "Stop.json"},
	{ID: "trust-is-positional", Seen: "0.166.0", Does: "Trust depends on the file, the event, the position and the exact command line. Any change silently turns the hook off.", We: "install keeps the command line byte for byte, and status reports whether Codex trusts it.", Fixture: "SessionStart.json"},
	{ID: "no-dedup", Seen: "0.166.0", Does: "The same command in the user's file and the project's file runs twice.", We: "install refuses to wire both.", Fixture: "PreToolUse.json"},
	{ID: "rewrite-stays-hidden", Seen: "0.166.0", Does: "A rewritten input runs, patches included, but later model requests still show the arguments that the model wrote.",
		We: "When the model writes a redaction marker back to a file, checkrein turns it into the file's secret again before the tool runs. What the tool returns is redacted again.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: "0.166.0", Does: "The session file (sessions/…/rollout-….jsonl) and thread_history_1.sqlite contain tool output from before it was redacted, and secrets that were restored in a patch. A resumed session sends none of it to the model.",
		We: "checkrein's own records contain no secrets. The agent's folder does: anyone who can read it can read them, so protect it like the files themselves.", Fixture: "PostToolUse.json"},
}
