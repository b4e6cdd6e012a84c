package report

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A terminalForm is the format human for a terminal. It shows each finding with its masked line, and
// at the end how to ignore findings.
type terminalForm struct {
	human
	rules []string // rules with findings
}

func (s *terminalForm) writeFinding(_ *bufio.Writer, f *scan.Finding) {
	if !f.Counts() {
		return
	}
	out, style := s.Screen, term.Bad
	if f.Severity != policy.Block {
		style = term.Warn
	}
	kind := f.Kind
	if f.Severity != policy.Block {
		kind += ", " + f.Severity.String()
	}
	head := []term.Span{term.Mark(style), term.P(" "), {Style: term.Strong, Text: fmt.Sprintf("%s:%d:%d", f.DisplayName(), f.Line, f.Column), Whole: true},
		term.P("  "), term.T(term.Name, f.Rule), term.P(" (" + kind + ")")}
	if f.Commit != "" {
		head = append(head, term.P(fmt.Sprintf(" in commit %.12s", f.Commit)))
	}
	out.Text(0, 4, head...)
	if e := f.Excerpt; e != nil {
		out.Line(term.T(term.Faint, "    "+tabsToSpaces(e.Before)), term.T(style, scan.Mask), term.T(term.Faint, tabsToSpaces(e.After)))
	}
	if f.Rule == policy.ObjectRule {
		out.Text(4, 4, term.P("object "+f.Object+" does not match its hash: run git fsck, then remove it and fetch it again"))
	} else if !slices.Contains(s.rules, f.Rule) {
		s.rules = append(s.rules, f.Rule)
	}
	if o := f.Origin; o != nil {
		out.Text(4, 4, term.T(term.Faint, "written by "+o.String()))
	}
}

func tabsToSpaces(text string) string { return strings.ReplaceAll(text, "\t", " ") }

func (s *terminalForm) writeTotals(_ *bufio.Writer, t *scan.Totals, n *Counts) {
	var b bytes.Buffer
	line := bufio.NewWriter(&b)
	s.human.writeTotals(line, t, n)
	_ = line.Flush()
	style := term.Good
	switch {
	case n.Block > 0:
		style = term.Bad
	case n.Total() > 0:
		style = term.Warn
	}
	if n.Total() > 0 {
		s.Screen.Blank()
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	s.Screen.Text(0, 2, term.Mark(style), term.P(" "+first))
	for aside := range strings.Lines(rest) {
		s.Screen.Text(2, 4, term.P(strings.TrimSpace(aside)))
	}
	if len(s.rules) == 0 {
		return
	}
	if s.Ignore {
		s.Screen.Text(0, 0, term.P("To ignore a finding, say why in a comment on its line:"))
		for _, rule := range s.rules {
			s.Screen.Line(term.P("    "), term.T(term.Name, "checkrein:ignore "+rule+" REASON"))
		}
	}
	s.Screen.Text(0, 2, term.P("To ignore all of these from now on: "), term.Command("checkrein scan --write-baseline FILE"), term.P(", then "), term.Command("checkrein scan --baseline FILE"))
}
