package expand

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// AddFrom adds calls that are not there yet. A list may belong to a variable, so nothing is ever
// written beyond its length.
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

// AddCall adds one call. If there are too many, they are replaced by one that prints what they print,
// so that none is lost.
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
	// TruncatedSource is the source of values that exceeded a limit. Such values are unknown, and
	// running one counts as exceeding the limit.
	TruncatedSource = &shell.Call{Name: ":", Path: ":"}
	// OpaqueSource is the source of values that the command computes in a way that is not followed.
	OpaqueSource = &shell.Call{Name: ":", Path: ":"}
	// parentSource is the source of $PPID.
	parentSource = &shell.Call{Name: "ps", Path: "ps", Args: []shell.Word{{Text: "-o"}, {Text: "ppid="}, {Text: "-p"}, {Text: placeholder}}}
)

// TruncatedWord returns an unknown word for a value that exceeded a limit.
func TruncatedWord() shell.Word {
	return shell.Word{Text: placeholder, From: []*shell.Call{TruncatedSource}}
}

// Join returns the concatenation of words, with sep between them, as one word.
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

// AnyOf returns a placeholder for an unknown word of a list.
func AnyOf(list []shell.Word) shell.Word {
	word := shell.Word{Text: placeholder}
	for i := range list {
		word.From = AddFrom(word.From, list[i].From)
	}
	return word
}
