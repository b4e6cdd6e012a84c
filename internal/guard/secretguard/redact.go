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

// redactSubject returns a verdict that redacts what c finds in the subject of ev, and the number of
// findings. The cache known may be nil.
func redactSubject(ev *checkrein.Event, c *secret.Cleaner, known *cleanCache) (checkrein.Verdict, int) {
	row := checkrein.ContractOf(ev.Kind)
	switch {
	case row.Can(checkrein.CanRewriteMessages) && ev.Messages != nil:
		out, n := known.cleanMessages(c, ev.Messages)
		return orNone(checkrein.Verdict{Messages: out}, n)
	case row.Can(checkrein.CanRewriteInput) && ev.Tool != nil && ev.Tool.Input != nil:
		out, n := c.RedactJSON(ev.Tool.Input)
		if n == 0 {
			return checkrein.Verdict{}, 0
		}
		return checkrein.Verdict{Input: diffObject(ev.Tool.Input, out)}, n
	case row.Can(checkrein.CanRewriteOutput) && row.Subject == checkrein.SubjectTool:
		if ev.Tool == nil || ev.Tool.Output == nil {
			return checkrein.Verdict{}, 0
		}
		out, n := CleanJSON(c, ev.Tool.Output, false)
		return orNone(checkrein.Verdict{Output: out}, n)
	case row.Can(checkrein.CanRewriteOutput):
		text, n := c.RedactText(ev.Text)
		return orNone(checkrein.Verdict{Output: rawjson.Quote(text)}, n)
	}
	return checkrein.Verdict{}, 0
}

// orNone returns v and n, or the zero Verdict if n is 0.
func orNone(v checkrein.Verdict, n int) (checkrein.Verdict, int) {
	if n == 0 {
		return checkrein.Verdict{}, 0
	}
	return v, n
}

// diffObject returns the patch that turns the object was into is. Both must have the same number of
// members in the same order, of which some have another value or name.
func diffObject(was, is []byte) json.RawMessage {
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

// RedactVerdict redacts secrets in the texts of v. A reason quotes the command, and names of tools and
// paths may contain secrets, too.
func RedactVerdict(v *checkrein.Verdict, ev *checkrein.Event) {
	if v.Reason == "" && len(v.Notice) == 0 && len(v.Metadata) == 0 {
		return // there is no text
	}
	c := NewCleaner(ev)
	v.Reason, _ = c.RedactText(v.Reason)
	for i, s := range v.Notice {
		v.Notice[i], _ = c.RedactText(s)
	}
	for key, s := range v.Metadata {
		if clean, n := c.RedactText(s); n > 0 {
			v.Metadata[key] = clean
		}
	}
}

const (
	maxRedactions = 32 // maximum number of values in a record
	maxNamed      = 4  // maximum number of values in a notice
	maxLinesNamed = 6  // maximum number of lines listed for a value
)

// A redaction is a value that was redacted one or more times.
type redaction struct {
	id, rule string // id is that of its marker, or ""
	file     string // the known file whose value it shows; "" if it was found by itself
	count    int
	lines    []string // line numbers in the output
}

// redactions lists the redactions of an event, without the values.
type redactions struct {
	ev   *checkrein.Event
	list []redaction
	more int // the number of values beyond maxRedactions
}

// add counts the finding f in text, whose marker has the given id. It may show a value of file.
func (r *redactions) add(id, file, text string, f secret.Finding) {
	i := slices.IndexFunc(r.list, func(o redaction) bool { return o.id == id && o.rule == f.Rule })
	if i < 0 && len(r.list) == maxRedactions {
		r.more++
		return
	}
	if i < 0 {
		i = len(r.list)
		r.list = append(r.list, redaction{id: id, rule: f.Rule, file: file})
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

// summary describes the values for a notice by their ids, rules and lines.
func (r *redactions) summary() string {
	var out []string
	for i := range r.list[:min(len(r.list), maxNamed)] {
		one := &r.list[i]
		where, rule := "", one.rule
		if one.file != "" {
			rule += " of " + one.file
		}
		switch len(one.lines) {
		case 0:
		case 1:
			where = "line " + one.lines[0]
		default:
			where = "lines " + strings.Join(one.lines, ", ")
		}
		switch {
		case one.id != "":
			out = append(out, one.id+" ("+strings.TrimSuffix(rule+", "+where, ", ")+")")
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

// metadataLines returns one line for each value with an id: ID RULE COUNT LINES.
func (r *redactions) metadataLines() string {
	var b strings.Builder
	for i := range r.list {
		if one := &r.list[i]; one.id != "" {
			fmt.Fprintf(&b, "%s %s %d %s\n", one.id, one.rule, one.count, strings.Join(one.lines, ","))
		}
	}
	return b.String()
}

// redactionNotice returns the notice that n values, each a what, were redacted in the subject of ev.
// The text which lists them; remedy is a further sentence. Both may be "".
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
