package approval

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// DefinitionText returns the definition of h for display: one line for each field that [DefinitionHex]
// digests and that differs from its default. The order is fixed, so that two texts can be compared
// line by line.
func DefinitionText(h *checkrein.Hook) string {
	var t definitionText
	t.addLine("event", h.On.String())
	t.addLine("native event", h.Event)
	if h.Run == "http" {
		t.addLine("type", h.Run)
		t.addLine("dialect", h.Dialect)
		t.addSettings(h.With)
		return t.String()
	}
	t.addLine("name", h.Name)
	t.addLine("match", h.Match)
	if h.MatchWords {
		t.addLine("match_by", "words")
	}
	t.addLine("arguments match", h.Args)
	t.addLine("payload matches", h.Search)
	t.addLine("chain", h.Chain)
	t.addJSON("if", h.If)
	t.addLine("type", h.Run)
	t.addSettings(settingsToDigest(h))
	if h.Timeout != 0 {
		t.addLine("timeout", h.Timeout.String())
	}
	if h.Priority != hookfile.DefaultPriority {
		t.addLine("priority", strconv.Itoa(h.Priority))
	}
	for _, f := range [...]struct {
		name string
		on   bool
	}{{"async", h.Async}, {"gate", h.Gate}, {"rewrites", h.Rewrites}, {"preempt", h.Preempt}, {"strict", h.Strict}} {
		if f.on {
			t.addLine(f.name, "true")
		}
	}
	t.addLine("on_error", h.OnFault.String())
	t.addLine("dialect", h.Dialect)
	return t.String()
}

// A definitionText builds lines of names and values.
type definitionText struct{ strings.Builder }

// addLine adds name and value, unless value is empty. A value of several lines begins on the next
// line, indented more than any name.
func (t *definitionText) addLine(name, value string) {
	if value == "" {
		return
	}
	if !strings.Contains(value, "\n") {
		t.WriteString(name + ": " + quoteIfUnclear(value) + "\n")
		return
	}
	t.WriteString(name + ":\n")
	for _, l := range strings.Split(value, "\n") {
		t.WriteString("    | " + quoteIfUnclear(l) + "\n")
	}
}

// addJSON adds the JSON value val in compact form.
func (t *definitionText) addJSON(name string, val []byte) {
	if len(val) > 0 && rawjson.Check(val) == nil {
		val = rawjson.Compact(nil, val)
	}
	t.addLine(name, string(val))
}

// addSettings adds a line for each member of with, the settings of a hook.
func (t *definitionText) addSettings(with []byte) {
	if len(with) == 0 || rawjson.CheckObject(with) != nil {
		t.addJSON("settings", with)
		return
	}
	t.WriteString("settings:\n")
	rawjson.Each(with, func(key string, val []byte) bool {
		name := "  " + quoteIfUnclear(key)
		// A string that could be read as another JSON value keeps its quotes.
		if s, ok := rawjson.Text(val); ok && rawjson.Check([]byte(s)) != nil && s != "" {
			t.addLine(name, s)
		} else {
			t.addJSON(name, val)
		}
		return true
	})
}

// quoteIfUnclear returns s, quoted if it is empty, looks quoted, or has characters that cannot be
// seen.
func quoteIfUnclear(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' || r == unicode.ReplacementChar }
	if s == "" || s[0] == '"' || s != strings.TrimRight(s, " \t") || strings.IndexFunc(s, odd) >= 0 {
		return strconv.QuoteToASCII(s)
	}
	return s
}
