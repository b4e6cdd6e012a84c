package files

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// here is where the commands of most tests run.
var here = shell.Place{Dir: "/work/app", Root: "/work/app", Home: "/home/me"}

// parseCall is a small substitute for package resolve. It returns the call of one command, which may
// have quotes, variables, redirections, sudo, and a cd before it.
func parseCall(t testing.TB, text string) *shell.Call {
	t.Helper()
	c := &shell.Call{}
	if rest, ok := strings.CutPrefix(text, "cd "); ok {
		dir, cmd, ok := strings.Cut(rest, " && ")
		if !ok {
			t.Fatalf("%s: cd without &&", text)
		}
		c.Dir, text = splitCommand(dir)[0].Text, cmd
	}
	words := splitCommand(text)
	for i := 0; i < len(words); i++ {
		w := words[i]
		op, fd := redirectOperator(w.Text)
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

// redirectOperator returns the operator and the descriptor of the redirection that w begins with, or
// "" if w is not one.
func redirectOperator(w string) (op, fd string) {
	rest := strings.TrimLeft(w, "0123456789")
	fd = w[:len(w)-len(rest)]
	for _, op := range [...]string{"&>>", "&>", ">>", ">|", ">&", "<<<", "<<", "<>", ">", "<"} {
		if strings.HasPrefix(rest, op) {
			return op, fd
		}
	}
	return "", ""
}

// splitCommand returns the words of a command.
func splitCommand(text string) []shell.Word {
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
					i = expandVariable(text, i, &b)
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
			i = expandVariable(text, i, &b)
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

// expandVariable writes a placeholder for the variable or substitution at text[i] to b, and returns
// the index of its last byte. $HOME becomes ~, and a $ without a name is literal.
func expandVariable(text string, i int, b *strings.Builder) int {
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

// worstEffect returns the worst effect of the command text at p.
func worstEffect(t testing.TB, text string, p *shell.Place) (worst shell.Effect, known bool) {
	t.Helper()
	return worstCallEffect(parseCall(t, text), p)
}

// worstCallEffect returns the worst effect of c at p, and whether [Effects] has rules for its program.
func worstCallEffect(c *shell.Call, p *shell.Place) (worst shell.Effect, known bool) {
	effects, known := Effects(c, p)
	effects = append(effects, RedirectEffects(c, p)...)
	for i, e := range effects {
		if i == 0 || e.Label > worst.Label || e.Label == worst.Label && e.Impact.Weight() > worst.Impact.Weight() {
			worst = e
		}
	}
	return worst, known
}
