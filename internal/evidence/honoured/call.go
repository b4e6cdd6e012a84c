package honoured

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// asked notes a call that runs now.
func (s *Session) asked(r *record.Record) {
	if r.Tool == nil || r.Subject == nil || r.Subject.Input == nil {
		return
	}
	c := &call{id: r.Tool.CallID, tool: r.Tool.Name, seq: r.Seq, input: r.Subject.Input}
	c.denied = !r.Shadow && slices.Contains(r.Effects, checkrein.CanDeny.Words()[0])
	if slices.Contains(r.Effects, checkrein.CanRewriteInput.Words()[0]) && !r.Shadow && !r.Canceled && !c.denied {
		c.rewritten = r.Subject.Rewritten
	}
	if s.calls = append(s.calls, c); len(s.calls) > maxCalls {
		s.calls = s.calls[1:]
		s.doubt(unheard)
	}
}

// open reports whether a call before a record has no result yet, that the model may have
// been given all the same.
func (s *Session) open(before uint64) bool {
	return slices.ContainsFunc(s.calls, func(c *call) bool { return !c.denied && c.seq < before })
}

// ran takes the first event after a call, and looks whether it ran as it was rewritten.
// What failed may not have run at all.
func (s *Session) ran(kind checkrein.Kind, r *record.Record) {
	at := s.of(r)
	if at < 0 {
		return
	}
	c := s.calls[at]
	s.calls = slices.Delete(s.calls, at, at+1)
	if kind == checkrein.PostToolUseFailure || r.Tool.Failed || c.rewritten == nil || s.told["rewrite"] || !undone(c.input, c.rewritten, r.Subject.Input) {
		return
	}
	s.told["rewrite"] = true
	f := s.finding(capability.Rewrite, change{c.seq, c.tool}, r)
	if !s.host.Ran {
		f.Maybe = notShown
	}
	s.found = append(s.found, f)
}

// of finds the call that an event is after, -1 for none. Where calls have no ids, one that
// ran as it should comes before one that did not, and the oldest before others.
func (s *Session) of(r *record.Record) int {
	if r.Tool == nil || r.Subject == nil || r.Subject.Input == nil {
		return -1
	}
	if id := r.Tool.CallID; id != "" {
		return slices.IndexFunc(s.calls, func(c *call) bool { return c.id == id })
	}
	in := r.Subject.Input
	for _, fits := range []func(*call) bool{
		func(c *call) bool { return c.rewritten != nil && same(c.rewritten, in) },
		func(c *call) bool { return c.rewritten == nil && same(c.input, in) },
		func(c *call) bool { return c.rewritten != nil && same(c.input, in) },
	} {
		i := slices.IndexFunc(s.calls, func(c *call) bool { return c.id == "" && c.tool == r.Tool.Name && !c.denied && fits(c) })
		if i >= 0 {
			return i
		}
	}
	return -1
}

// same reports whether two parts say the same.
func same(a, b *record.Part) bool {
	if a.Digest == b.Digest {
		return true
	}
	return a.JSON != nil && b.JSON != nil && rawjson.Same(a.JSON, b.JSON)
}

// undone reports whether a call ran with the arguments from before it was rewritten. Hosts
// may put arguments in a form of their own before they run them, so that only texts
// count that say something else than before, and all of them.
func undone(was, rewritten, ran *record.Part) bool {
	if was.JSON == nil || rewritten.JSON == nil || ran.JSON == nil {
		return ran.Digest == was.Digest && ran.Digest != rewritten.Digest
	}
	changed := 0
	for key, old := range members(was.JSON) {
		now, ok := member(rewritten.JSON, key)
		if !ok || alike(old, now) {
			continue
		}
		if got, ok := member(ran.JSON, key); !ok || got != old {
			return false
		}
		changed++
	}
	return changed > 0
}

// members are the texts of an object, by key.
func members(obj []byte) map[string]string {
	out := map[string]string{}
	rawjson.Each(obj, func(key string, val []byte) bool {
		if s, ok := rawjson.Text(val); ok {
			out[key] = s
		}
		return true
	})
	return out
}

func member(obj []byte, key string) (string, bool) {
	s, ok := members(obj)[key]
	return s, ok
}

// alike reports whether two texts may be forms of the same: with other blanks, or a path
// from another directory.
func alike(a, b string) bool {
	a, b = strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")
	if a == b {
		return true
	}
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a != "" && b != "" && (a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a))
}
