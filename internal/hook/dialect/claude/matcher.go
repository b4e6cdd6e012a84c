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

// readMatcher reads the matcher m, which may be nil. A matcher that checkrein cannot apply is dropped
// with a warning, so that its hooks run too often rather than never. An invalid one makes its hooks
// broken for every tool.
func (e *event) readMatcher(m *yamldoc.Node) group {
	switch {
	case m.IsNull():
		return group{}
	case m.Kind != yamldoc.Text:
		return e.addMatcherError(m.Line, "quote it", "matcher is "+m.Kind.String())
	case m.Text == "" || m.Text == "*":
		return group{}
	case e.row.Subject == checkrein.SubjectTool:
		return e.readToolMatcher(m)
	}
	field := matcherField(e.row.Kind)
	switch {
	case field == "" && !hasUnreadableMatcher(e.native):
		e.Warn(m.Line, "", "remove it", "%s ignores the matcher %q: the hooks run every time", e.name, m.Text)
		return group{}
	case field == "" || !slices.Contains(match.FieldNames(e.row), field):
		e.Warn(m.Line, "", "check the payload in the hook", "the matcher %q does not work on %s: the hooks run every time", m.Text, e.name)
		return group{}
	}
	cond := fieldCond(field, m.Text)
	if _, err := match.CompileCond(cond, e.row); err != nil {
		return e.addMatcherError(m.Line, "list plain names, or write a regular expression without look-around", "matcher: "+err.Error())
	}
	return group{cond: cond}
}

func (e *event) addMatcherError(line int, remedy, what string) group {
	e.AddError(line, "", remedy, "%s", what)
	return group{broken: what + " (" + remedy + ")"}
}

// readToolMatcher reads a matcher of tool names, and warns if it is probably mistyped.
func (e *event) readToolMatcher(m *yamldoc.Node) group {
	t, err := match.CompileTool(m.Text, true)
	if err != nil {
		return e.addMatcherError(m.Line, "list the tools instead: Bash|Edit", "matcher: "+err.Error())
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

// fieldCond returns the condition for a matcher on the given field. If it is a list of plain names,
// they are the allowed values; otherwise it is a regular expression that must match a part of the
// value.
func fieldCond(field, matcher string) json.RawMessage {
	var test object
	if words, plain := splitNames(matcher); plain {
		test.set("in", encodeTexts(words))
	} else {
		test.setText("regex", matcher)
	}
	var cond object
	cond.set(field, test.end())
	return cond.end()
}

// fieldMatcher returns the matcher for which fieldCond returns cond, or false if there is none.
func fieldMatcher(field string, cond []byte) (string, bool) {
	test, ok := rawjson.Get(cond, field)
	if !ok {
		return "", false
	}
	if is, ok := getText(test, "is"); ok { // converted from another dialect
		var want, whole object
		want.setText("is", is)
		whole.set(field, want.end())
		return is, isPlainName(is) && rawjson.Equal(whole.end(), cond)
	}
	matcher, ok := getText(test, "regex")
	if !ok {
		list, _ := rawjson.Get(test, "in")
		matcher = strings.Join(decodeTexts(list), "|")
	}
	return matcher, rawjson.Equal(fieldCond(field, matcher), cond)
}

// splitNames splits a list of plain names separated by bars, commas or spaces. It returns false if s
// is anything else.
func splitNames(s string) ([]string, bool) {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
	for _, w := range words {
		if !isPlainName(w) {
			return nil, false
		}
	}
	return words, len(words) > 0
}

// isPlainName reports whether Claude treats s in a matcher as a plain name.
func isPlainName(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}
