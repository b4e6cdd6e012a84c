package report

import (
	"bufio"
	"fmt"

	"github.com/checkrein/checkrein/internal/boundary"
	"github.com/checkrein/checkrein/internal/policy"
	"github.com/checkrein/checkrein/internal/trust"
)

// human is file:line:column: rule (kind), which editors understand.
type human struct{ Options }

func (h *human) begin(*bufio.Writer) {}

func (h *human) add(out *bufio.Writer, f *boundary.Finding) {
	if !f.Counts() {
		return
	}
	fmt.Fprintf(out, "%s:%d:%d: %s (%s", trust.VisibleLine(f.Name()), f.Line, f.Column, f.Rule, f.Kind)
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
		fmt.Fprintf(out, "  written by %s\n", trust.VisibleLine(o.String()))
	}
}

func (h *human) end(out *bufio.Writer, t *boundary.Totals, n *Counts) {
	if h.Git {
		fmt.Fprintf(out, "scanned %s, %s, %s", count(t.Commits, "commit"), count(t.Files, "file"), count(t.Bytes, "byte"))
		if t.Known > 0 {
			fmt.Fprintf(out, " (%d already known to be clean)", t.Known)
		}
		fmt.Fprintf(out, ": %s", count(n.All(), "finding"))
	} else {
		fmt.Fprintf(out, "%s in %s, %s", count(n.All(), "finding"), count(t.Files, "file"), count(t.Bytes, "byte"))
	}
	if n.All() > 0 {
		block := "block"
		if n.Block == 1 {
			block += "s"
		}
		fmt.Fprintf(out, "; %d of them %s", n.Block, block)
	}
	for _, part := range [...]struct {
		n    int
		text string
	}{
		{n.Allowed, "; allowed: %d"},
		{t.Repeated, "; the same in later commits: %d"},
		{t.Binary, "; binary, searched for tokens and keys only: %d"},
		{t.Sealed, "; not searched: %d compressed"},
		{t.Ignored, "; not looked at: %d ignored by git"},
		{t.Left, "; left out: %d"},
		{t.Skipped, "; not followed: %d symbolic links or special files"},
		{t.Dense, "; generated or minified: %d"},
	} {
		if part.n > 0 {
			fmt.Fprintf(out, part.text, part.n)
		}
	}
	fmt.Fprintf(out, " (policy %s)\n", trust.VisibleLine(h.Policy))
}

// count is a number of things.
func count[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
