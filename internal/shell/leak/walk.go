package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A grammar says which options of a program take a value. Names are separated by
// spaces.
type grammar struct {
	short string // letters that take a value, glued on or as the next word
	long  string // long options that take a value, after = or as the next word
	flags string // long options without a value that begin like one with a value
	old   bool   // long options have one dash: openssl -connect
}

// A walker reads a call's words as options and arguments.
type walker struct {
	args []shell.Word
	g    *grammar
	i    int
	at   int // within a bundle of short options
	rest bool
}

// An item is an option, with its value if it takes one, or an argument, which
// has no name.
type item struct {
	name  string // "d" of -d, "data" of --data; "" = an argument
	value shell.Word
}

// next returns the next item. ok is false at the end.
func (w *walker) next() (it item, ok bool) {
	if w.i >= len(w.args) {
		return item{}, false
	}
	word := &w.args[w.i]
	text := word.Text
	if w.at > 0 {
		return w.letter(word), true
	}
	switch {
	case w.rest || len(text) < 2 || text[0] != '-':
		w.i++
		return item{value: *word}, true
	case text == "--":
		w.i++
		w.rest = true
		return w.next()
	case text[1] == '-' || w.g.old:
		return w.long(word), true
	}
	w.at = 1
	return w.letter(word), true
}

// letter reads one letter of a bundle.
func (w *walker) letter(word *shell.Word) item {
	text := word.Text
	name := text[w.at : w.at+1]
	w.at++
	if strings.IndexByte(w.g.short, name[0]) < 0 {
		if w.at >= len(text) {
			w.i, w.at = w.i+1, 0
		}
		return item{name: name}
	}
	it := item{name: name}
	if w.at < len(text) {
		it.value = *word
		it.value.Text = text[w.at:]
		w.i, w.at = w.i+1, 0
		return it
	}
	w.i, w.at = w.i+1, 0
	if w.i < len(w.args) {
		it.value = w.args[w.i]
		w.i++
	}
	return it
}

// long reads a long option.
func (w *walker) long(word *shell.Word) item {
	w.i++
	name := strings.TrimLeft(word.Text, "-")
	if n, value, ok := strings.Cut(name, "="); ok {
		it := item{name: complete(w.g, n), value: *word}
		it.value.Text = value
		return it
	}
	it := item{name: complete(w.g, name)}
	if listed(w.g.long, it.name) && w.i < len(w.args) {
		it.value = w.args[w.i]
		w.i++
	}
	return it
}

// complete turns an abbreviation into the first option that it fits.
func complete(g *grammar, name string) string {
	if len(name) < 3 || g.old || listed(g.long, name) || listed(g.flags, name) {
		return name
	}
	for from := 0; ; {
		i := strings.Index(g.long[from:], name)
		if i < 0 {
			return name
		}
		i += from
		if i == 0 || g.long[i-1] == ' ' {
			full, _, _ := strings.Cut(g.long[i:], " ")
			return full
		}
		from = i + 1
	}
}

// listed reports whether name is one of the words of list.
func listed(list, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || list[start-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		from = start + 1
	}
}
