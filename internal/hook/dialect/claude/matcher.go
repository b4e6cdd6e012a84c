package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// matcher reads the matcher of an entry. One that cannot be applied is dropped
// and told of, so that its hooks run more often rather than never; one that is
// wrong breaks them, for every tool.
func (e *event) matcher(m *yamldoc.Node) group {
	switch {
	case m.IsNull():
		return group{}
	case m.Kind != yamldoc.Text:
		return e.wrongMatcher(m.Line, "quote it", "matcher is "+m.Kind.String())
	case m.Text == "" || m.Text == "*":
		return group{}
	case e.row.Subject == checkrein.SubjectTool:
		return e.toolMatcher(m)
	}
	field := matched(e.row.Kind)
	switch {
	case field == "" && !matchedElsewhere(e.native):
		e.Warn(m.Line, "", "remove it", "%s ignores the matcher %q: the hooks run every time", e.name, m.Text)
		return group{}
	case field == "" || !slices.Contains(match.FieldNames(e.row), field):
		e.Warn(m.Line, "", "check the payload in the hook", "the matcher %q does not work on %s: the hooks run every time", m.Text, e.name)
		return group{}
	}
	cond := fieldCond(field, m.Text)
	if _, err := match.CompileCond(cond, e.row); err != nil {
		return e.wrongMatcher(m.Line, "list plain names, or write a regular expression without look-around", "matcher: "+err.Error())
	}
	return group{cond: cond}
}

func (e *event) wrongMatcher(line int, remedy, what string) group {
	e.AddError(line, "", remedy, "%s", what)
	return group{broken: what + " (" + remedy + ")"}
}

func (e *event) toolMatcher(m *yamldoc.Node) group {
	t, err := match.CompileTool(m.Text, checkrein.MatchWords)
	if err != nil {
		return e.wrongMatcher(m.Line, "list the tools instead: Bash|Edit", "matcher: "+err.Error())
	}
	if doubt := t.CheckTypo(m.Text, claudeTools[:]); doubt != nil {
		remedy := "check the spelling; names are case-sensitive"
		if strings.Contains(m.Text, "(") {
			remedy = "a matcher checks only tool names; put conditions on the call into \"if\""
		}
		e.Warn(m.Line, "", remedy, "matcher %w", doubt)
	}
	return group{match: m.Text}
}

// fieldCond is the condition that stands for a matcher on a field: plain words
// are the values that it may have, anything else is an expression that must be
// found in it.
func fieldCond(field, matcher string) json.RawMessage {
	var test object
	if words, plain := plainWords(matcher); plain {
		test.set("in", texts(words))
	} else {
		test.text("regex", matcher)
	}
	var cond object
	cond.set(field, test.end())
	return cond.end()
}

// fieldMatcher is the matcher that a condition stands for.
func fieldMatcher(field string, cond json.RawMessage) (string, bool) {
	test, ok := rawjson.Get(cond, field)
	if !ok {
		return "", false
	}
	if is, ok := textAt(test, "is"); ok { // as other dialects write it
		var want, whole object
		want.text("is", is)
		whole.set(field, want.end())
		return is, isWord(is) && rawjson.Equal(whole.end(), cond)
	}
	matcher, ok := textAt(test, "regex")
	if !ok {
		list, _ := rawjson.Get(test, "in")
		matcher = strings.Join(textsOf(list), "|")
	}
	return matcher, rawjson.Equal(fieldCond(field, matcher), cond)
}

// plainWords splits a list of plain words; false when it is an expression.
func plainWords(s string) ([]string, bool) {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	for _, w := range words {
		if !isWord(w) {
			return nil, false
		}
	}
	return words, len(words) > 0
}

// isWord reports whether s is a name as Claude's matchers know it.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}
