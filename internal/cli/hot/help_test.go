package hot

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The help of the hot program's commands fits 80 columns, except for examples, which are for copying.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for name, help := range map[string]string{
		"eval": evalHelp, "classify": classifyHelp, "scan": scanHelp, "redact": redactHelp, "git": gitHookHelp, "hook": hookUsage(),
	} {
		before, after, _ := strings.Cut(help, "\nExamples:\n")
		_, after, _ = strings.Cut(after, "\n\n")
		for line := range strings.SplitSeq(before+"\n"+after, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s --help has a line of more than 80 columns:\n%s", name, line)
			}
		}
	}
}
