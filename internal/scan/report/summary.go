package report

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/scan"
)

// FileCount returns the number of scanned files in words, including binary and compressed ones.
func FileCount(t *scan.Totals) string { return pluralCount(t.Files+t.Binary+t.Compressed, "file") }

// Summary returns the number of findings in words, and how many of them block.
func (c *Counts) Summary() string {
	all, rest := c.Total(), c.Warn+c.Info
	text := pluralCount(all, "finding")
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
		text += "; " + countPhrase(c.Block, "blocks", "block") + ", " + countPhrase(rest, "does not", "do not")
	}
	return text
}

// Remarks returns a sentence for each kind of result in t and n that is not a new finding: allowed
// findings, repeated findings, and files that were not fully scanned.
func Remarks(t *scan.Totals, n *Counts) []string {
	var out []string
	for _, aside := range [...]struct {
		n         int
		one, many string
	}{
		{n.Allowed, "finding does not count: the policy, a comment or a baseline allows it", "findings do not count: the policy, a comment or a baseline allows them"},
		{t.Repeated, "finding does not count: an earlier commit has the same one", "findings do not count: earlier commits have the same ones"},
		{t.Binary, "file is binary: it was searched for tokens and keys only", "files are binary: they were searched for tokens and keys only"},
		{t.Compressed, "file is compressed: its compressed bytes were scanned, not its contents. To scan the contents, decompress it first", "files are compressed: their compressed bytes were scanned, not their contents. To scan the contents, decompress them first"},
		{t.Dense, "file is generated or minified: it was not searched for personal data or host names", "files are generated or minified: they were not searched for personal data or host names"},
		{t.Ignored, "file or folder was not scanned, because git ignores it", "files and folders were not scanned, because git ignores them"},
		{t.Excluded, "file was not scanned, because the policy or .checkreinignore excludes it", "files were not scanned, because the policy or .checkreinignore excludes them"},
		{t.Skipped, "symbolic link or special file was not followed", "symbolic links or special files were not followed"},
	} {
		if aside.n > 0 {
			out = append(out, countPhrase(aside.n, aside.one, aside.many))
		}
	}
	return out
}

// countPhrase returns n followed by one if n is 1, and by many otherwise.
func countPhrase(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// pluralCount returns n and thing, in the plural unless n is 1, such as "3 files".
func pluralCount[N int | int64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
