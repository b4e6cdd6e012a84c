// Package report writes the findings of a scan: for people, as JSON, as SARIF for code scanning
// services, and as annotations for GitHub workflows. Reports are written finding by finding, and none
// contains the found text.
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Formats are the names of the formats.
var Formats = []string{"human", "json", "sarif", "github"}

// A Report is a report being written. It is not safe for concurrent use.
type Report struct {
	out    *bufio.Writer
	form   reportForm
	Counts Counts
}

// Counts are the numbers of findings.
type Counts struct {
	Block, Warn, Info int
	Allowed           int // allowed findings, which do not count
}

// All returns how many findings count.
func (c *Counts) All() int { return c.Block + c.Warn + c.Info }

// Options are the contents of a report apart from the findings.
type Options struct {
	Version string // of the program
	Policy  string // its name
	File    string // the file of the policy; "" means that it comes with checkrein
	Git     bool   // commits or the index were scanned
	// Screen is the terminal for the human form; nil means plain text for editors and pipes.
	Screen *term.Screen
	Ignore bool // a comment on the line can excuse a finding
}

// policyName returns the policy's name with its file, for programs.
func (o *Options) policyName() string {
	if o.File == "" {
		return o.Policy
	}
	return o.Policy + " (" + o.File + ")"
}

// A reportForm writes one format.
type reportForm interface {
	begin(out *bufio.Writer)
	add(out *bufio.Writer, f *scan.Finding)
	end(out *bufio.Writer, t *scan.Totals, n *Counts)
}

// New begins a report in format, which must be one of Formats.
func New(w io.Writer, format string, o Options) (*Report, error) {
	r := &Report{out: bufio.NewWriterSize(w, 32<<10)}
	switch format {
	case "", "human":
		r.form = &human{o}
		if o.Screen != nil {
			r.form = &terminalForm{human: human{o}}
		}
	case "json":
		r.form = &jsonForm{Options: o}
	case "sarif":
		r.form = &sarifForm{Options: o}
	case "github":
		r.form = &githubForm{human{o}}
	default:
		return nil, fmt.Errorf("unknown format %q%s", format, suggest.HintOr(format, Formats, "must be one of "+strings.Join(Formats, ", ")))
	}
	r.form.begin(r.out)
	return r, nil
}

// Add writes a finding.
func (r *Report) Add(f *scan.Finding) {
	switch {
	case !f.Counts():
		r.Counts.Allowed++
	case f.Severity == policy.Block:
		r.Counts.Block++
	case f.Severity == policy.Warn:
		r.Counts.Warn++
	default:
		r.Counts.Info++
	}
	r.form.add(r.out, f)
}

// Flush writes buffered output, so that other output can follow.
func (r *Report) Flush() error { return r.out.Flush() }

// End writes the totals and ends the report.
func (r *Report) End(t *scan.Totals) error {
	r.form.end(r.out, t, &r.Counts)
	return r.out.Flush()
}

// describeRule returns a description of what a rule finds.
func describeRule(rules []secret.Info, f *policy.Finding) string {
	switch f.Rule {
	case policy.WordRule:
		return "a word that the policy forbids"
	case policy.IgnoreRule:
		return "an ignore comment without a reason has no effect"
	case policy.ObjectRule:
		return "a Git object that does not match its hash"
	}
	for i := range rules {
		if rules[i].ID == f.Rule {
			return rules[i].About
		}
	}
	return "a pattern in the policy"
}
