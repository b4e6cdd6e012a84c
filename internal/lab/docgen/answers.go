package docgen

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// keyTable returns a table of the keys that an answer may have.
func keyTable() string {
	t := newTable("key", "value", "meaning", "counts on")
	for _, k := range answer.Keys() {
		t.row(strings.ReplaceAll(codes(k.Names), ", ", " or "), typeName(k.Type), escapeMarkdown(k.Doc), eventsCell(k.AppliesTo))
	}
	return t.String()
}

// camelCase converts snake case to camel case: updated_input becomes updatedInput.
func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = capitalize(p)
	}
	return strings.Join(parts, "")
}

// decisionTable returns a table of the words that the key decision may have, with the dialects that
// accept them.
func decisionTable() string {
	columns := []string{"word", "decides"}
	for _, d := range dialect.Table() {
		columns = append(columns, "in "+d.Name+" files")
	}
	t := newTable(columns...)
	for _, w := range decisionWords() {
		row := []string{code(w.Word), w.Is.String()}
		for _, d := range dialect.Table() {
			row = append(row, yesOrEmpty(acceptsWord(d, w)))
		}
		t.row(row...)
	}
	return t.String()
}

// decisionWords returns the decision words of all dialects, without duplicates.
func decisionWords() []hookfile.DecisionWord {
	var out []hookfile.DecisionWord
	seen := map[hookfile.DecisionWord]bool{}
	for _, d := range dialect.Table() {
		for _, w := range d.Form.Decisions {
			if !seen[w] {
				seen[w] = true
				out = append(out, w)
			}
		}
	}
	return out
}

// acceptsWord reports whether d accepts the decision word w.
func acceptsWord(d *hookfile.Dialect, w hookfile.DecisionWord) bool {
	for _, has := range d.Form.Decisions {
		if has == w {
			return true
		}
	}
	return false
}

// clampTable returns a table of what each decision comes to on each event, as checkrein.Clamp decides.
func clampTable() string {
	t := newTable("event", "deny", "ask", "allow")
	for _, c := range eventRows() {
		t.row(code(c.Name), describeClamp(&c, checkrein.Deny), describeClamp(&c, checkrein.Ask), describeClamp(&c, checkrein.Allow))
	}
	return t.String()
}

// describeClamp describes what a decision comes to on an event.
func describeClamp(c *checkrein.Contract, d checkrein.Decision) string {
	v, dropped := checkrein.Clamp(checkrein.Verdict{Decision: d, Reason: "x"}, c, checkrein.AllEffects)
	switch {
	case v.Decision == d && d == checkrein.Deny:
		return escapeMarkdown(c.DenyIs)
	case v.Decision == d:
		return "counts"
	case v.Decision == checkrein.Deny:
		return "denies instead"
	case len(dropped) == 0:
		return "no change: the user is asked anyway"
	case len(v.Notice) > 0:
		return "dropped, and the user is told"
	}
	return "dropped"
}

func plainEvents() string {
	return codes(eventNames(func(c *checkrein.Contract) bool { return c.Plain && c.Context != "printed" }))
}

func printedEvents() string {
	return codes(eventNames(func(c *checkrein.Contract) bool { return c.Plain && c.Context == "printed" }))
}

func closedEvents() string {
	return codes(eventNames(func(c *checkrein.Contract) bool { return c.Closed }))
}

func dialectTable() string {
	t := newTable("files of", "plain text is context", "`continue: false` also ends the turn", "`metadata` on `pre_tool_use`")
	for _, d := range dialect.Table() {
		metadata := "from every hook"
		if d.Form.MetadataOnPreempt {
			metadata = "only from `preempt_yolo` groups"
		}
		t.row(d.Name, yesOrEmpty(d.Form.Plain), yesOrEmpty(d.Form.HaltOnStop), metadata)
	}
	return t.String()
}

// hookExits lists what a hook's exit codes mean.
var hookExits = []struct{ code, doc string }{
	{"0", "the answer is what the hook printed on stdout"},
	{"2", "a denial; the reason is the text on stderr, or else the one in the JSON on stdout; without either, the reason only names the hook"},
	{"any other", "a fault"},
}

func hookExitTable() string {
	t := newTable("exit code", "meaning")
	for _, e := range hookExits {
		t.row(e.code, escapeMarkdown(e.doc))
	}
	return t.String()
}

// spellings returns name and, if it differs, its camel-case form.
func spellings(name string) []string {
	if c := camelCase(name); c != name {
		return []string{name, c}
	}
	return []string{name}
}
