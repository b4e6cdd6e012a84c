package report

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/text/term"
)

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
