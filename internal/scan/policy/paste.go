package policy

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// CanAllow reports whether the policy's file can have allow entries. Files of content-guard cannot.
func (p *Policy) CanAllow() bool { return !p.guard }

// AllowText returns the text that adds entries to the policy's file, and where in the file it goes; ""
// means that there is no file yet. Each entry is a JSON object.
func (p *Policy) AllowText(entries []string) (text, where string) {
	if p.File == "" {
		return allowKey + itemLines("  ", entries), ""
	}
	src, err := readPolicyFile(p.File)
	if err != nil {
		src = nil
	}
	return addEntriesText(src, entries)
}

// addEntriesText returns the text that adds entries to a file, and where it goes.
func addEntriesText(src []byte, entries []string) (text, where string) {
	root, _, err := yamldoc.Parse(src)
	if err != nil || root.IsNull() {
		return allowKey + itemLines("  ", entries), "at the end"
	}
	lines := strings.Split(string(src), "\n")
	begin := firstLine(lines, 0)
	flow := strings.HasPrefix(strings.TrimSpace(lines[begin]), "{")
	for _, pair := range root.Pairs {
		if pair.Key != "allow" {
			continue
		}
		if first := firstLine(lines, pair.Line); !flow && pair.Value.IsNull() {
			return itemLines(margin(lines[pair.Line-1])+"  ", entries), fmt.Sprintf("below line %d", pair.Line)
		} else if !flow && len(pair.Value.Items) > 0 && strings.HasPrefix(strings.TrimSpace(lines[first]), "-") {
			return itemLines(margin(lines[first]), entries), fmt.Sprintf("below line %d", pair.Line)
		}
		return flowLines(entries, len(pair.Value.Items) > 0), fmt.Sprintf("after the [ of allow in line %d", pair.Line)
	}
	if !flow {
		in := margin(lines[begin])
		return in + allowKey + itemLines(in+"  ", entries), "at the end"
	}
	text = "\"allow\": [\n" + flowLines(entries, false) + "]"
	if len(root.Pairs) > 0 {
		text += ","
	}
	return text + "\n", fmt.Sprintf("after the { in line %d", begin+1)
}

const allowKey = "allow:\n"

// itemLines returns the entries as items of a list in block style.
func itemLines(indent string, entries []string) string {
	return indent + "- " + strings.Join(entries, "\n"+indent+"- ") + "\n"
}

// flowLines returns the entries as the first items of a list in brackets. If more is set, other items
// follow.
func flowLines(entries []string, more bool) string {
	text := "  " + strings.Join(entries, ",\n  ")
	if more {
		text += ","
	}
	return text + "\n"
}

// firstLine returns the index of the first line from i that has content, or the last one.
func firstLine(lines []string, i int) int {
	for ; i < len(lines)-1; i++ {
		if l := strings.TrimSpace(lines[i]); l != "" && l[0] != '#' && l != "---" {
			return i
		}
	}
	return len(lines) - 1
}

// margin returns the indentation of a line.
func margin(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }
