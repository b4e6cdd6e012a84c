package desk

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// maxShown is how many bytes of a value of a record are shown to people; the
// record itself has more of it.
const maxShown = 4 << 10

// partText is a value as people read it: redacted already, and of a long one
// the head and the tail.
func partText(p *record.Part) string {
	if p == nil {
		return ""
	}
	var text string
	switch {
	case len(p.JSON) > 0:
		text = string(bytes.TrimSpace(p.JSON))
	case p.Text != "":
		text = p.Text
	case p.Head != "" || p.Tail != "":
		left := max(0, p.Bytes-len(p.Head)-len(p.Tail))
		return clip(p.Head) + fmt.Sprintf("\n[… about %s left out …]\n", base.Amount(left, "byte")) + clip(p.Tail)
	case p.Bytes == 0:
		return "(empty)"
	default:
		return fmt.Sprintf("(%s, not kept)", base.Amount(p.Bytes, "byte"))
	}
	return clip(text)
}

// clip cuts a value that is too long to read, at a character.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cutAt := maxShown
	for cutAt > 0 && s[cutAt]&0xC0 == 0x80 {
		cutAt--
	}
	return s[:cutAt] + fmt.Sprintf(" [… %s more: --json shows them]", base.Amount(len(s)-cutAt, "byte"))
}

// quoted lists names for a sentence.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = `"` + visible.Line(n) + `"`
	}
	return strings.Join(out, ", ")
}
