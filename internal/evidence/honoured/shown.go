package honoured

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Shown returns how a record explains that the model knows a secret of a finding, although
// nothing there told that it is one; "" = it does not. has reports whether a text has the
// secret. It reads whole texts, so it is for findings that nothing else explains.
func (f *Finding) Shown(r *record.Record, has func(text string) bool) string {
	kind, ok := hookfile.KindOf(r.Event)
	if !ok || r.Foreign || r.Subject == nil || r.Seq >= f.Seen {
		return ""
	}
	s := r.Subject
	switch kind {
	case checkrein.PreToolUse, checkrein.Stop, checkrein.SubagentStop, checkrein.AfterLLMCall, checkrein.OnResponseEnd, checkrein.OnCompletionClaim, checkrein.OnOutboundMessage, checkrein.AfterCompaction, checkrein.BeforeLLMCall:
		// What the model writes later it may have from the result.
		if r.Seq < f.Changed && (within(s.Input, has) || within(s.Text, has) || within(s.Messages, has)) {
			return inCall
		}
	case checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PostToolUseFailure:
		if within(s.Output, has) || within(s.Text, has) {
			return inResult
		}
	case checkrein.PermissionRequest, checkrein.OnToolApprovalDecision:
		// Its arguments may be those that hooks put secrets back into.
	default:
		if within(s.Text, has) {
			return inCall
		}
	}
	return ""
}

// within reports whether a part has a secret in what is kept of it.
func within(p *record.Part, has func(text string) bool) (yes bool) {
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
	if rawjson.Strings(p.JSON, look); !yes {
		rawjson.Names(p.JSON, look)
	}
	return yes
}
