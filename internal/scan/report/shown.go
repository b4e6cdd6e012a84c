package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/scan/boundary"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// shown is human on a terminal: each finding with its line, a mask for what was found, and
// last how to ignore one.
type shown struct {
	human
	rules []string // that found something
}

func (s *shown) add(_ *bufio.Writer, f *boundary.Finding) {
	if !f.Counts() {
		return
	}
	out, style := s.Screen, screen.Bad
	if f.Severity != policy.Block {
		style = screen.Warn
	}
	kind := f.Kind
	if f.Severity != policy.Block {
		kind += ", " + f.Severity.String()
	}
	head := []screen.Span{screen.Mark(style), screen.P(" "), {Style: screen.Strong, Text: fmt.Sprintf("%s:%d:%d", f.Name(), f.Line, f.Column), Whole: true},
		screen.P("  "), screen.T(screen.Name, f.Rule), screen.P(" (" + kind + ")")}
	if f.Commit != "" {
		head = append(head, screen.P(fmt.Sprintf(" in commit %.12s", f.Commit)))
	}
	out.Text(0, 4, head...)
	if e := f.Excerpt; e != nil {
		out.Line(screen.T(screen.Faint, "    "+spaced(e.Before)), screen.T(style, boundary.Mask), screen.T(screen.Faint, spaced(e.After)))
	}
	if f.Rule == policy.ObjectRule {
		out.Text(4, 4, screen.P("object "+f.Object+" does not have the content that its name says: run git fsck, then remove it and fetch it again"))
	} else if !slices.Contains(s.rules, f.Rule) {
		s.rules = append(s.rules, f.Rule)
	}
	if o := f.Origin; o != nil {
		out.Text(4, 4, screen.T(screen.Faint, "written by "+o.String()))
	}
}

func spaced(text string) string { return strings.ReplaceAll(text, "\t", " ") }

func (s *shown) end(_ *bufio.Writer, t *boundary.Totals, n *Counts) {
	var b bytes.Buffer
	line := bufio.NewWriter(&b)
	s.human.end(line, t, n)
	_ = line.Flush()
	style := screen.Good
	switch {
	case n.Block > 0:
		style = screen.Bad
	case n.All() > 0:
		style = screen.Warn
	}
	if n.All() > 0 {
		s.Screen.Blank()
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	s.Screen.Text(0, 2, screen.Mark(style), screen.P(" "+first))
	for aside := range strings.Lines(rest) {
		s.Screen.Text(2, 4, screen.P(strings.TrimSpace(aside)))
	}
	if len(s.rules) == 0 {
		return
	}
	if s.Ignore {
		s.Screen.Text(0, 0, screen.P("To ignore a finding, say why in a comment on its line:"))
		for _, rule := range s.rules {
			s.Screen.Line(screen.P("    "), screen.T(screen.Name, "checkrein:ignore "+rule+" REASON"))
		}
	}
	s.Screen.Text(0, 2, screen.P("To ignore all of these from now on: "), screen.Command("checkrein scan --write-baseline FILE"), screen.P(", then "), screen.Command("checkrein scan --baseline FILE"))
}
