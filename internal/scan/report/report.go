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

// Formats lists the names of the formats.
var Formats = []string{"human", "json", "sarif", "github"}

// A Report writes the findings of a scan in one format. It is not safe for concurrent use.
type Report struct {
	out    *bufio.Writer
	form   reportForm
	Counts Counts
}

// Counts holds numbers of findings by severity.
type Counts struct {
	Block, Warn, Info int
	Allowed           int // allowed findings, which do not count
}

// Total returns the number of findings that are not allowed.
func (c *Counts) Total() int { return c.Block + c.Warn + c.Info }

// Options holds the parts of a report other than the findings.
type Options struct {
	Version string // version of the program
	Policy  string // the name of the policy
	File    string // the file of the policy; "" for a bundled one
	Git     bool   // commits or the index were scanned
	// Screen is the terminal for the format human; nil means plain text for editors and pipes.
	Screen *term.Screen
	Ignore bool // a comment on the line of a finding can allow it
}

// policyName returns the name of the policy with its file, for formats that programs read.
func (o *Options) policyName() string {
	if o.File == "" {
		return o.Policy
	}
	return o.Policy + " (" + o.File + ")"
}

// A reportForm writes one format.
type reportForm interface {
	writeBegin(out *bufio.Writer)
	writeFinding(out *bufio.Writer, f *scan.Finding)
	writeTotals(out *bufio.Writer, t *scan.Totals, n *Counts)
}

// New returns a report that writes to w in format, which must be one of Formats or "" for human.
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
	r.form.writeBegin(r.out)
	return r, nil
}

// Add writes and counts the finding f.
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
	r.form.writeFinding(r.out, f)
}

// Flush writes buffered output, so that other output can follow.
func (r *Report) Flush() error { return r.out.Flush() }

// End writes the totals t and the end of the report.
func (r *Report) End(t *scan.Totals) error {
	r.form.writeTotals(r.out, t, &r.Counts)
	return r.out.Flush()
}

// describeRule returns a description of what the rule of f finds.
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
