package report

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Notice prints a message about something: its mark and what is so, and below it what to
// do, a line for each way. Further remedies are added unless the message has them.
func Notice(s *term.Screen, indent int, mark term.Span, head []term.Span, text string, more ...string) {
	what, remedies := SplitMessage(text)
	for _, m := range more {
		if m != "" && !slices.ContainsFunc(remedies, func(r string) bool { return strings.Contains(r, m) }) {
			remedies = append(remedies, m)
		}
	}
	spans := append([]term.Span{mark, term.P(" ")}, head...)
	s.Text(indent, indent+2, append(spans, CommandSpans(s.Home(what))...)...)
	for _, r := range remedies {
		remedy(s, indent+4, r)
	}
}

// remedy prints what to do on a line of its own.
func remedy(s *term.Screen, indent int, text string) {
	s.Text(indent, indent+2, RemedySpans(s.Home(text))...)
}

// RemedySpans is a remedy with the command first, to be copied; what else it says is a comment
// behind it.
func RemedySpans(text string) []term.Span {
	i := strings.LastIndex(text, ": checkrein ")
	if i < 0 {
		return CommandSpans(text)
	}
	what, command := text[:i], text[i+len(": "):]
	if _, end, ok := nextCommand(command, 0); !ok || end != len(command) {
		return CommandSpans(text)
	}
	return append([]term.Span{term.Command(command), term.P("  ")}, faint("# "+what)...)
}

// faint is text that may be skipped, but for the commands in it.
func faint(text string) []term.Span {
	out := CommandSpans(text)
	for i := range out {
		if out[i].Style == term.Plain {
			out[i].Style = term.Faint
		}
	}
	return out
}

// SplitMessage takes a message apart: what is so, and what to do about it with commands of
// checkrein.
func SplitMessage(text string) (what string, remedies []string) {
	at, _, ok := nextCommand(text, 0)
	if !ok {
		return text, nil
	}
	if open := strings.LastIndexByte(text[:at], '('); open > strings.LastIndexByte(text[:at], ')') {
		end := strings.IndexByte(text[open:], ')')
		if end < 0 || open == 0 {
			return text, nil
		}
		what, more := SplitMessage(strings.TrimRight(text[:open], " ") + text[open+end+1:])
		return what, append([]string{text[open+1 : open+end]}, more...)
	}
	start := 0 // of the clause with the command
	for _, sep := range []string{": ", "; ", ". "} {
		if i := strings.LastIndex(text[:at], sep); i >= 0 {
			start = max(start, i+len(sep))
		}
	}
	if start == 0 {
		return text, nil // it is part of the sentence
	}
	for _, r := range strings.Split(text[start:], "; ") {
		remedies = append(remedies, strings.TrimSuffix(r, "."))
	}
	what = strings.TrimRight(text[:start], ":;. ")
	if strings.HasSuffix(what, " with") || strings.HasSuffix(what, " by") || strings.HasSuffix(what, " run") {
		what += ":" // the command ends the sentence
	}
	return what, remedies
}

// CommandSpans marks the commands of a message, so that they are not broken over lines.
func CommandSpans(text string) []term.Span {
	var out []term.Span
	from := 0
	for {
		at, end, ok := nextCommand(text, from)
		if !ok {
			break
		}
		if at > from {
			out = append(out, term.P(text[from:at]))
		}
		out = append(out, term.Command(text[at:end]))
		from = end
	}
	if from < len(text) || len(out) == 0 {
		out = append(out, term.P(text[from:]))
	}
	return out
}

// nextCommand finds a command of checkrein in running text.
func nextCommand(text string, from int) (at, end int, ok bool) {
	const name = "checkrein "
	for {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return 0, 0, false
		}
		at = from + i
		from = at + len(name)
		if at > 0 && !strings.ContainsRune(" (\"'`", rune(text[at-1])) {
			continue
		}
		if n := commandLength(text[from:]); n > 0 {
			return at, from + n, true
		}
	}
}

// commandLength is how much of text goes on with a command: the words of one that there
// is, then options and names until the sentence goes on.
func commandLength(text string) int {
	names := files.OwnCommands()
	n, path := 0, ""
	for n < len(text) {
		word := text[n:]
		if i := strings.IndexByte(word, ' '); i >= 0 {
			word = word[:i]
		}
		bare := strings.TrimRight(word, ",.;:)'\"`")
		longer := strings.TrimSpace(path + " " + bare)
		known := slices.ContainsFunc(names, func(c files.OwnCommand) bool { return c.Name == longer })
		switch {
		case known:
			path = longer
		case path == "", bare == "", slices.Contains(goesOn, bare), strings.HasPrefix(bare, "("):
			return max(n-1, 0)
		}
		n += len(bare)
		if bare != word || n == len(text) {
			return n
		}
		n++ // the space
	}
	return n
}

// goesOn are the words by which a sentence goes on behind a command.
var goesOn = strings.Fields("to or and if when then in for from with at of on, again first once only is are was does says lists shows finds tells names " +
	"puts adds renews moves forgets takes switches ends lets allows makes asks writes prints removes needs that which who it them while until, before after instead here there")
