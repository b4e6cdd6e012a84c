package resolve

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// isBomb reports whether a function does nothing but start itself twice: it has
// no other use, so it counts even when the call is not there.
func isBomb(c *syntax.FuncDecl) bool {
	var body []*syntax.Stmt
	switch b := c.Body.Cmd.(type) {
	case *syntax.Block:
		body = b.Stmts
	case *syntax.Subshell:
		body = b.Stmts
	}
	if len(body) != 1 || !body[0].Background {
		return false
	}
	pipe, ok := body[0].Cmd.(*syntax.BinaryCmd)
	return ok && pipe.Op == syntax.Pipe && runsOnly(pipe.X, c.Name.Value) && runsOnly(pipe.Y, c.Name.Value)
}

func runsOnly(s *syntax.Stmt, name string) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) == 1 && c.Args[0].Lit() == name
}

// endless reports whether a loop's condition always holds.
func endless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	switch x := c.Cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		if len(x.Args) == 0 {
			return false
		}
		switch x.Args[0].Lit() {
		case "true", ":", "/bin/true":
			return !c.Until
		case "false":
			return c.Until
		case "[", "test":
			return !c.Until && len(x.Args) >= 2 && x.Args[1].Lit() == "1" && len(x.Args) <= 3
		}
	case *syntax.ArithmCmd:
		word, ok := x.X.(*syntax.Word)
		return ok && !c.Until && word.Lit() == "1"
	}
	return false
}

// forksFreely reports whether a loop's body starts something in the background
// and nothing slows it down.
func forksFreely(body []*syntax.Stmt) bool {
	forks := false
	for _, s := range body {
		forks = forks || s.Background
		switch c := s.Cmd.(type) {
		case *syntax.Subshell:
			forks = forks || forksFreely(c.Stmts)
		case *syntax.CallExpr:
			if len(c.Args) == 0 || s.Background {
				continue
			}
			switch c.Args[0].Lit() {
			case ":", "echo", "printf", "true":
			default:
				return false // it waits for this one
			}
		case *syntax.BinaryCmd:
			if !s.Background {
				return false
			}
		default:
			if !s.Background {
				return false
			}
		}
	}
	return forks
}

// callsItselfTwice reports whether a background statement is $0 | $0.
func callsItselfTwice(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && callsItself(c.X) && callsItself(c.Y)
}

func callsItself(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	for _, a := range c.Args {
		if len(a.Parts) != 1 {
			continue
		}
		p := a.Parts[0]
		if q, ok := p.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
			p = q.Parts[0]
		}
		if pe, ok := p.(*syntax.ParamExp); ok && pe.Param != nil && pe.Param.Value == "0" {
			return true
		}
	}
	return false
}

// squeezedBomb finds a fork bomb in a text that no parser takes because its
// spaces are missing: :(){:|:&};:
func squeezedBomb(text string) string {
	if len(text) > 4096 || !strings.Contains(text, "|") || !strings.Contains(text, "&") {
		return ""
	}
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	for {
		i := strings.Index(s, "(){")
		if i <= 0 {
			return ""
		}
		name := s[strings.LastIndexAny(s[:i], ";&|'\"(){}")+1 : i]
		if name != "" && strings.HasPrefix(s[i+3:], name+"|"+name+"&") {
			return name + "(){ " + name + "|" + name + "& }"
		}
		s = s[i+3:]
	}
}
