package rules

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxWords = 200 // the largest length of a quoted call, in bytes
	maxPaths = 50
)

// callText returns the words of c, truncated to maxWords.
func callText(c *shell.Call) string {
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
		if !appendWord(&b, c.Args[i].Text) {
			break
		}
	}
	return b.String()
}

// appendWord appends a word, and reports whether there is room for more.
func appendWord(b *strings.Builder, word string) bool {
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

// countOperands returns how many words at the end of a rule's command are operands: any word, or a
// URL.
func countOperands(cmd string) int {
	n := 0
	for {
		at := strings.LastIndexByte(cmd, ' ')
		if last := cmd[at+1:]; at < 0 || last != "*" && !strings.HasSuffix(last, "://*") {
			return n
		}
		cmd, n = cmd[:at], n+1
	}
}

// operandText returns the words after those that name a rule's command, for messages. It returns "" if
// there are none, or if it is not known which of the words they are.
func (r *reading) operandText(rule *shell.Rule, at int) string {
	if !r.Row.IsListed() {
		for i := range r.Flags {
			if f := &r.Flags[i]; f.Next != "" && f.Next[0] != '-' && !strings.Contains(rule.Any+" "+rule.All, f.Raw) {
				return "" // the word may be the option's value
			}
		}
	}
	var b strings.Builder
	for i := at - countOperands(rule.Cmd); i < len(r.Words); i++ {
		w := r.Words[i].Text
		switch {
		case strings.Contains(w, placeholder) || w == "…" || w == "":
			return ""
		case w == ".":
			w = "the current directory"
		}
		if !appendWord(&b, w) {
			break
		}
	}
	return b.String()
}

// operandPaths returns the words from at on as absolute paths, as far as the directory is known.
func (r *reading) operandPaths(at int, p *shell.Place) []string {
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
		case t[0] != '~' && t[0] != '$' && !strings.HasPrefix(t, placeholder):
			t = path.Join(dir, t)
		}
		out = append(out, t)
	}
	return out
}
