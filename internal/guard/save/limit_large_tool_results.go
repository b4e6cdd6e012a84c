package save

import (
	"context"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// What a tool may return at most.
const (
	maxResult = 50 << 10 // bytes
	maxLines  = 2000
)

// NewLimitLargeToolResults keeps large outputs of file, shell, MCP and A2A tools
// out of the conversation: the end stays, and all of it is in a private file for
// as long as the session lasts.
func NewLimitLargeToolResults(l Limiter, args []string) (builtin.Func, error) {
	if err := builtin.NoArgs(args); err != nil {
		return nil, err
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		one := l
		one.ev = &call.Event
		return one.limit()
	}, nil
}

func (l *Limiter) limit() (checkrein.Verdict, error) {
	ev := l.ev
	switch {
	case ev.Kind == checkrein.SessionEnd && l.Unspill != nil:
		return checkrein.Verdict{}, l.Unspill(ev)
	case ev.Kind != checkrein.ToolResponseTransform || ev.Tool == nil || !limited(ev.Tool) || !isLarge(ev.Tool.Output):
		return checkrein.Verdict{}, nil
	}
	// All of it is redacted before any of it is cut off or kept: a piece of a
	// secret looks like none.
	c := secretguard.NewCleaner(ev)
	clean, _ := secretguard.CleanText(&c, ev.Tool.Output, false)
	return checkrein.Verdict{Output: l.value(clean)}, nil
}

// isLarge reports whether an output has a text beyond the limits, or is beyond
// them altogether. Pictures do not count.
func isLarge(val []byte) bool {
	if len(val) <= maxLines { // nothing is shorter in JSON but what is no UTF-8
		return false
	}
	var a secretguard.OpaqueValues
	val = a.Extract(val, 0, false)
	large := len(val) > 2*maxResult
	rawjson.Strings(val, func(s string) bool {
		large = large || tooLarge(s)
		return !large
	})
	return large
}

func tooLarge(s string) bool { return len(s) > maxResult || lineCount(s) > maxLines }

func lineCount(s string) int {
	lines := strings.Count(s, "\n") + 1
	if strings.HasSuffix(s, "\n") {
		lines--
	}
	return lines
}

// limited reports whether a tool is of a kind whose output can be large.
func limited(t *checkrein.Tool) bool {
	switch t.Category {
	case "filesystem", "shell", "mcp", "a2a":
		return true
	case "":
	default:
		return false
	}
	name := study.Canonical(t)
	switch name {
	case "read", "write", "edit", "patch", "list", "search", "glob", "shell":
		return true
	}
	return strings.HasPrefix(name, "mcp:") || strings.HasPrefix(t.Name, "mcp__") || strings.HasPrefix(t.Name, "a2a")
}

// A Limiter shortens outputs that are redacted already.
type Limiter struct {
	// Spill keeps a text of the event's session in a private file and returns
	// its path; nil keeps nothing. Unspill removes what was kept.
	Spill   func(ev *checkrein.Event, text string) (string, error)
	Unspill func(ev *checkrein.Event) error

	ev *checkrein.Event // whose output it is
}

// value shortens a text, or the texts in an object or list: hosts check the
// shape of what replaces an output. What is large without a large text in it
// becomes one. Pictures stay.
func (l *Limiter) value(val []byte) []byte {
	if s, ok := rawjson.Text(val); ok {
		return rawjson.Quote(l.text(s))
	}
	var a secretguard.OpaqueValues
	rest := a.Extract(val, 0, false)
	out := l.texts(rest)
	if len(out) > 2*maxResult {
		return rawjson.Quote(l.text(string(rest)))
	}
	return a.Restore(out)
}

// texts shortens the texts in a value, nothing else.
func (l *Limiter) texts(val []byte) []byte {
	switch rawjson.Kind(val) {
	case '"':
		if s, _ := rawjson.Text(val); tooLarge(s) {
			return rawjson.Quote(l.text(s))
		}
	case '{':
		out := rawjson.Object{'{'}
		rawjson.Each(val, func(key string, v []byte) bool {
			out.Raw(key, l.texts(v))
			return true
		})
		out.Close()
		return out
	case '[':
		out := []byte{'['}
		rawjson.Elements(val, func(i int, v []byte) bool {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, l.texts(v)...)
			return true
		})
		return append(out, ']')
	}
	return val
}

// text shortens one text that is too large.
func (l *Limiter) text(s string) string {
	if !tooLarge(s) {
		return s
	}
	size := fmt.Sprintf("%d bytes; at most %d are", len(s), maxResult)
	if len(s) <= maxResult {
		size = fmt.Sprintf("%d lines; at most %d are", lineCount(s), maxLines)
	}
	head := fmt.Sprintf("[This output has %s shown. %s The end of it follows.]\n", size, l.keep(s))
	return head + builtin.Tail(s, maxResult-len(head), maxLines-1)
}

// keep puts the whole text into a file and says where.
func (l *Limiter) keep(s string) string {
	if l.Spill == nil {
		return "The rest was not saved."
	}
	path, err := l.Spill(l.ev, s)
	if err != nil {
		return "The rest could not be saved: " + err.Error() + "."
	}
	return "The whole output, without secrets, is in " + path + " until the session ends."
}
