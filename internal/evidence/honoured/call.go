package honoured

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// addCall adds the call that r announces, which is about to run.
func (s *Session) addCall(r *record.Record) {
	if r.Tool == nil || r.Subject == nil || r.Subject.Input == nil {
		return
	}
	c := &call{id: r.Tool.CallID, tool: r.Tool.Name, seq: r.Seq, input: r.Subject.Input}
	if r.Again && c.id != "" {
		s.calls = slices.DeleteFunc(s.calls, func(have *call) bool { return have.id == c.id })
	}
	c.denied = !r.Shadow && slices.Contains(r.Effects, checkrein.CanDeny.Words()[0])
	if slices.Contains(r.Effects, checkrein.CanRewriteInput.Words()[0]) && !r.Shadow && !r.Canceled && !c.denied {
		c.rewritten = r.Subject.Rewritten
	}
	if s.calls = append(s.calls, c); len(s.calls) > maxCalls {
		s.calls = s.calls[1:]
		s.addDoubt(unheard)
	}
}

// hasOpenCall reports whether a call before the record before has no recorded result, which the model
// may have received nevertheless.
func (s *Session) hasOpenCall(before uint64) bool {
	return slices.ContainsFunc(s.calls, func(c *call) bool { return !c.denied && c.seq < before })
}

// checkRan handles r, the first event after a call, and adds a finding if the call did not run as
// hooks rewrote it. A failed call may not have run at all.
func (s *Session) checkRan(kind checkrein.Kind, r *record.Record) {
	at := s.callIndex(r)
	if at < 0 {
		return
	}
	c := s.calls[at]
	s.calls = slices.Delete(s.calls, at, at+1)
	if kind == checkrein.PostToolUseFailure || r.Tool.Failed || c.rewritten == nil || s.reported["rewrite"] || !isRewriteIgnored(c.input, c.rewritten, r.Subject.Input) {
		return
	}
	s.reported["rewrite"] = true
	f := s.newFinding(capability.Rewrite, change{c.seq, c.tool}, r)
	if !s.host.Ran {
		f.Maybe = notShown
	}
	s.found = append(s.found, f)
}

// callIndex returns the index of the call that r follows, or -1 if there is none. If calls have no
// ids, it prefers calls that ran as they should, and then older ones.
func (s *Session) callIndex(r *record.Record) int {
	if r.Tool == nil || r.Subject == nil || r.Subject.Input == nil {
		return -1
	}
	if id := r.Tool.CallID; id != "" {
		return slices.IndexFunc(s.calls, func(c *call) bool { return c.id == id })
	}
	in := r.Subject.Input
	for _, fits := range []func(*call) bool{
		func(c *call) bool { return c.rewritten != nil && sameValue(c.rewritten, in) },
		func(c *call) bool { return c.rewritten == nil && sameValue(c.input, in) },
		func(c *call) bool { return c.rewritten != nil && sameValue(c.input, in) },
	} {
		i := slices.IndexFunc(s.calls, func(c *call) bool { return c.id == "" && c.tool == r.Tool.Name && !c.denied && fits(c) })
		if i >= 0 {
			return i
		}
	}
	return -1
}

// sameValue reports whether a and b have the same value.
func sameValue(a, b *record.Part) bool {
	if a.Digest == b.Digest {
		return true
	}
	return a.JSON != nil && b.JSON != nil && rawjson.EqualForEveryReader(a.JSON, b.JSON)
}

// isRewriteIgnored reports whether a call ran with the arguments was, from before it was rewritten.
// Hosts may normalise arguments before they run a call, so only strings whose meaning was changed
// count, and all of these must be the original ones.
func isRewriteIgnored(was, rewritten, ran *record.Part) bool {
	if was.JSON == nil || rewritten.JSON == nil || ran.JSON == nil {
		return ran.Digest == was.Digest && ran.Digest != rewritten.Digest
	}
	changed := 0
	for key, old := range stringMembers(was.JSON) {
		now, ok := stringMember(rewritten.JSON, key)
		if !ok || areEquivalent(old, now) {
			continue
		}
		if got, ok := stringMember(ran.JSON, key); !ok || got != old {
			return false
		}
		changed++
	}
	return changed > 0
}

// stringMembers returns the members of the JSON object obj that are strings.
func stringMembers(obj []byte) map[string]string {
	out := map[string]string{}
	rawjson.Each(obj, func(key string, val []byte) bool {
		if s, ok := rawjson.Text(val); ok {
			out[key] = s
		}
		return true
	})
	return out
}

func stringMember(obj []byte, key string) (string, bool) {
	s, ok := stringMembers(obj)[key]
	return s, ok
}

// areEquivalent reports whether a and b may be forms of the same value: with other white space, or a
// path relative to another directory.
func areEquivalent(a, b string) bool {
	a, b = strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")
	if a == b {
		return true
	}
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a != "" && b != "" && (a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a))
}
