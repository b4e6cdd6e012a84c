package honoured

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// ExplainedBy returns how r explains that the model has the secret of f, although nothing in r marks
// it as one, or "" if it does not. has reports whether a text contains the secret. It reads whole
// texts, so it is meant for findings without another explanation.
func (f *Finding) ExplainedBy(r *record.Record, has func(text string) bool) string {
	kind, ok := hookfile.KindOf(r.Event)
	if !ok || r.Foreign || r.Subject == nil || r.Seq >= f.Seen {
		return ""
	}
	s := r.Subject
	switch kind {
	case checkrein.PreToolUse, checkrein.Stop, checkrein.SubagentStop, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnCompletionClaim, checkrein.OnOutboundMessage, checkrein.AfterCompaction, checkrein.BeforeLLMCall:
		// Text that the model writes later may come from the result.
		if r.Seq < f.Changed && (partContains(s.Input, has) || partContains(s.Text, has) || partContains(s.Messages, has)) {
			return inCall
		}
	case checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure:
		if partContains(s.Output, has) || partContains(s.Text, has) {
			return inResult
		}
	case checkrein.PermissionRequest, checkrein.OnToolApprovalDecision:
		// Hooks may have restored secrets in its arguments.
	default:
		if partContains(s.Text, has) {
			return inCall
		}
	}
	return ""
}

// partContains reports whether has is true for a recorded text of p, which may be nil.
func partContains(p *record.Part, has func(text string) bool) (yes bool) {
	if p == nil {
		return false
	}
	for _, text := range [...]string{p.Text, p.Head, p.Tail} {
		if text != "" && has(text) {
			return true
		}
	}
	look := func(s string) bool {
		yes = has(s)
		return !yes
	}
	if rawjson.EachStringValue(p.JSON, look); !yes {
		rawjson.EachKey(p.JSON, look)
	}
	return yes
}
