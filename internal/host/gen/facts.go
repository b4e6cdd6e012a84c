package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// generateFacts returns the Go file with the events and quirks of a host, generated from facts.txt in
// folder:
//
//	event NAME observed|documented [wired] [failure] [waits=TIME] [settings=MEMBER] [ROW[:EFFECT|EFFECT]]…
//		the note, if there is one
//	quirk ID FIXTURE the versions in which it was seen
//		what the host does
//		what checkrein does about it
//
// See wire.Event and wire.Quirk for the meaning.
func generateFacts(folder string) (string, error) {
	path := filepath.Join(folder, "facts.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var events, quirks strings.Builder
	for _, f := range parseFacts(string(text)) {
		if f.words[0] == "event" && len(f.words) > 2 && len(f.below) < 2 {
			events.WriteString(f.eventLiteral())
		} else if f.words[0] == "quirk" && len(f.words) > 3 && len(f.below) == 2 {
			fmt.Fprintf(&quirks, "\t{ID: %q, Fixture: %q, Seen: %q, Does: %q, We: %q},\n", f.words[1], f.words[2], strings.Join(f.words[3:], " "), f.below[0], f.below[1])
		} else {
			return "", fmt.Errorf("%s: %q is neither an event nor a quirk", path, strings.Join(f.words, " "))
		}
	}
	return fmt.Sprintf("package %s\n\nimport (\n\t\"github.com/checkrein/checkrein\"\n\t%q\n)\n\nvar events = []wire.Event{\n%s}\n\nvar quirks = []wire.Quirk{\n%s}\n",
		filepath.Base(folder), module+"wire", &events, &quirks), nil
}

// A fact is a line of a facts.txt with the indented lines below it.
type fact struct{ words, below []string }

// parseFacts returns the facts in text. Empty lines and comments are ignored.
func parseFacts(text string) (out []fact) {
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] == '\t' && len(out) > 0:
			out[len(out)-1].below = append(out[len(out)-1].below, trimmed)
		default:
			out = append(out, fact{words: strings.Fields(trimmed)})
		}
	}
	return out
}

// eventLiteral returns Go source for the fact as an element of the list of events. An unknown word
// becomes a row that does not compile.
func (f *fact) eventLiteral() string {
	fields := []string{fmt.Sprintf("Native: %q", f.words[1]), "Mark: wire." + goName(f.words[2])}
	var rows []string
	for _, w := range f.words[3:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "wired", "failure":
			fields = append(fields, goName(key)+": true")
		case "settings":
			fields = append(fields, fmt.Sprintf("Settings: %q", value))
		case "waits":
			d, _ := time.ParseDuration(value)
			fields = append(fields, fmt.Sprintf("Waits: %d", d))
		default:
			rows = append(rows, rowLiteral(w))
		}
	}
	if len(rows) > 0 {
		fields = slices.Insert(fields, 1, "Rows: []wire.Row{"+strings.Join(rows, ", ")+"}")
	}
	for _, note := range f.below {
		fields = append(fields, fmt.Sprintf("Note: %q", note))
	}
	return "\t{" + strings.Join(fields, ", ") + "},\n"
}

// rowLiteral returns Go source for word, ROW or ROW:EFFECT|EFFECT, as a row of an event.
func rowLiteral(word string) string {
	kind, effects, honours := strings.Cut(word, ":")
	text := "{Kind: checkrein." + goName(kind)
	if honours {
		names := strings.Split(effects, "|")
		for i, name := range names {
			names[i] = "checkrein." + effectName(name)
		}
		text += ", Honours: " + strings.Join(names, " | ")
	}
	return text + "}"
}

// effectName returns the name of the constant for an effect.
func effectName(word string) string {
	switch word {
	case "context":
		return "CanAddContext"
	case "summary":
		return "CanSummarize"
	case "metadata":
		return "CanAnnotate"
	}
	return "Can" + goName(word)
}

// goName returns word as a Go name: before_llm_call becomes BeforeLLMCall.
func goName(word string) string {
	parts := strings.Split(word, "_")
	for i, p := range parts {
		if p == "llm" {
			parts[i] = "LLM"
		} else if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}
