package docgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
)

// rows are the events that have a row.
func rows() []checkrein.Contract { return checkrein.Contracts()[1:] }

// names lists the canonical names of the rows that is accepts.
func names(is func(*checkrein.Contract) bool) []string {
	var out []string
	for _, c := range rows() {
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

// sets are groups of events that are better named than listed.
var sets = []struct {
	words string
	is    func(*checkrein.Contract) bool
}{
	{"every event", every},
	{"every event about a tool", aboutTool},
	{"every event that can be denied", canDeny},
	{"every event that takes context", takesContext},
}

// describeEvents returns the events for which is holds: in words if there are any for the set, and
// their names.
func describeEvents(is func(*checkrein.Contract) bool) (words string, events []string) {
	on := names(is)
	for _, s := range sets {
		if slices.Equal(on, names(s.is)) {
			return s.words, nil
		}
	}
	return "", on
}

// whereCell is where as Markdown.
func whereCell(is func(*checkrein.Contract) bool) string {
	words, events := describeEvents(is)
	return words + codes(events)
}

func eventTable() string {
	t := newTable("event", "layer", "fires when", "a verdict may", "a denial", "faults", "context", "called elsewhere")
	for _, c := range rows() {
		t.row("["+code(c.Name)+"](#"+c.Name+")", c.Layer, prose(c.When), strings.Join(c.Effects.Words(), ", "),
			prose(c.DenyIs), faults(&c), c.Context, aliasesOf(&c))
	}
	other := checkrein.ContractOf(checkrein.Other)
	t.row(code("native:NAME"), other.Layer, prose(other.When), "", "", faults(other), "", "")
	return t.String()
}

func faults(c *checkrein.Contract) string {
	if c.Closed {
		return "**closed**"
	}
	return "open"
}

// aliasesOf lists an event's names in other systems.
func aliasesOf(c *checkrein.Contract) string {
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

// effectDocs say what each effect does, by its bit.
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
		t.row(code(e.Words()[0]), effectDocs[e], codes(names(func(c *checkrein.Contract) bool { return c.Can(e) })))
	}
	return t.String()
}

// lifetimeDocs explain how long context is kept.
var lifetimeDocs = [...]struct{ word, doc string }{
	{"transient", "for the turn at hand"},
	{"persisted", "for the session"},
	{"guidance", "for the summary prompt only"},
	{"printed", "shown to the user, not to the model"},
}

func lifetimeTable() string {
	t := newTable("word", "how long", "on")
	for _, l := range lifetimeDocs {
		t.row(l.word, l.doc, codes(names(func(c *checkrein.Contract) bool { return c.Context == l.word })))
	}
	return t.String()
}

// fieldTable describes payload fields.
func fieldTable(names []string) string {
	t := newTable("field", "type", "meaning", "also read as")
	for _, name := range names {
		f, _ := fields.Find(name)
		t.row(code(name), typeName(f.Type), prose(f.Doc), codes(f.Aliases))
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

// ownFields are the payload fields of a row beside those of every event and of
// every tool event. The text that the event is about comes first.
func ownFields(c *checkrein.Contract) []string {
	var out []string
	if c.Text != "" {
		out = append(out, c.Text)
	}
	return append(out, c.Fields...)
}

func eventSections() string {
	var b strings.Builder
	for i, c := range rows() {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "### %s\n\n%s.", c.Name, sentence(prose(c.When)))
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

// remarks are what a row says that the table of events has no column for.
func remarks(c *checkrein.Contract) []string {
	var out []string
	if aboutTool(c) {
		out = append(out, "It has the fields of all tool events")
	}
	if subject := rewritten(c); subject != "" {
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

// rewritten is the payload field that a rewrite changes, "" where nothing can
// be rewritten.
func rewritten(c *checkrein.Contract) string {
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

// sentence begins s with a capital.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
