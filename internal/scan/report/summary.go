package report

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/scan"
)

// Files returns how many files were looked at, whether all of them could be read or not.
func Files(t *scan.Totals) string { return count(t.Files+t.Binary+t.Sealed, "file") }

// Said returns how many findings there are, and what comes of them.
func (c *Counts) Said() string {
	all, rest := c.All(), c.Warn+c.Info
	text := count(all, "finding")
	switch {
	case all == 0:
	case all == 1 && rest == 0:
		text += "; it blocks"
	case all == 1:
		text += "; it does not block"
	case rest == 0:
		text += "; all of them block"
	case c.Block == 0:
		text += "; none of them blocks"
	default:
		text += "; " + several(c.Block, "blocks", "block") + ", " + several(rest, "does not", "do not")
	}
	return text
}

// Asides are what there is to know beside the findings, a sentence each: what does not
// count, and what was not looked at in full.
func Asides(t *scan.Totals, n *Counts) []string {
	var out []string
	for _, aside := range [...]struct {
		n         int
		one, many string
	}{
		{n.Allowed, "finding does not count: the policy, a comment or a baseline allows it", "findings do not count: the policy, a comment or a baseline allows them"},
		{t.Repeated, "finding does not count: an earlier commit has the same one", "findings do not count: earlier commits have the same ones"},
		{t.Binary, "file is binary: it was searched for tokens and keys only", "files are binary: they were searched for tokens and keys only"},
		{t.Sealed, "file is compressed: its compressed bytes were scanned, not its contents. To scan the contents, decompress it first", "files are compressed: their compressed bytes were scanned, not their contents. To scan the contents, decompress them first"},
		{t.Dense, "file is generated or minified: it was not searched for personal data and host names", "files are generated or minified: they were not searched for personal data and host names"},
		{t.Ignored, "file or folder was not scanned, because git ignores it", "files and folders were not scanned, because git ignores them"},
		{t.Left, "file was not scanned, because the policy or .checkreinignore excludes it", "files were not scanned, because the policy or .checkreinignore excludes them"},
		{t.Skipped, "symbolic link or special file was not followed", "symbolic links or special files were not followed"},
	} {
		if aside.n > 0 {
			out = append(out, several(aside.n, aside.one, aside.many))
		}
	}
	return out
}

func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// count is a number of things.
func count[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
