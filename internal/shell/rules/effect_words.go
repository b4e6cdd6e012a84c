package rules

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

// named is how many words at the end of a rule's command are operands: any word, or
// an address.
func named(cmd string) int {
	n := 0
	for {
		at := strings.LastIndexByte(cmd, ' ')
		if last := cmd[at+1:]; at < 0 || last != "*" && !strings.HasSuffix(last, "://*") {
			return n
		}
		cmd, n = cmd[:at], n+1
	}
}

// operands are the words after those that name a rule's command, for people; "" =
// there are none, or it is not known which of the words they are.
func (r *reading) operands(rule *shell.Rule, at int) string {
	if !r.Row.Listed() {
		for i := range r.Flags {
			if f := &r.Flags[i]; f.Next != "" && f.Next[0] != '-' && !strings.Contains(rule.Any+" "+rule.All, f.Raw) {
				return "" // it may be the option's value
			}
		}
	}
	var b strings.Builder
	for i := at - named(rule.Cmd); i < len(r.Words); i++ {
		w := r.Words[i].Text
		switch {
		case strings.Contains(w, hole) || w == "…" || w == "":
			return ""
		case w == ".":
			w = "the current directory"
		}
		if !put(&b, w) {
			break
		}
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
