package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SplitLeadingCD splits a command after the change of directory that it begins with. The head (cd DIR
// && or cd DIR;) may run in one shell and the rest in another that this one starts, without any other
// difference. moves reports whether the rest may change the directory of its shell, which that other
// shell would lose.
func SplitLeadingCD(text string) (head, rest string, moves bool) {
	if len(text) > smallText && parsableLen(text) < len(text) {
		return "", text, HasWord(text, dirChangers)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) == 0 {
		return "", text, HasWord(text, dirChangers)
	}
	stmts := file.Stmts
	from := uint(0)
	switch first := stmts[0]; {
	case len(stmts) > 1 && isPlainCD(first):
		from = stmts[1].Pos().Offset()
		stmts = stmts[1:]
	case len(stmts) == 1:
		if b := firstAnd(first); b != nil && isPlainCD(b.X) {
			from = b.Y.Pos().Offset()
			b.X = &syntax.Stmt{}
		}
	}
	return text[:from], text[from:], slices.ContainsFunc(stmts, changesDir)
}

// dirChangers are the words that change the directory.
var dirChangers = []string{"cd", "pushd", "popd", "chdir"}

// firstAnd returns the first && of a statement that consists of commands joined by &&, or nil.
func firstAnd(s *syntax.Stmt) *syntax.BinaryCmd {
	var first *syntax.BinaryCmd
	for s != nil && !s.Background && !s.Coprocess && !s.Negated && len(s.Redirs) == 0 {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt {
			break
		}
		first, s = b, b.X
	}
	return first
}

// isPlainCD reports whether a statement is cd with one literal word. An error message of the shell
// then reveals nothing that was read.
func isPlainCD(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Coprocess || s.Negated || len(s.Redirs)+len(c.Assigns) > 0 || len(c.Args) != 2 || c.Args[0].Lit() != "cd" {
		return false
	}
	for _, p := range c.Args[1].Parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Lit); !ok {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// changesDir reports whether a statement may change the directory of its shell. Subshells change only
// their own.
func changesDir(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Stmt:
			return !n.Background
		case *syntax.Lit:
			found = found || HasWord(n.Value, dirChangers)
		case *syntax.SglQuoted:
			found = found || HasWord(n.Value, dirChangers)
		}
		return !found
	})
	return found
}

// HasWord reports whether one of the names is a word of a text, wherever and however it is quoted, so
// that no way to run such a program is missed.
func HasWord(text string, names []string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r < 'a' && r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') || r > 'z' && r < 0x80
	}) {
		if slices.Contains(names, word) {
			return true
		}
	}
	return false
}
