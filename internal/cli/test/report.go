package test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/junit"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A summaryOf counts results.
type summaryOf struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Updated int `json:"updated,omitempty"`
	Invalid int `json:"invalid"` // files
}

// A jsonCase is a result as --json prints it.
type jsonCase struct {
	Name     string              `json:"name"`
	Line     int                 `json:"line"`
	Passed   bool                `json:"passed"`
	Got      map[string][]string `json:"got"`
	Failures []failure           `json:"failures"`
	Problems []message.Message   `json:"problems,omitempty"`
	MS       int64               `json:"ms"`
}

// A jsonFile is the result of a file as --json prints it.
type jsonFile struct {
	File     string             `json:"file"`
	Policy   string             `json:"policy,omitempty"`
	Problems []problems.Problem `json:"problems,omitempty"`
	Cases    []jsonCase         `json:"cases"`
	Coverage []gap              `json:"coverage,omitempty"`
}

// report prints the results and writes them to the file of --junit. The error sets the exit code.
func (c *command) report(all []*fileResult) error {
	var sum summaryOf
	for _, f := range all {
		if len(f.problems) > 0 {
			sum.Invalid++
		}
		for _, r := range f.results {
			switch {
			case r.updated:
				sum.Updated++
			case r.hasPassed():
				sum.Passed++
			default:
				sum.Failed++
			}
		}
	}
	if c.junit != "" {
		if err := c.writeJUnit(all); err != nil {
			return base.AsFailure(fmt.Errorf("--junit: %w", err))
		}
	}
	if err := c.print(all, sum); err != nil {
		return err
	}
	switch {
	case sum.Invalid > 0:
		return &base.Exit{Code: console.Config, Err: errors.New("a file is not valid"), Quiet: true}
	default:
		return base.OrFinding(nil, sum.Failed > 0, "a case failed")
	}
}

// print prints the results, as JSON with --json.
func (c *command) print(all []*fileResult, sum summaryOf) error {
	if c.asJSON {
		files := []jsonFile{}
		for _, f := range all {
			files = append(files, f.json())
		}
		return base.PrintJSON(c.env, map[string]any{"version": 1, "files": files, "summary": sum})
	}
	show := problems.Printer{Screen: base.Screen(c.env, c.env.Stderr), Dir: c.env.Dir}
	for _, f := range all {
		for i := range f.problems {
			show.Print(&f.problems[i])
		}
	}
	out := report.New(c.env)
	table := &term.Table{Columns: []term.Column{{}, {Title: "file", Least: 12, Give: 2}, {Title: "case", Least: 16, Give: 3}, {Title: "expected", Least: 12, Give: 1}, {Title: "got", Least: 12, Give: 1}}}
	for _, f := range all {
		for _, r := range f.results {
			table.AddRow(r.row(base.RelativePath(c.env.Dir, f.path))...)
		}
	}
	if table.RowCount() > 0 {
		out.Table(0, table)
	}
	shown := map[string]bool{}
	for _, f := range all {
		for _, r := range f.results {
			r.addDetails(out, base.RelativePath(c.env.Dir, f.path), shown)
		}
	}
	if c.coverage {
		addGaps(out, c.env, all)
	}
	out.Blank()
	out.Line(sum.spans(len(all))...)
	return out.Show()
}

// row returns the row of r in the table.
func (r *result) row(file string) [][]term.Span {
	mark, expected, got := term.Good, "", ""
	switch {
	case r.updated:
		mark = term.Warn
	case !r.hasPassed():
		mark = term.Bad
	}
	if r.expect != nil {
		expected = summary(r.expect, (*check).expectedValues)
	}
	if r.decision != nil {
		got = r.decision.summary(r.expect)
	}
	one := func(text string) []term.Span {
		return []term.Span{term.P(base.Truncate(base.OneLine(text), base.MaxCell))}
	}
	return [][]term.Span{{term.Mark(mark)}, one(file), one(r.label), one(expected), one(got)}
}

// summary returns what d has for the keys of expect or, if there is no expectation yet, its answer and
// rule, in one line. Of several rules it shows the main one.
func (d *decision) summary(expect *yamldoc.Node) string {
	return summary(cmp.Or(expect, starterExpect), func(c *check, _ *yamldoc.Node) []string {
		got := c.got(d)
		if c.name == "rule" {
			return got[:min(1, len(got))]
		}
		return got
	})
}

// starterExpect has the keys that --update writes into a case without expectation.
var starterExpect = &yamldoc.Node{Kind: yamldoc.Map, Pairs: []yamldoc.Pair{{Key: "answer", Value: &yamldoc.Node{}}, {Key: "rule", Value: &yamldoc.Node{}}}}

// addDetails adds why r failed, if it did. Remedies that were shown are not repeated.
func (r *result) addDetails(out *report.Report, file string, shown map[string]bool) {
	if r.hasPassed() {
		return
	}
	out.BeginSection("")
	out.Line(term.Mark(term.Bad), term.T(term.Strong, fmt.Sprintf(" %s:%d", file, r.node.Line)), term.P("  "+base.OneLine(r.label)))
	for _, m := range r.obstacles {
		if shown[m.What] {
			m.Remedies = nil
		}
		shown[m.What] = true
		out.AddFinding(term.Bad, "", m)
	}
	for _, f := range r.failures {
		out.Text(2, 4, term.T(term.Strong, f.Key))
		for _, side := range []struct {
			label string
			list  []string
		}{{"expected", f.Expected}, {"got", f.Got}} {
			out.Text(4, 4+report.LabelWidth, term.Label(side.label, report.LabelWidth), term.Lines(cmp.Or(strings.Join(side.list, "\n"), "nothing")))
		}
	}
}

// addGaps adds what no case reached.
func addGaps(out *report.Report, env *console.Env, all []*fileResult) {
	out.BeginSection("Not reached")
	n := 0
	for _, f := range all {
		for i := range f.gaps {
			g := &f.gaps[i]
			where := base.RelativePath(env.Dir, g.File)
			if g.Line > 0 {
				where += fmt.Sprintf(":%d", g.Line)
			}
			out.Text(2, 4, term.T(term.Strong, where+": "), term.P(g.text()))
			n++
		}
	}
	if n == 0 {
		out.Text(2, 4, term.P("nothing: cases reach every hook, and every part of a condition is both true and false"))
	}
}

// spans returns the counts as a line.
func (s *summaryOf) spans(files int) []term.Span {
	var out []term.Span
	for _, part := range []struct {
		n     int
		word  string
		style term.Style
	}{{s.Failed, "failed", term.Bad}, {s.Passed, "passed", term.Good}, {s.Updated, "updated", term.Warn}} {
		if part.n > 0 {
			out = append(out, term.T(part.style, fmt.Sprintf("%d %s", part.n, part.word)), term.P(", "))
		}
	}
	if s.Invalid > 0 {
		out = append(out, term.T(term.Bad, base.Amount(s.Invalid, "invalid file")), term.P(", "))
	}
	return append(out, term.P(base.Amount(files, "file")))
}

// json returns the result of f as --json prints it.
func (f *fileResult) json() jsonFile {
	out := jsonFile{File: f.path, Policy: f.policy, Problems: f.problems, Cases: []jsonCase{}, Coverage: f.gaps}
	for _, r := range f.results {
		one := jsonCase{Name: r.label, Line: r.node.Line, Passed: r.hasPassed(), Got: map[string][]string{}, Failures: r.failures, Problems: r.obstacles, MS: r.took.Milliseconds()}
		if one.Failures == nil {
			one.Failures = []failure{}
		}
		for i := range checks {
			if r.decision != nil {
				one.Got[checks[i].name] = orEmpty(checks[i].got(r.decision))
			}
		}
		out.Cases = append(out.Cases, one)
	}
	return out
}

// failureText returns why r failed, as plain text.
func (r *result) failureText() string {
	var out []string
	for _, m := range r.obstacles {
		out = append(out, m.Sentences())
	}
	for _, f := range r.failures {
		out = append(out, fmt.Sprintf("%s: expected %s, got %s", f.Key, cmp.Or(strings.Join(f.Expected, ", "), "nothing"), cmp.Or(strings.Join(f.Got, ", "), "nothing")))
	}
	return strings.Join(out, "\n")
}

// writeJUnit writes the results as JUnit XML.
func (c *command) writeJUnit(all []*fileResult) error {
	var suites []junit.Suite
	for _, f := range all {
		name := base.RelativePath(c.env.Dir, f.path)
		s := junit.Suite{Name: name}
		for _, r := range f.results {
			one := junit.Case{Class: name, Name: r.label, Took: r.took}
			if text := r.failureText(); text != "" {
				first, _, _ := strings.Cut(text, "\n")
				one.Failure = &junit.Note{Message: first, Text: text}
			}
			s.Cases = append(s.Cases, one)
		}
		for i := range f.problems {
			p := &f.problems[i]
			s.Cases = append(s.Cases, junit.Case{Class: name, Name: fmt.Sprintf("%s:%d", base.RelativePath(c.env.Dir, p.File), p.Line), Error: &junit.Note{Message: p.What, Text: p.Sentences()}})
		}
		suites = append(suites, s)
	}
	return junit.WriteFile(c.env.Path(c.junit), "checkrein test", suites...)
}
