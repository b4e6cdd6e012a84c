package checkrein

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Merge makes one verdict of many, given in plan order.
//
//   - Decisions are ordered none < allow < ask < deny and the largest wins.
//   - The reason is the first one given for that decision. Of denials all
//     reasons are kept, joined with newlines.
//   - Contexts and notices are kept in plan order.
//   - Patches of the input compose: a later key wins. Of other rewrites the
//     last one wins; appended text adds up after it.
//   - Metadata: a later key wins. Summary: the first that is not empty wins.
//   - Obligations are joined in plan order, each once. They change no decision.
//   - The turn is halted if any verdict asked for it.
//
// The decision does not depend on the order, and adding a verdict never lowers
// it.
func Merge(verdicts []Verdict) Verdict {
	var out Verdict
	for i := range verdicts {
		out.add(&verdicts[i], true)
	}
	return out
}

// Add merges v, which comes next in plan order, into out: one step of [Merge].
func (out *Verdict) Add(v *Verdict) { out.add(v, false) }

// add is Add; own is set if the metadata of out is not shared.
func (out *Verdict) add(v *Verdict, own bool) {
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
		// The map must be the merged verdict's own: a handler may keep its.
		if !own || out.Metadata == nil {
			both := make(map[string]string, len(out.Metadata)+len(v.Metadata))
			maps.Copy(both, out.Metadata)
			out.Metadata = both
		}
		maps.Copy(out.Metadata, v.Metadata)
	}
}

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

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// composePatch returns the patch that has the effect of a, then b. Deletions
// stay deletions, which is why it is not itself a patch of a.
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
	return rawjson.Dedup(out) // of the same key the last one stays
}

// members returns what stands between the braces of an object, nothing of
// another value.
func members(obj []byte) []byte {
	obj = bytes.TrimSpace(obj)
	if len(obj) < 2 || obj[0] != '{' {
		return nil
	}
	return bytes.TrimSpace(obj[1 : len(obj)-1])
}
