package hot

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell/files"
)

var helpLine = regexp.MustCompile(`(?m)^  (--?[a-z-]+(?:EVENT)?)( [A-Z][A-Z.]*)?`)

// The list of commands that agents may run includes those of the hot program, with the options in
// their help.
func TestCommandsForAgentsAreListed(t *testing.T) {
	t.Parallel()
	rows := map[string]files.OwnCommand{}
	for _, row := range files.OwnCommands() {
		rows[row.Name] = row
	}
	helps := map[string]string{"eval": evalHelp, "classify": classifyHelp, "scan": scanHelp, "redact": redactHelp}
	for _, c := range commands {
		row, ok := rows[c.name]
		if !ok {
			t.Errorf("%q is in no list: say in internal/shell/files/checkrein.go who may run it", c.name)
		}
		if strings.HasPrefix(c.name, "_") != (row.Audience == files.Internal) {
			t.Errorf("%q is listed as %d", c.name, row.Audience)
		}
		help, ok := helps[c.name]
		if !ok {
			if row.Audience == files.Agents && row.Allowed+row.Denied != "" {
				t.Errorf("%q has options in the list, but its help is not compared with them", c.name)
			}
			continue
		}
		listed := map[string]bool{}
		for o := range strings.FieldsSeq(row.Allowed + " " + row.Denied) {
			listed[o] = true
		}
		for _, m := range helpLine.FindAllStringSubmatch(help, -1) {
			o := m[1]
			if m[2] != "" {
				o += "="
			}
			if !listed[o] && !slices.Contains(strings.Fields(files.CommonOptions), o) {
				t.Errorf("%q: option %s is in no list: say in internal/shell/files/checkrein.go whether agents may give it", c.name, o)
			}
			delete(listed, o)
		}
		delete(listed, "--json") // the help of scan names it beside --format
		for o := range listed {
			t.Errorf("%q: its help has no option %s", c.name, o)
		}
	}
}
