package expand

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// AddFrom adds calls that are not there yet. A list may belong to a variable, so
// that nothing is ever written behind its end.
func AddFrom(to, from []*shell.Call) []*shell.Call {
	if len(to) == 0 {
		return from[:len(from):len(from)]
	}
	to = to[:len(to):len(to)]
	for _, c := range from {
		to = AddCall(to, c)
	}
	return to
}

// AddCall adds one call. When there are too many they become one that prints what
// they print, so that none is lost.
func AddCall(to []*shell.Call, c *shell.Call) []*shell.Call {
	if slices.Contains(to, c) {
		return to
	}
	if len(to) >= MaxFrom {
		to = []*shell.Call{{Name: "cat", Path: "cat", In: &shell.Flow{From: to}}}
	}
	return append(to, c)
}

var (
	// CutOff prints values that a limit cut: they are not known, and whoever runs one
	// exceeds the limit.
	CutOff = &shell.Call{Name: ":", Path: ":"}
	// Shaped prints values that the text itself makes in a way that is not followed.
	Shaped = &shell.Call{Name: ":", Path: ":"}
	// parent prints the value of $PPID.
	parent = &shell.Call{Name: "ps", Path: "ps", Args: []shell.Word{{Text: "-o"}, {Text: "ppid="}, {Text: "-p"}, {Text: hole}}}
)

// Truncated is a value that a limit cut.
func Truncated() shell.Word { return shell.Word{Text: hole, From: []*shell.Call{CutOff}} }

// Join returns words as one, with sep between them.
func Join(words []shell.Word, sep string) shell.Word {
	var b strings.Builder
	var out shell.Word
	for i, w := range words {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(w.Text)
		out.Glob = out.Glob || w.Glob
		out.From = AddFrom(out.From, w.From)
	}
	out.Text = b.String()
	return out
}

// AnyOf stands for a word of a list when it is not known which.
func AnyOf(list []shell.Word) shell.Word {
	word := shell.Word{Text: hole}
	for i := range list {
		word.From = AddFrom(word.From, list[i].From)
	}
	return word
}
