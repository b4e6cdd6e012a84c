package expand

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// AddSources returns to with the calls in from that it does not contain yet. It never writes beyond
// the length of to, which may be shared with a variable.
func AddSources(to, from []*shell.Call) []*shell.Call {
	if len(to) == 0 {
		return from[:len(from):len(from)]
	}
	to = to[:len(to):len(to)]
	for _, c := range from {
		to = AddSource(to, c)
	}
	return to
}

// AddSource returns to with c, unless it contains c already. If there are MaxFrom calls, a single cat
// whose input is their output replaces them, so that none is lost.
func AddSource(to []*shell.Call, c *shell.Call) []*shell.Call {
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
		out.From = AddSources(out.From, w.From)
	}
	out.Text = b.String()
	return out
}

// UnknownElement returns a placeholder for an unknown element of list, with the sources of all
// elements.
func UnknownElement(list []shell.Word) shell.Word {
	word := shell.Word{Text: placeholder}
	for i := range list {
		word.From = AddSources(word.From, list[i].From)
	}
	return word
}
