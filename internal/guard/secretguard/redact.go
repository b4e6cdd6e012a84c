package secretguard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// redactSubject returns how to take out of an event's subject what a cleaner finds
// there, and how much that was.
func redactSubject(ev *checkrein.Event, c *secret.Cleaner, known *cleanCache) (checkrein.Verdict, int) {
	row := checkrein.ContractOf(ev.Kind)
	switch {
	case row.Can(checkrein.CanRewriteMessages) && ev.Messages != nil:
		out, n := known.cleanMessages(c, ev.Messages)
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
		out, n := CleanKeeping(c, ev.Tool.Output, false)
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

// Hush takes secrets out of what a verdict tells people: a reason quotes the
// command, and whoever names a tool or a path can put anything into it.
func Hush(v *checkrein.Verdict, ev *checkrein.Event) {
	if v.Reason == "" && len(v.Notice) == 0 && len(v.Metadata) == 0 {
		return // it tells nothing
	}
	c := SecretsOf(ev)
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

const (
	maxRedactions = 32 // values that a record lists
	maxNamed      = 4  // values that a notice names
	maxLinesNamed = 6  // lines that are listed of a value
)

// A redaction is one value that was redacted, once or several times.
type redaction struct {
	id, rule string // id is the digits in its marker, "" = the marker has none
	count    int
	lines    []string // of the output
}

// redactions lists what was redacted in an event, without the values.
type redactions struct {
	ev   *checkrein.Event
	list []redaction
	more int // further values
}

// add counts a finding in a text.
func (r *redactions) add(id, text string, f secret.Finding) {
	i := slices.IndexFunc(r.list, func(o redaction) bool { return o.id == id && o.rule == f.Rule })
	if i < 0 && len(r.list) == maxRedactions {
		r.more++
		return
	}
	if i < 0 {
		i = len(r.list)
		r.list = append(r.list, redaction{id: id, rule: f.Rule})
	}
	one := &r.list[i]
	one.count++
	if len(one.lines) < maxLinesNamed && checkrein.ContractOf(r.ev.Kind).Can(checkrein.CanRewriteOutput) {
		line := strconv.Itoa(1 + strings.Count(text[:f.Start], "\n"))
		if !slices.Contains(one.lines, line) {
			one.lines = append(one.lines, line)
		}
	}
}

// summary lists the values for a notice: their ids, rules and lines.
func (r *redactions) summary() string {
	var out []string
	for i := range r.list[:min(len(r.list), maxNamed)] {
		one := &r.list[i]
		where := ""
		switch len(one.lines) {
		case 0:
		case 1:
			where = "line " + one.lines[0]
		default:
			where = "lines " + strings.Join(one.lines, ", ")
		}
		switch {
		case one.id != "":
			out = append(out, one.id+" ("+strings.TrimSuffix(one.rule+", "+where, ", ")+")")
		case where != "":
			out = append(out, one.rule+" ("+where+")")
		default:
			out = append(out, one.rule)
		}
	}
	text := strings.Join(out, ", ")
	if more := len(r.list) - len(out) + r.more; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// metadata returns one line for each value that has an id: ID RULE COUNT LINES.
func (r *redactions) metadata() string {
	var b strings.Builder
	for i := range r.list {
		if one := &r.list[i]; one.id != "" {
			fmt.Fprintf(&b, "%s %s %d %s\n", one.id, one.rule, one.count, strings.Join(one.lines, ","))
		}
	}
	return b.String()
}

// redactionNotice returns the notice of what was taken out of where. Remedy is a further
// sentence, or "".
func redactionNotice(n int, what string, ev *checkrein.Event, which, remedy string) string {
	if n > 1 {
		what += "s"
	}
	where := ev.Kind.String()
	if ev.Tool != nil {
		where = "the arguments of " + ev.Tool.Name
		if ev.Kind == checkrein.ToolResponseTransform {
			where = "the output of " + ev.Tool.Name
		}
	}
	if which != "" {
		where += ": " + which
	}
	return fmt.Sprintf("checkrein redacted %d %s in %s%s (details: checkrein explain)", n, what, where, remedy)
}
