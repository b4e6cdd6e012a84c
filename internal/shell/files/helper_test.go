package files

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// here is the place that most tests run in.
var here = shell.Place{Dir: "/work/app", Root: "/work/app", Home: "/home/me"}

// call is a small stand-in for package resolve: one command with quotes,
// variables, redirections, sudo and a cd before it.
func call(t testing.TB, text string) *shell.Call {
	t.Helper()
	c := &shell.Call{}
	if rest, ok := strings.CutPrefix(text, "cd "); ok {
		dir, cmd, ok := strings.Cut(rest, " && ")
		if !ok {
			t.Fatalf("%s: cd without &&", text)
		}
		c.Dir, text = split(dir)[0].Text, cmd
	}
	words := split(text)
	for i := 0; i < len(words); i++ {
		w := words[i]
		op, fd := operator(w.Text)
		if op == "" || w.Quoted {
			c.Args = append(c.Args, w)
			continue
		}
		r := shell.Redirect{Op: op, Fd: fd}
		if target := w.Text[len(fd)+len(op):]; target != "" {
			r.Target = shell.Word{Text: target}
		} else if i+1 < len(words) {
			i++
			r.Target = words[i]
		}
		c.Redir = append(c.Redir, r)
	}
	for len(c.Args) > 0 && c.Args[0].Text == "sudo" {
		c.Elevated = true
		c.Args = c.Args[1:]
	}
	if len(c.Args) == 0 {
		c.Name, c.Path = ":", ":"
		return c
	}
	c.Path = c.Args[0].Text
	c.Name = programName(c.Path)
	c.Args = c.Args[1:]
	return c
}

func operator(w string) (op, fd string) {
	rest := strings.TrimLeft(w, "0123456789")
	fd = w[:len(w)-len(rest)]
	for _, op := range [...]string{"&>>", "&>", ">>", ">|", ">&", "<<<", "<<", "<>", ">", "<"} {
		if strings.HasPrefix(rest, op) {
			return op, fd
		}
	}
	return "", ""
}

// split cuts a command into words.
func split(text string) []shell.Word {
	var out []shell.Word
	var b strings.Builder
	var cur shell.Word
	started := false
	end := func() {
		if started {
			cur.Text = b.String()
			out = append(out, cur)
		}
		b.Reset()
		cur, started = shell.Word{}, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ':
			end()
			continue
		case '\'':
			n := strings.IndexByte(text[i+1:], '\'')
			b.WriteString(text[i+1 : i+1+n])
			i += n + 1
			cur.Quoted = true
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '$' {
					i = variable(text, i, &b)
					continue
				}
				if text[i] == '\\' && strings.IndexByte(`"\$`, text[i+1]) >= 0 {
					i++
				}
				b.WriteByte(text[i])
			}
			cur.Quoted = true
		case '\\':
			i++
			b.WriteByte(text[i])
		case '$':
			i = variable(text, i, &b)
		case '*', '?', '[':
			cur.Glob = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
		started = true
	}
	end()
	return out
}

// variable writes a hole for what begins at i, and returns where it ends. HOME is
// known, and a $ before no name is itself.
func variable(text string, i int, b *strings.Builder) int {
	if i+1 >= len(text) {
		b.WriteByte('$')
		return i
	}
	j := i + 1
	switch c := text[j]; {
	case c == '(' || c == '{':
		close := byte(')')
		if c == '{' {
			close = '}'
		}
		for text[j] != close {
			j++
		}
	case isLetter(c) || c == '_' || c >= '0' && c <= '9':
		for j+1 < len(text) && (isLetter(text[j+1]) || text[j+1] == '_') {
			j++
		}
		if text[i:j+1] == "$HOME" {
			b.WriteByte('~')
			return j
		}
	default:
		b.WriteByte('$')
		return i
	}
	b.WriteString(placeholder)
	return j
}

// verdictOf is the worst of all effects of a command.
func verdictOf(t testing.TB, text string, p *shell.Place) (worst shell.Effect, known bool) {
	t.Helper()
	return judged(call(t, text), p)
}

func judged(c *shell.Call, p *shell.Place) (worst shell.Effect, known bool) {
	effects, known := Effects(c, p)
	effects = append(effects, Redirects(c, p)...)
	for i, e := range effects {
		if i == 0 || e.Label > worst.Label || e.Label == worst.Label && e.Impact.Weight() > worst.Impact.Weight() {
			worst = e
		}
	}
	return worst, known
}
