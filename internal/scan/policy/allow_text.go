package policy

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// CanAllow reports whether the policy's file can have allow entries. A content-guard policy cannot.
func (p *Policy) CanAllow() bool { return !p.guard }

// AllowText returns the text that adds entries, each a JSON object, to the policy's file, and where in
// the file it belongs. If there is no file yet, where is "".
func (p *Policy) AllowText(entries []string) (text, where string) {
	if p.File == "" {
		return allowKey + blockItems("  ", entries), ""
	}
	src, err := readPolicyFile(p.File)
	if err != nil {
		src = nil
	}
	return addEntriesText(src, entries)
}

// addEntriesText returns the text that adds entries to src, the content of a policy file, and where it
// belongs.
func addEntriesText(src []byte, entries []string) (text, where string) {
	root, _, err := yamldoc.Parse(src)
	if err != nil || root.IsNull() {
		return allowKey + blockItems("  ", entries), "at the end"
	}
	lines := strings.Split(string(src), "\n")
	begin := firstContentLine(lines, 0)
	flow := strings.HasPrefix(strings.TrimSpace(lines[begin]), "{")
	for _, pair := range root.Pairs {
		if pair.Key != "allow" {
			continue
		}
		if first := firstContentLine(lines, pair.Line); !flow && pair.Value.IsNull() {
			return blockItems(indentation(lines[pair.Line-1])+"  ", entries), fmt.Sprintf("below line %d", pair.Line)
		} else if !flow && len(pair.Value.Items) > 0 && strings.HasPrefix(strings.TrimSpace(lines[first]), "-") {
			return blockItems(indentation(lines[first]), entries), fmt.Sprintf("below line %d", pair.Line)
		}
		return flowItems(entries, len(pair.Value.Items) > 0), fmt.Sprintf("after the [ of allow in line %d", pair.Line)
	}
	if !flow {
		in := indentation(lines[begin])
		return in + allowKey + blockItems(in+"  ", entries), "at the end"
	}
	text = "\"allow\": [\n" + flowItems(entries, false) + "]"
	if len(root.Pairs) > 0 {
		text += ","
	}
	return text + "\n", fmt.Sprintf("after the { in line %d", begin+1)
}

const allowKey = "allow:\n"

// blockItems returns the entries as items of a list in block style.
func blockItems(indent string, entries []string) string {
	return indent + "- " + strings.Join(entries, "\n"+indent+"- ") + "\n"
}

// flowItems returns the entries as the first items of a list in brackets. If continued is set,
// other items follow.
func flowItems(entries []string, continued bool) string {
	text := "  " + strings.Join(entries, ",\n  ")
	if continued {
		text += ","
	}
	return text + "\n"
}

// firstContentLine returns the index of the first of lines from i that is not empty, a comment or ---,
// or of the last line.
func firstContentLine(lines []string, i int) int {
	for ; i < len(lines)-1; i++ {
		if l := strings.TrimSpace(lines[i]); l != "" && l[0] != '#' && l != "---" {
			return i
		}
	}
	return len(lines) - 1
}

// indentation returns the spaces at the start of line.
func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }
