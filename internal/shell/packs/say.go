package packs

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxWords = 200 // bytes of a call that are shown
	maxPaths = 50
)

// wordsOf is a call as it will run, cut to a length that people read.
func wordsOf(c *shell.Call) string {
	n := len(c.Name)
	for i := range c.Args {
		if n += 1 + len(c.Args[i].Text); n > maxWords {
			break
		}
	}
	var b strings.Builder
	b.Grow(min(n, maxWords+4))
	b.WriteString(c.Name)
	for i := range c.Args {
		if !put(&b, c.Args[i].Text) {
			break
		}
	}
	return b.String()
}

// put adds a word, and reports whether there is room for more.
func put(b *strings.Builder, word string) bool {
	room := maxWords - b.Len() - 1
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if len(word) <= room {
		b.WriteString(word)
		return true
	}
	b.WriteString(strings.ToValidUTF8(word[:max(room, 0)], ""))
	b.WriteString("…")
	return false
}

// args are the words after those that name the command.
func (r *reading) args(at int) string {
	var b strings.Builder
	for i := at; i < len(r.Words); i++ {
		if !put(&b, r.Words[i].Text) {
			break
		}
	}
	if b.Len() == 0 {
		return "it"
	}
	return b.String()
}

// paths are the same words as paths, made absolute as far as the place is known.
func (r *reading) paths(at int, p *shell.Place) []string {
	dir, home := r.Call.Dir, ""
	if p != nil {
		home = p.Home
		if dir == "" {
			dir = p.Dir
		}
	}
	var out []string
	for i := at; i < len(r.Words) && len(out) < maxPaths; i++ {
		t := r.Words[i].Text
		switch {
		case t == "" || t == "-" || strings.Contains(t, "://"):
			continue
		case t[0] == '/':
			t = path.Clean(t)
		case home != "" && (t == "~" || strings.HasPrefix(t, "~/")):
			t = path.Join(home, t[1:])
		case t[0] != '~' && t[0] != '$' && !strings.HasPrefix(t, hole):
			t = path.Join(dir, t)
		}
		out = append(out, t)
	}
	return out
}
