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
	"github.com/checkrein/checkrein/internal/rawjson"
)

// Host is Codex CLI.
var Host = wire.Host{
	Name: "codex", Title: "Codex CLI", Version: "0.166.0", Mark: wire.Observed,
	Sets:   []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"}, // read about; the first two only in its sandbox
	About:  "Hooks in hooks.json or config.toml. A hook does not run, without a word, until a person has trusted that very command line in Codex.",
	Dirs:   []string{"workdir"},
	Typing: true, // write_stdin
	Waits:  600 * time.Second,
	Events: events, Quirks: quirks,
	Read: read, Say: say,
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
		Note: "fires for the prompts of sub-agents too"},
	{Native: "PreModelRequest", Rows: []wire.Row{{Kind: checkrein.BeforeLLMCall}}, Mark: wire.Observed, Note: "nothing is honoured, so it is not wired"},
	{Native: "PostModelRequest", Rows: []wire.Row{{Kind: checkrein.AfterLLMCall}}, Mark: wire.Observed, Note: "nothing is honoured, so it is not wired"},
	{Native: "PreToolUse", Rows: []wire.Row{{Kind: checkrein.PreToolUse, Honours: deny | checkrein.CanRewriteInput | context}}, Mark: wire.Observed, Wired: true,
		Note: "there is no ask, so it is a denial; an allow would not skip the approval"},
	{Native: "PermissionRequest", Rows: []wire.Row{{Kind: checkrein.PermissionRequest, Honours: deny | checkrein.CanAllow}}, Mark: wire.Observed, Wired: true},
	{Native: "PostToolUse", Rows: []wire.Row{{Kind: checkrein.ToolResponseTransform, Honours: checkrein.CanRewriteOutput}, {Kind: checkrein.PostToolUse, Honours: context}}, Mark: wire.Observed, Wired: true,
		Note: "a command that fails comes here too; the run cannot be stopped from here, a denial takes the place of the output"},
	{Native: "PreCompact", Rows: []wire.Row{{Kind: checkrein.PreCompact, Honours: deny}}, Mark: wire.Observed, Wired: true},
	{Native: "PostCompact", Rows: []wire.Row{{Kind: checkrein.AfterCompaction}}, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStart", Rows: []wire.Row{{Kind: checkrein.SubagentStart, Honours: context}}, Mark: wire.Documented, Wired: true},
	{Native: "SubagentStop", Rows: []wire.Row{{Kind: checkrein.SubagentStop, Honours: redo}}, Mark: wire.Documented, Wired: true},
	{Native: "Stop", Rows: []wire.Row{{Kind: checkrein.Stop, Honours: redo}, {Kind: checkrein.TurnEnd}}, Mark: wire.Observed, Wired: true,
		Note: "without a cap of its own"},
	{Native: "Interrupt", Mark: wire.Observed},
	{Native: "SessionEnd", Rows: []wire.Row{{Kind: checkrein.SessionEnd}}, Mark: wire.Observed, Wired: true, Waits: 3 * time.Second, Note: "Codex does not wait long for it"},
}

var quirks = []wire.Quirk{
	{ID: "unknown-key-is-open", Seen: "0.166.0", Does: "A key that is not on the event's list, at the top or inside, and the whole answer is dropped: the tool runs.", We: "Each event's answer has its own list of keys.", Fixture: "PreToolUse.json"},
	{ID: "workdir-is-hidden", Seen: "0.166.0", Does: "exec_command runs in its workdir, but PreToolUse says only the command and the session's directory.", We: "Relative paths are judged in the session's directory; workdir counts if a later version says it.", Fixture: "PreToolUse.json"},
	{ID: "deny-needs-a-reason", Seen: "0.166.0", Does: "A denial without a reason is a failed hook, and the tool runs.", We: "There is always a reason.", Fixture: "PreToolUse.json"},
	{ID: "exit-2-needs-stderr", Seen: "0.166.0", Does: "Exit code 2 with an empty stderr is a failed hook; JSON beside it is not read.", We: "Denials are JSON at exit 0; where we are missing or die, the line that install writes denies with words.", Fixture: "PreToolUse.json"},
	{ID: "no-ask", Seen: "0.166.0", Does: "ask and defer are rejected, and the tool runs.", We: "An ask is a denial that says so; PermissionRequest can still allow.", Fixture: "PermissionRequest.json"},
	{ID: "allow-is-an-error", Seen: "0.166.0", Does: "A bare allow is reported as a failed hook. With updatedInput it is needed, and skips no approval.", We: "allow is written only beside a rewritten input.", Fixture: "PreToolUse.json"},
	{ID: "no-continue-before-tools", Seen: "0.166.0", Does: "continue, stopReason and suppressOutput on PreToolUse make the answer void.", We: "They are never written there.", Fixture: "PreToolUse.json"},
	{ID: "block-replaces-output", Seen: "0.166.0", Does: "A block on PostToolUse puts the reason in the place of the output.", We: "That is how output is replaced.", Fixture: "PostToolUse.json"},
	{ID: "stop-needs-a-reason", Seen: "0.166.0", Does: "A block of Stop without a reason, or with context, fails and the turn ends; with one it goes on for ever.", We: "A reason always, no context, and our own limit of redos.", Fixture: "Stop.json"},
	{ID: "trust-is-positional", Seen: "0.166.0", Does: "Trust belongs to file, event, position and the exact command line; whatever changes switches the hook off in silence.", We: "install keeps the line byte for byte, and status says whether Codex trusts it.", Fixture: "SessionStart.json"},
	{ID: "no-dedup", Seen: "0.166.0", Does: "The same command in the user's and the project's file runs twice.", We: "install refuses to wire both.", Fixture: "PreToolUse.json"},
	{ID: "rewrite-stays-hidden", Seen: "0.166.0", Does: "A rewritten input runs, a patch too, and later model requests keep the arguments that the model wrote.",
		We: "Markers that the model writes back to a file become the file's secrets again on the way to the tool; what the tool returns is redacted once more.", Fixture: "PreToolUse.json"},
	{ID: "transcript", Seen: "0.166.0", Does: "The session's file (sessions/…/rollout-….jsonl) and thread_history_1.sqlite have what tools returned before it was redacted, and secrets that were put back in a patch. A session that is resumed sends none of it to the model.",
		We: "checkrein's own records have no secret. Whoever may read the agent's folder may read these: treat it as you treat the files themselves.", Fixture: "PostToolUse.json"},
}
