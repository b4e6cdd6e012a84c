package approval

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// DefinitionText is a hook's definition for people: a line for each thing that
// [Definition] digests and that is not as it is by default, in an order of its
// own, so that two of them can be compared line by line.
func DefinitionText(h *checkrein.Hook) string {
	var t text
	t.line("event", h.On.String())
	t.line("native event", h.Event)
	if h.Run == "http" {
		t.line("type", h.Run)
		t.line("dialect", h.Dialect)
		t.settings(h.With)
		return t.String()
	}
	t.line("name", h.Name)
	t.line("match", h.Match)
	if h.MatchBy == checkrein.MatchWords {
		t.line("match_by", "words")
	}
	t.line("arguments match", h.Args)
	t.line("payload matches", h.Search)
	t.line("chain", h.Chain)
	t.raw("if", h.If)
	t.line("type", h.Run)
	t.settings(settings(h))
	if h.Timeout != 0 {
		t.line("timeout", h.Timeout.String())
	}
	if h.Priority != hookfile.DefaultPriority {
		t.line("priority", strconv.Itoa(h.Priority))
	}
	for _, f := range [...]struct {
		name string
		on   bool
	}{{"async", h.Async}, {"gate", h.Gate}, {"rewrites", h.Rewrites}, {"preempt", h.Preempt}, {"strict", h.Strict}} {
		if f.on {
			t.line(f.name, "true")
		}
	}
	t.line("on_error", h.OnFault.String())
	t.line("dialect", h.Dialect)
	return t.String()
}

// A text is lines of names and values.
type text struct{ strings.Builder }

// line adds a value, nothing when it is empty. One of several lines stands
// below its name, deeper than any name can.
func (t *text) line(name, value string) {
	if value == "" {
		return
	}
	if !strings.Contains(value, "\n") {
		t.WriteString(name + ": " + spelt(value) + "\n")
		return
	}
	t.WriteString(name + ":\n")
	for _, l := range strings.Split(value, "\n") {
		t.WriteString("    | " + spelt(l) + "\n")
	}
}

// raw adds a JSON value without its layout.
func (t *text) raw(name string, val []byte) {
	if len(val) > 0 && rawjson.Check(val) == nil {
		val = rawjson.Compact(nil, val)
	}
	t.line(name, string(val))
}

// settings adds the members of a hook's settings.
func (t *text) settings(with []byte) {
	if len(with) == 0 || rawjson.CheckObject(with) != nil {
		t.raw("settings", with)
		return
	}
	t.WriteString("settings:\n")
	rawjson.Each(with, func(key string, val []byte) bool {
		name := "  " + spelt(key)
		// Text that could be taken for another value stays in its quotes.
		if s, ok := rawjson.Text(val); ok && rawjson.Check([]byte(s)) != nil && s != "" {
			t.line(name, s)
		} else {
			t.raw(name, val)
		}
		return true
	})
}

// spelt is a value on its line as it is, or quoted where one could not see what
// it is.
func spelt(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' || r == unicode.ReplacementChar }
	if s == "" || s[0] == '"' || s != strings.TrimRight(s, " \t") || strings.IndexFunc(s, odd) >= 0 {
		return strconv.QuoteToASCII(s)
	}
	return s
}
