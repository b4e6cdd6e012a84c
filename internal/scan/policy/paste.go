package policy

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// CanAllow reports whether entries of allow count in the policy's file. Content-guard's
// files have none.
func (p *Policy) CanAllow() bool { return !p.guard }

// AllowText returns the text that adds entries to the policy's file, and where in the file
// it goes; "" = there is no file yet. Each entry is a JSON object.
func (p *Policy) AllowText(entries []string) (text, where string) {
	items := "  - " + strings.Join(entries, "\n  - ") + "\n"
	if p.File == "" {
		return "allow:\n" + items, ""
	}
	src, err := content(p.File)
	if err != nil {
		src = nil
	}
	if root, _, err := yamldoc.Parse(src); err == nil {
		for _, pair := range root.Pairs {
			if pair.Key == "allow" {
				return items, fmt.Sprintf("in the list of line %d", pair.Line)
			}
		}
	}
	return "allow:\n" + items, "at the end"
}
