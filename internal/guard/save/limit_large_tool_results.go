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

// Limits of a tool's output.
const (
	maxResult = 50 << 10 // bytes
	maxLines  = 2000
)

// NewLimitLargeToolResults returns the builtin that keeps large outputs of file, shell, MCP and A2A
// tools out of the conversation. It replaces them by their end, and saves the whole output in a
// private file until the session ends.
func NewLimitLargeToolResults(l Limiter, args []string) (builtin.Func, error) {
	if err := builtin.NoArgs(args); err != nil {
		return nil, err
	}
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		one := l
		one.ev = &call.Event
		return one.limitOutput()
	}, nil
}

// limitOutput returns a verdict that shortens a large output. At the end of a session it removes the
// saved files instead.
func (l *Limiter) limitOutput() (checkrein.Verdict, error) {
	ev := l.ev
	switch {
	case ev.Kind == checkrein.SessionEnd && l.Unspill != nil:
		return checkrein.Verdict{}, l.Unspill(ev)
	case ev.Kind != checkrein.ToolResponseTransform || ev.Tool == nil || !isLimitedTool(ev.Tool) || !isLarge(ev.Tool.Output):
		return checkrein.Verdict{}, nil
	}
	// Redact the whole output before it is shortened or saved, because a part of a secret would not
	// be recognised as one.
	c := secretguard.NewCleaner(ev)
	clean, _ := secretguard.CleanJSON(&c, ev.Tool.Output, false)
	return checkrein.Verdict{Output: l.shortenOutput(clean)}, nil
}

// isLarge reports whether the output val, or a string in it, exceeds the limits. Images do not count.
func isLarge(val []byte) bool {
	if len(val) <= maxLines { // cannot have too many lines, since JSON is at least as long as the text
		return false
	}
	var a secretguard.OpaqueValues
	val = a.Extract(val, 0, false)
	large := len(val) > 2*maxResult
	rawjson.EachStringValue(val, func(s string) bool {
		large = large || isTooLarge(s)
		return !large
	})
	return large
}

// isTooLarge reports whether the string s exceeds the limits.
func isTooLarge(s string) bool { return len(s) > maxResult || countLines(s) > maxLines }

// countLines returns the number of lines of a text.
func countLines(s string) int {
	lines := strings.Count(s, "\n") + 1
	if strings.HasSuffix(s, "\n") {
		lines--
	}
	return lines
}

// isLimitedTool reports whether t is a tool whose outputs are limited.
func isLimitedTool(t *checkrein.Tool) bool {
	switch t.Category {
	case "filesystem", "shell", "mcp", "a2a":
		return true
	case "":
	default:
		return false
	}
	name := study.CanonicalName(t)
	switch name {
	case "read", "write", "edit", "patch", "list", "search", "glob", "shell":
		return true
	}
	return strings.HasPrefix(name, "mcp:") || strings.HasPrefix(t.Name, "mcp__") || strings.HasPrefix(t.Name, "a2a")
}

// A Limiter shortens outputs that are already redacted.
type Limiter struct {
	// Spill saves text in a private file of the event's session and returns its path. If it is nil,
	// nothing is saved. Unspill removes the session's files.
	Spill   func(ev *checkrein.Event, text string) (string, error)
	Unspill func(ev *checkrein.Event) error

	ev *checkrein.Event // the event with the output
}

// shortenOutput returns val with its large strings shortened. It keeps the structure, which hosts
// check, and images. A value that is large without having large strings becomes a string.
func (l *Limiter) shortenOutput(val []byte) []byte {
	if s, ok := rawjson.Text(val); ok {
		return rawjson.Quote(l.shortenText(s))
	}
	var a secretguard.OpaqueValues
	rest := a.Extract(val, 0, false)
	out := l.shortenTexts(rest)
	if len(out) > 2*maxResult {
		return rawjson.Quote(l.shortenText(string(rest)))
	}
	return a.Restore(out)
}

// shortenTexts shortens the large strings in val.
func (l *Limiter) shortenTexts(val []byte) []byte {
	switch rawjson.Kind(val) {
	case '"':
		if s, _ := rawjson.Text(val); isTooLarge(s) {
			return rawjson.Quote(l.shortenText(s))
		}
	case '{':
		out := rawjson.Object{'{'}
		rawjson.Each(val, func(key string, v []byte) bool {
			out.Raw(key, l.shortenTexts(v))
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
			out = append(out, l.shortenTexts(v)...)
			return true
		})
		return append(out, ']')
	}
	return val
}

// shortenText shortens a text if it is too large.
func (l *Limiter) shortenText(s string) string {
	if !isTooLarge(s) {
		return s
	}
	size := fmt.Sprintf("%d bytes; at most %d are", len(s), maxResult)
	if len(s) <= maxResult {
		size = fmt.Sprintf("%d lines; at most %d are", countLines(s), maxLines)
	}
	head := fmt.Sprintf("[This output has %s shown. %s The end of it follows.]\n", size, l.spillText(s))
	return head + builtin.Tail(s, maxResult-len(head), maxLines-1)
}

// spillText saves s in a file and returns a sentence that says where it is or why it was not saved.
func (l *Limiter) spillText(s string) string {
	if l.Spill == nil {
		return "The rest was not saved."
	}
	path, err := l.Spill(l.ev, s)
	if err != nil {
		return "The rest could not be saved: " + err.Error() + "."
	}
	return "The whole output, without secrets, is in " + path + " until the session ends."
}
