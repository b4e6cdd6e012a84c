package expand

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SplitLeadingCD splits text after the cd that it begins with. head is the cd with its separator (cd
// DIR && or cd DIR;), or "" if there is none. A shell may run head and then start another shell for
// rest, with the same effect as running text, unless moves is true: rest may then change the
// directory, which the first shell would not notice.
func SplitLeadingCD(text string) (head, rest string, moves bool) {
	if ParsableLen(text) < len(text) {
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

// dirChangers lists the commands that change the working directory of a shell.
var dirChangers = []string{"cd", "pushd", "popd", "chdir"}

// firstAnd returns the innermost && of a chain of commands joined by &&, which has the first command
// as X. It returns nil if s is not such a chain.
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

// isPlainCD reports whether s is cd with one literal word. The shell's error message then cannot
// reveal anything that the command read.
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

// changesDir reports whether s may change the working directory of its shell. Subshells change only
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

// HasWord reports whether one of names occurs as a word in text, at any position and with any quoting,
// so that no way to run such a program is missed.
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
