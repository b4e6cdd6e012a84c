package usage

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Maximum lengths of a tool's arguments and output in a line.
const (
	maxAuditInput  = 32 << 10
	maxAuditOutput = 4 << 10
)

// NewToolAuditLog returns the builtin that writes every tool call to a file, as one line of JSON
// without secrets. It decides nothing.
func NewToolAuditLog(env Env, args []string) (builtin.Func, error) {
	file, err := parseLineFile(args, "tools.jsonl")
	if err != nil {
		return nil, err
	}
	return env.bindEnv(func(_ context.Context, call *Call) (checkrein.Verdict, error) {
		if call.Event.Tool == nil {
			return checkrein.Verdict{}, nil
		}
		return builtin.ObserverVerdict(&call.Event, "tool_audit_log", file.addLine(call, auditLine(call)))
	}), nil
}

// auditLine returns the line for the tool call.
func auditLine(call *Call) rawjson.Object {
	ev, t := &call.Event, call.Event.Tool
	c := secretguard.NewCleaner(ev)
	name, _ := c.RedactText(t.Name) // a name that a model made up may contain a secret
	o := beginLine(call)
	o.Text("tool", name)
	o.Text("canonical", t.Canonical)
	o.Text("call", t.CallID)
	if t.Input != nil {
		o.Raw("input", auditValue(&c, t.Input, maxAuditInput))
	}
	if t.Output != nil {
		o.Raw("output", auditValue(&c, t.Output, maxAuditOutput))
	}
	if val := ev.Detail("error"); val != nil {
		o.Raw("error", auditValue(&c, val, maxAuditOutput))
	}
	o.Flag("failed", t.Failed || ev.Kind == checkrein.PostToolUseFailure)
	o.Close()
	return o
}

// auditValue returns val without secrets on one line. A value longer than limit becomes a string with
// its beginning. It is redacted before it is shortened, because a part of a secret would not be
// recognised as one.
func auditValue(c *secret.Cleaner, val []byte, limit int) []byte {
	out, _ := secretguard.CleanJSON(c, val, false)
	if s, ok := rawjson.Text(out); ok && len(s) > limit {
		return rawjson.Quote(builtin.Truncate(s, limit))
	}
	out = rawjson.Compact(nil, out)
	if len(out) > limit {
		return rawjson.Quote(builtin.Truncate(builtin.ValidUTF8(out), limit))
	}
	return out
}
