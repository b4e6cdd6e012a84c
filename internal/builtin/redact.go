package builtin

import (
	"bytes"
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/secret"
)

// redactSubject says how to take out of an event's subject what a cleaner finds
// there, and how much that was.
func redactSubject(ev *checkrein.Event, c *secret.Cleaner, known *cleared) (checkrein.Verdict, int) {
	row := checkrein.ContractOf(ev.Kind)
	switch {
	case row.Can(checkrein.CanRewriteMessages) && ev.Messages != nil:
		out, n := known.messages(c, ev.Messages)
		return rewritten(checkrein.Verdict{Messages: out}, n)
	case row.Can(checkrein.CanRewriteInput) && ev.Tool != nil && ev.Tool.Input != nil:
		out, n := c.JSON(ev.Tool.Input)
		if n == 0 {
			return checkrein.Verdict{}, 0
		}
		return checkrein.Verdict{Input: difference(ev.Tool.Input, out)}, n
	case row.Can(checkrein.CanRewriteOutput) && row.Subject == checkrein.SubjectTool:
		if ev.Tool == nil || ev.Tool.Output == nil {
			return checkrein.Verdict{}, 0
		}
		out, n := cleanKeeping(c, ev.Tool.Output, false)
		return rewritten(checkrein.Verdict{Output: out}, n)
	case row.Can(checkrein.CanRewriteOutput):
		text, n := c.Text(ev.Text)
		return rewritten(checkrein.Verdict{Output: rawjson.Quote(text)}, n)
	}
	return checkrein.Verdict{}, 0
}

func rewritten(v checkrein.Verdict, n int) (checkrein.Verdict, int) {
	if n == 0 {
		return checkrein.Verdict{}, 0
	}
	return v, n
}

// difference is the patch that makes one object of arguments the other: they
// have the same members in the same order, some with another value or name.
func difference(was, is []byte) json.RawMessage {
	type member struct {
		key string
		val []byte
	}
	var now []member
	rawjson.Each(is, func(key string, val []byte) bool {
		now = append(now, member{key, val})
		return true
	})
	out, i := rawjson.Object{'{'}, 0
	rawjson.Each(was, func(key string, val []byte) bool {
		if i == len(now) {
			return false
		}
		m := now[i]
		i++
		if m.key != key {
			out.Raw(key, []byte("null"))
		}
		if m.key != key || !bytes.Equal(m.val, val) {
			out.Raw(m.key, m.val)
		}
		return true
	})
	out.Close()
	return json.RawMessage(out)
}

// hush takes secrets out of what a verdict tells people: a reason quotes the
// command, and whoever names a tool or a path can put anything into it.
func hush(v *checkrein.Verdict, ev *checkrein.Event) {
	if v.Reason == "" && len(v.Notice) == 0 && len(v.Metadata) == 0 {
		return // it tells nothing
	}
	c := secretsOf(ev)
	v.Reason, _ = c.Text(v.Reason)
	for i, s := range v.Notice {
		v.Notice[i], _ = c.Text(s)
	}
	for key, s := range v.Metadata {
		if clean, n := c.Text(s); n > 0 {
			v.Metadata[key] = clean
		}
	}
}
