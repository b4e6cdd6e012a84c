package judge

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
)

// A view is what a judge sees of an event.
type view struct {
	pieces []piece
	whole  []piece // as pieces, but with nothing removed or truncated, for the cache; nil = unknown
	missed string  // what the judge does not see, "" = nothing that matters
}

// What a judge may miss.
const (
	missedTruncated = "a part was cut off"
	missedHidden    = "the part removed as a secret may be more than one value"
)

// newView returns what the judge sees of ev.
func (j *handler) newView(ev checkrein.Event) (*view, error) {
	payload, err := j.dialect.Encode(ev)
	if err != nil {
		return nil, fmt.Errorf("writing the payload: %w", err)
	}
	seen := &view{}
	if in, err := parseInput(payload); err == nil {
		seen.whole, _, _ = j.prompt.render(in, true)
	}
	// Secrets are removed first from the whole document, in which a key shows what its value
	// is, and then from each value as it is sent, which a template may have composed.
	hidden := false
	clean := secret.Cleaner{Want: secret.Secrets, Mark: func(text string, f secret.Finding) string {
		hidden = hidden || !isOneValue(text[f.Start:f.End])
		return secret.Marker
	}}
	if !j.raw {
		payload, _ = clean.RedactJSON(payload)
	}
	in, err := parseInput(payload)
	if err != nil {
		return nil, err
	}
	pieces, cut, err := j.prompt.render(in, false)
	if err != nil {
		return nil, err
	}
	seen.pieces = pieces
	if !j.raw {
		for i := range pieces {
			if pieces[i].data {
				pieces[i].text, _ = clean.RedactText(pieces[i].text)
			}
		}
		hidden = hidden || hidesProgram(&clean, ev.Tool)
	}
	switch {
	case cut:
		seen.missed = missedTruncated
	case hidden:
		seen.missed = missedHidden
	}
	return seen, nil
}

// isOneValue reports whether s, text that was removed as a secret, is a single value and not code.
// That is so if a shell would find neither an operator nor a second word in it.
func isOneValue(s string) bool {
	return !strings.ContainsAny(s, "&|;$`<>(){}'\"\\") && strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) < 0
}

// hidesProgram reports whether text that clean removes from a command of tool may be the program that
// the command runs, because it is a separate word or part of a path. Text after a name, a long option
// or a header is a value.
func hidesProgram(clean *secret.Cleaner, tool *checkrein.Tool) bool {
	if tool == nil {
		return false
	}
	for _, cmd := range tool.Commands() {
		for _, f := range clean.Find(cmd) {
			before, after := strings.TrimRight(cmd[:f.Start], `"'\`), strings.TrimLeft(cmd[f.End:], `"'\`)
			from := strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(";|&()<>`", r) }) + 1
			switch glued := before[from:]; {
			case strings.Contains(glued, "://"):
			case strings.HasSuffix(glued, "/"), strings.HasPrefix(after, "/"):
				return true
			case glued == "" && !announcesValue(before):
				return true
			}
		}
	}
	return false
}

// announcesValue reports whether the last word of before shows that a value follows, such as an
// option.
func announcesValue(before string) bool {
	line := strings.TrimRight(before, " \t")
	words := strings.Fields(line)
	if len(words) == 0 || strings.ContainsAny(line[len(line)-1:], ";|&()<>`\n") {
		return false
	}
	switch word := strings.ToLower(strings.Trim(words[len(words)-1], `"'`)); {
	case strings.HasPrefix(word, "--"), strings.HasSuffix(word, ":"), word == "bearer", word == "basic", word == "token":
		return true
	}
	return false
}
