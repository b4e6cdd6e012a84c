package exfil

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// A splitter turns text into calls as package resolve does, as far as these tests need it. An unset
// variable counts as the output of printenv.
type splitter struct {
	calls []*shell.Call
	vars  map[string]shell.Word
	dir   string
}

var place = shell.Place{Dir: "/home/dev/project", Root: "/home/dev/project", Home: "/home/dev"}

// splitCalls returns the calls in the command text.
func splitCalls(t testing.TB, text string) []*shell.Call {
	t.Helper()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s := &splitter{vars: map[string]shell.Word{}}
	for _, st := range f.Stmts {
		s.addStmt(st, nil)
	}
	return s.calls
}

// addStmt adds the calls of st, whose standard input is in. It returns the calls whose output st
// prints, last one first.
func (s *splitter) addStmt(st *syntax.Stmt, in *shell.Flow) []*shell.Call {
	if st == nil {
		return nil
	}
	var out []*shell.Call
	redir := s.readRedirects(st.Redirs)
	switch c := st.Cmd.(type) {
	case nil:
		call := &shell.Call{Redir: redir, In: in, Dir: s.dir}
		s.calls = append(s.calls, call)
		return []*shell.Call{call}
	case *syntax.CallExpr:
		return s.addCall(c, redir, in)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return s.addStmt(c.Y, &shell.Flow{From: s.addStmt(c.X, in)})
		}
		out = append(s.addStmt(c.X, in), out...)
		return append(s.addStmt(c.Y, in), out...)
	case *syntax.Subshell:
		return s.addBlock(c.Stmts, s.blockInput(redir, in))
	case *syntax.Block:
		return s.addBlock(c.Stmts, s.blockInput(redir, in))
	case *syntax.WhileClause:
		in = s.blockInput(redir, in)
		return append(s.addBlock(c.Do, in), s.addBlock(c.Cond, in)...)
	case *syntax.ForClause:
		if w, ok := c.Loop.(*syntax.WordIter); ok {
			var all shell.Word
			for _, item := range w.Items {
				v := s.readWord(item)
				all.From = append(all.From, v.From...)
			}
			all.Text = string(shell.Placeholder)
			s.vars[w.Name.Value] = all
		}
		return s.addBlock(c.Do, in)
	case *syntax.IfClause:
		s.addBlock(c.Cond, in)
		return s.addBlock(c.Then, in)
	case *syntax.DeclClause:
		call := &shell.Call{Name: c.Variant.Value, In: in}
		for _, a := range c.Args {
			if a.Name != nil {
				s.vars[a.Name.Value] = s.readWord(a.Value)
				call.Args = append(call.Args, shell.Word{Text: a.Name.Value + "=" + s.readWord(a.Value).Text})
			} else if a.Value != nil {
				call.Args = append(call.Args, s.readWord(a.Value))
			}
		}
		s.calls = append(s.calls, call)
		return []*shell.Call{call}
	}
	return nil
}

func (s *splitter) addBlock(list []*syntax.Stmt, in *shell.Flow) (out []*shell.Call) {
	for _, st := range list {
		out = append(s.addStmt(st, in), out...)
	}
	return out
}

// blockInput returns the standard input of the calls in a loop or a block, as in done < file.
func (s *splitter) blockInput(redir []shell.Redirect, in *shell.Flow) *shell.Flow {
	for _, r := range redir {
		if r.Op == "<" || r.Op == "<<<" {
			return &shell.Flow{From: []*shell.Call{{Name: "cat", Redir: []shell.Redirect{r}}}}
		}
	}
	return in
}

func (s *splitter) addCall(c *syntax.CallExpr, redir []shell.Redirect, in *shell.Flow) []*shell.Call {
	for _, a := range c.Assigns {
		if len(c.Args) == 0 && a.Value != nil {
			s.vars[a.Name.Value] = s.readWord(a.Value)
		}
	}
	if len(c.Args) == 0 {
		return nil
	}
	var words []shell.Word
	for _, w := range c.Args {
		v := s.readWord(w)
		words = append(words, v)
	}
	for len(words) > 1 && (words[0].Text == "sudo" || words[0].Text == "xargs" || words[0].Text == "command" || words[0].Text == "nohup") {
		words = words[1:]
		for len(words) > 1 && strings.HasPrefix(words[0].Text, "-") {
			if words[0].Text == "-I" {
				words = words[1:]
			}
			words = words[1:]
		}
		for i := range words {
			words[i].Text = strings.ReplaceAll(words[i].Text, "{}", string(shell.Placeholder))
		}
	}
	if words[0].Text == "cd" && len(words) == 2 {
		s.dir = words[1].Text
	}
	name := words[0].Text
	call := &shell.Call{
		Name: strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]), Path: name,
		Args: words[1:], Redir: redir, In: in, Dir: s.dir,
	}
	s.calls = append(s.calls, call)
	return []*shell.Call{call}
}

func (s *splitter) readRedirects(list []*syntax.Redirect) (out []shell.Redirect) {
	for _, r := range list {
		red := shell.Redirect{Op: r.Op.String()}
		if r.N != nil {
			red.Fd = r.N.Value
		}
		if r.Hdoc != nil {
			red.Target = s.readWord(r.Hdoc)
		} else {
			red.Target = s.readWord(r.Word)
		}
		out = append(out, red)
	}
	return out
}

func (s *splitter) readWord(w *syntax.Word) shell.Word {
	var v shell.Word
	if w == nil {
		return v
	}
	var b strings.Builder
	s.readParts(w.Parts, &b, &v)
	v.Text = b.String()
	if v.Text == "~" || strings.HasPrefix(v.Text, "~/") {
		v.Text = place.Home + v.Text[1:]
	}
	return v
}

func (s *splitter) readParts(parts []syntax.WordPart, b *strings.Builder, v *shell.Word) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			v.Quoted = true
		case *syntax.DblQuoted:
			v.Quoted = true
			s.readParts(p.Parts, b, v)
		case *syntax.CmdSubst:
			b.WriteRune(shell.Placeholder)
			for _, st := range p.Stmts {
				v.From = append(s.addStmt(st, nil), v.From...)
			}
		case *syntax.ProcSubst:
			b.WriteRune(shell.Placeholder)
			for _, st := range p.Stmts {
				v.From = append(s.addStmt(st, nil), v.From...)
			}
		case *syntax.ParamExp:
			s.readParam(p.Param.Value, b, v)
		default:
			b.WriteRune(shell.Placeholder)
		}
	}
}

func (s *splitter) readParam(name string, b *strings.Builder, v *shell.Word) {
	if name == "HOME" {
		b.WriteString(place.Home)
		return
	}
	if w, ok := s.vars[name]; ok {
		b.WriteString(w.Text)
		v.From = append(v.From, w.From...)
		return
	}
	b.WriteRune(shell.Placeholder)
	if strings.ToUpper(name) == name {
		v.From = append(v.From, &shell.Call{Name: "printenv", Args: []shell.Word{{Text: name}}})
	}
}
