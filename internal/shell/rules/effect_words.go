package rules

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxWords = 200 // the largest length of a quoted call, in bytes
	maxPaths = 50  // the largest number of paths in an effect
)

// callText returns the name and the words of c, truncated to maxWords bytes.
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

// appendWord appends a space and word to b. It reports false if it had to truncate word at maxWords
// bytes.
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

// countTrailingOperands returns the number of words at the end of cmd, a rule's Cmd, that match
// operands instead of subcommands: * and patterns for URLs.
func countTrailingOperands(cmd string) int {
	n := 0
	for {
		at := strings.LastIndexByte(cmd, ' ')
		if last := cmd[at+1:]; at < 0 || last != "*" && !strings.HasSuffix(last, "://*") {
			return n
		}
		cmd, n = cmd[:at], n+1
	}
}

// operandText returns the operands of a call that rule matches, for messages; at is the index of the
// first word after rule.Cmd. It returns "" if there are none, or if an option may take one of them as
// its value.
func (r *reading) operandText(rule *shell.Rule, at int) string {
	if !r.Row.IsListed() {
		for i := range r.Flags {
			if f := &r.Flags[i]; f.Next != "" && f.Next[0] != '-' && !strings.Contains(rule.Any+" "+rule.All, f.Raw) {
				return "" // the word may be the option's value
			}
		}
	}
	var b strings.Builder
	for i := at - countTrailingOperands(rule.Cmd); i < len(r.Words); i++ {
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

// operandPaths returns the words from the index at on as absolute paths, as far as the directory is
// known. It leaves out URLs and returns at most maxPaths.
func (r *reading) operandPaths(at int, p *shell.Place) []string {
	dir, home := r.Call.Dir, ""
	if p != nil {
		home = p.Home
		dir = absoluteDir(dir, p)
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
