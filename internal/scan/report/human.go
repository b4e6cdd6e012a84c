package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A human writes findings as file:line:column: rule (kind), which editors understand.
type human struct{ Options }

func (h *human) writeBegin(*bufio.Writer) {}

func (h *human) writeFinding(out *bufio.Writer, f *scan.Finding) {
	if !f.Counts() {
		return
	}
	fmt.Fprintf(out, "%s:%d:%d: %s (%s", visible.EscapeLine(f.DisplayName()), f.Line, f.Column, f.Rule, f.Kind)
	if f.Severity != policy.Block {
		fmt.Fprintf(out, ", %s", f.Severity)
	}
	out.WriteByte(')')
	if f.Commit != "" {
		fmt.Fprintf(out, " in commit %.12s", f.Commit)
	}
	out.WriteByte('\n')
	if f.Rule == policy.ObjectRule {
		fmt.Fprintf(out, "  object %s does not match its hash: run git fsck, then remove it and fetch it again\n", f.Object)
	}
	if o := f.Origin; o != nil {
		fmt.Fprintf(out, "  written by %s\n", visible.EscapeLine(o.String()))
	}
}

func (h *human) writeTotals(out *bufio.Writer, t *scan.Totals, n *Counts) {
	switch {
	case !h.Git:
		fmt.Fprintf(out, "%s in %s, %s%s", pluralCount(n.Total(), "finding"), FileCount(t), pluralCount(t.Bytes, "byte"), strings.TrimPrefix(n.Summary(), pluralCount(n.Total(), "finding")))
	case t.Commits == 0: // staged files were scanned
		fmt.Fprintf(out, "scanned %s, %s: %s", FileCount(t), pluralCount(t.Bytes, "byte"), n.Summary())
	default:
		fmt.Fprintf(out, "scanned %s, %s, %s: %s", pluralCount(t.Commits, "commit"), FileCount(t), pluralCount(t.Bytes, "byte"), n.Summary())
	}
	fmt.Fprintf(out, " (policy %s", visible.EscapeLine(h.Policy))
	if h.File != "" {
		fmt.Fprintf(out, ", from %s", visible.EscapeLine(h.File))
	}
	out.WriteString(")\n")
	for _, aside := range Remarks(t, n) {
		fmt.Fprintf(out, "  %s\n", aside)
	}
}
