package checkrein

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Merge merges verdicts, given in plan order, into one.
//
//   - Decisions are ordered none < allow < ask < deny, and the largest wins.
//   - The reason is the first one given for that decision. For denials, all reasons are kept, joined with newlines.
//   - Contexts and notices are kept in plan order.
//   - Patches of the input are combined; a later value for a key wins. For other rewrites the last one wins; appended text adds
//     up after it.
//   - Metadata: a later value for a key wins. Summary: the first that is not empty wins.
//   - Obligations are kept in plan order, each once. They do not change the decision.
//   - The turn is halted if any verdict requires it.
//
// The decision does not depend on the order, and adding a verdict never lowers it.
func Merge(verdicts []Verdict) Verdict {
	var out Verdict
	for i := range verdicts {
		out.mergeNext(&verdicts[i], true)
	}
	return out
}

// Add merges v, the next verdict in plan order, into out. It is one step of [Merge].
func (out *Verdict) Add(v *Verdict) { out.mergeNext(v, false) }

// mergeNext is Add. own is set if no other verdict shares the metadata map of out.
func (out *Verdict) mergeNext(v *Verdict, own bool) {
	mergeDecision(out, v)
	out.Context = append(out.Context, v.Context...)
	out.Notice = append(out.Notice, v.Notice...)
	out.Input = composePatch(out.Input, v.Input)
	if v.Output != nil {
		out.Output, out.Append = v.Output, ""
	}
	out.Append = joinLines(out.Append, v.Append)
	if v.Messages != nil {
		out.Messages = v.Messages
	}
	out.Redo = joinLines(out.Redo, v.Redo)
	out.Halt = out.Halt || v.Halt
	out.Obligations = addObligations(out.Obligations, v.Obligations)
	if out.Summary == "" {
		out.Summary = v.Summary
	}
	if len(v.Metadata) > 0 {
		// The merged verdict needs its own map, because a handler may keep the one that it returned.
		if !own || out.Metadata == nil {
			both := make(map[string]string, len(out.Metadata)+len(v.Metadata))
			maps.Copy(both, out.Metadata)
			out.Metadata = both
		}
		maps.Copy(out.Metadata, v.Metadata)
	}
}

// mergeDecision merges the decision and the reason of v into out.
func mergeDecision(out, v *Verdict) {
	switch {
	case v.Decision > out.Decision:
		out.Decision, out.Reason = v.Decision, v.Reason
	case v.Decision < out.Decision || v.Reason == "" || v.Decision == NoOpinion:
	case out.Decision == Deny:
		out.Reason = joinLines(out.Reason, v.Reason)
	case out.Reason == "":
		out.Reason = v.Reason
	}
}

// joinLines returns a and b on separate lines, or one of them if the other is empty.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// composePatch returns a patch with the effect of a followed by b. It keeps deletions, which applying
// b to a as a patch would not.
func composePatch(a, b json.RawMessage) json.RawMessage {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	first, second := members(a), members(b)
	out := make([]byte, 0, len(a)+len(b)+1)
	out = append(append(out, '{'), first...)
	if len(first) > 0 && len(second) > 0 {
		out = append(out, ',')
	}
	out = append(append(out, second...), '}')
	return rawjson.Dedup(out) // the last value of a key wins
}

// members returns the text between the braces of an object, or nil if obj is not an object.
func members(obj []byte) []byte {
	obj = bytes.TrimSpace(obj)
	if len(obj) < 2 || obj[0] != '{' {
		return nil
	}
	return bytes.TrimSpace(obj[1 : len(obj)-1])
}
