package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
)

// eventRows returns the contracts of all events but Other.
func eventRows() []checkrein.Contract { return checkrein.Contracts()[1:] }

// eventNames returns the names of the events for which is returns true.
func eventNames(is func(*checkrein.Contract) bool) []string {
	var out []string
	for _, c := range eventRows() {
		if is(&c) {
			out = append(out, c.Name)
		}
	}
	return out
}

func every(*checkrein.Contract) bool          { return true }
func aboutTool(c *checkrein.Contract) bool    { return c.Subject == checkrein.SubjectTool }
func canDeny(c *checkrein.Contract) bool      { return c.Can(checkrein.CanDeny) }
func takesContext(c *checkrein.Contract) bool { return c.Can(checkrein.CanAddContext) }

// eventSets lists the sets of events that have a description, the largest first.
var eventSets = []struct {
	words string
	is    func(*checkrein.Contract) bool
}{
	{"every event", every},
	{"every event about a tool", aboutTool},
	{"every event that can be denied", canDeny},
	{"every event that takes context", takesContext},
}

// describeEvents returns the description of the set of events for which is returns true, or, if it has
// none, their names.
func describeEvents(is func(*checkrein.Contract) bool) (words string, events []string) {
	on := eventNames(is)
	for _, s := range eventSets {
		if slices.Equal(on, eventNames(s.is)) {
			return s.words, nil
		}
	}
	return "", on
}

// eventsCell returns the result of describeEvents as Markdown.
func eventsCell(is func(*checkrein.Contract) bool) string {
	words, events := describeEvents(is)
	return words + codes(events)
}

func eventTable() string {
	t := newTable("event", "layer", "fires when", "a verdict may", "a denial", "faults", "context", "called elsewhere")
	for _, c := range eventRows() {
		t.row("["+code(c.Name)+"](#"+c.Name+")", c.Layer, escapeMarkdown(c.When), strings.Join(c.Effects.Words(), ", "),
			escapeMarkdown(c.DenyIs), faultCell(&c), c.Context, aliasCell(&c))
	}
	other := checkrein.ContractOf(checkrein.Other)
	t.row(code("native:NAME"), other.Layer, escapeMarkdown(other.When), "", "", faultCell(other), "", "")
	return t.String()
}

// faultCell returns, in Markdown, whether c fails open or closed.
func faultCell(c *checkrein.Contract) string {
	if c.Closed {
		return "**closed**"
	}
	return "open"
}

// aliasCell returns an event's names in other systems, as Markdown.
func aliasCell(c *checkrein.Contract) string {
	var out []string
	for i, a := range c.Aliases {
		if i > 0 && c.Aliases[i-1].Dialect == a.Dialect {
			out[len(out)-1] += ", " + code(a.Name)
			continue
		}
		out = append(out, a.Dialect+" "+code(a.Name))
	}
	return strings.Join(out, "; ")
}

// effectDocs describes each effect.
var effectDocs = map[checkrein.Effect]string{
	checkrein.CanDeny:            "refuse what is about to happen; the column *a denial* says what that means",
	checkrein.CanAllow:           "let it happen without asking the user",
	checkrein.CanAsk:             "have the person asked",
	checkrein.CanRewriteInput:    "change the tool's arguments",
	checkrein.CanRewriteOutput:   "change the tool's output, or the text that the event is about",
	checkrein.CanRewriteMessages: "change the conversation that is about to be sent",
	checkrein.CanAddContext:      "tell the model something; the column *context* says how long it stays",
	checkrein.CanRedo:            "keep the agent going: it continues with the reason of the denial",
	checkrein.CanHalt:            "end the turn",
	checkrein.CanSummarize:       "supply the summary, so that the model does not write one",
	checkrein.CanAnnotate:        "add text to the question that the user is asked",
}

func effectTable() string {
	t := newTable("word", "meaning", "on")
	for e := checkrein.Effect(1); e&checkrein.AllEffects != 0; e <<= 1 {
		t.row(code(e.Words()[0]), effectDocs[e], codes(eventNames(func(c *checkrein.Contract) bool { return c.Can(e) })))
	}
	return t.String()
}

// lifetimeDocs describes how long context is kept.
var lifetimeDocs = [...]struct{ word, doc string }{
	{"transient", "for the turn at hand"},
	{"persisted", "for the session"},
	{"guidance", "for the summary prompt only"},
	{"printed", "shown to the user, not to the model"},
}

func lifetimeTable() string {
	t := newTable("word", "how long", "on")
	for _, l := range lifetimeDocs {
		t.row(l.word, l.doc, codes(eventNames(func(c *checkrein.Contract) bool { return c.Context == l.word })))
	}
	return t.String()
}

// fieldTable returns a table of payload fields.
func fieldTable(names []string) string {
	t := newTable("field", "type", "meaning", "also read as")
	for _, name := range names {
		f, _ := fields.Find(name)
		t.row(code(name), typeName(f.Type), escapeMarkdown(f.Doc), codes(f.Aliases))
	}
	return t.String()
}

func typeName(t fields.Type) string {
	if t == fields.AnyValue {
		return "any"
	}
	return t.String()
}

func commonFieldTable() string { return fieldTable(fields.CommonNames()) }
func toolFieldTable() string   { return fieldTable(fields.ToolNames()) }

// ownFields returns the payload fields of an event without those of every event and of every tool
// event. The text that the event is about comes first.
func ownFields(c *checkrein.Contract) []string {
	var out []string
	if c.Text != "" {
		out = append(out, c.Text)
	}
	return append(out, c.Fields...)
}

// eventSections returns a section for each event, with its remarks and fields.
func eventSections() string {
	var b strings.Builder
	for i, c := range eventRows() {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "### %s\n\n%s.", c.Name, capitalize(escapeMarkdown(c.When)))
		for _, s := range remarks(&c) {
			b.WriteString(" " + s + ".")
		}
		if fields := ownFields(&c); len(fields) > 0 {
			b.WriteString("\n\n" + fieldTable(fields))
		} else {
			b.WriteString("\n\nNo fields of its own.")
		}
	}
	return b.String()
}

// remarks returns the facts about an event that the table of events has no column for.
func remarks(c *checkrein.Contract) []string {
	var out []string
	if aboutTool(c) {
		out = append(out, "It has the fields of all tool events")
	}
	if subject := rewrittenField(c); subject != "" {
		out = append(out, "A rewrite changes "+code(subject))
	}
	if c.Asks {
		out = append(out, "The agent asks the user next, unless a verdict decides")
	}
	switch {
	case c.Plain && c.Context == "printed":
		out = append(out, "Context and plain text on stdout are shown to the user")
	case c.Plain:
		out = append(out, "Plain text on stdout is context")
	}
	if c.Final {
		out = append(out, "Its hooks finish even if the caller was canceled")
	}
	return out
}

// rewrittenField returns the payload field that a rewrite changes, or "" if nothing can be rewritten.
func rewrittenField(c *checkrein.Contract) string {
	switch {
	case c.Can(checkrein.CanRewriteInput):
		return "tool_input"
	case c.Can(checkrein.CanRewriteMessages):
		return "messages"
	case c.Can(checkrein.CanRewriteOutput) && aboutTool(c):
		return "tool_response"
	case c.Can(checkrein.CanRewriteOutput):
		return c.Text
	}
	return ""
}

// capitalize returns s with its first letter in upper case. s must not be empty.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
