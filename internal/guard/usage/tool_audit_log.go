package usage

import (
	"context"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// What a line holds at most of a tool's arguments and of what it returned.
const (
	maxAuditInput  = 32 << 10
	maxAuditOutput = 4 << 10
)

// NewToolAuditLog writes every tool call to a file, a line of JSON each, without
// secrets. It decides nothing.
func NewToolAuditLog(env Env, args []string) (builtin.Func, error) {
	file, err := readLineFile(args, "tools.jsonl")
	if err != nil {
		return nil, err
	}
	return env.bind(func(_ context.Context, call *Call) (checkrein.Verdict, error) {
		if call.Event.Tool == nil {
			return checkrein.Verdict{}, nil
		}
		return builtin.ObserverVerdict(&call.Event, "tool_audit_log", file.add(call, auditLine(call)))
	}), nil
}

func auditLine(call *Call) rawjson.Object {
	ev, t := &call.Event, call.Event.Tool
	c := secretguard.NewCleaner(ev)
	name, _ := c.Text(t.Name) // models make up names
	o := lineHead(call)
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

// auditValue is a value without secrets on one line. Of a long one it is the
// beginning, as a text: all of it is redacted before any of it is cut off, since
// a piece of a secret looks like none.
func auditValue(c *secret.Cleaner, val []byte, limit int) []byte {
	out, _ := secretguard.CleanText(c, val, false)
	if s, ok := rawjson.Text(out); ok && len(s) > limit {
		return rawjson.Quote(builtin.Truncate(s, limit))
	}
	out = rawjson.Compact(nil, out)
	if len(out) > limit {
		return rawjson.Quote(builtin.Truncate(builtin.ValidUTF8(out), limit))
	}
	return out
}
