package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestRowsAreValid checks the order of rows, and the notation of their options and operands.
func TestRowsAreValid(t *testing.T) {
	last := ""
	for row := range AllRows {
		if row.Name <= last {
			t.Errorf("%q must come before %q", row.Name, last)
		}
		last = row.Name
		first, _, kid := strings.Cut(row.Name, " ")
		if found, kids := findRow(first); found == nil || kid && !slices.ContainsFunc(kids, func(k Row) bool { return k.Name == row.Name }) {
			t.Errorf("%q is not found", row.Name)
		}
		seen := map[string]bool{}
		for one := range strings.FieldsSeq(row.Options) {
			names, role := one, ""
			if i := strings.IndexAny(one, "=?!"); i > 0 {
				names, role = one[:i], one[i+1:]
				if one[i] == '!' {
					if !slices.Contains(modes, role) {
						t.Errorf("%s: %q is not a mode", row.Name, one)
					}
					role = ""
				}
			}
			for name := range strings.SplitSeq(names, "|") {
				if len(name) < 2 && name != "-" || !strings.ContainsRune("-+/", rune(name[0])) || seen[name] {
					t.Errorf("%s: option %q of %q is invalid or repeated", row.Name, name, one)
				}
				seen[name] = true
			}
			if role != "argv|command" {
				checkRole(t, row, role)
			}
		}
		for one := range strings.SplitSeq(row.Words, ";") {
			if _, roles, ok := strings.Cut(one, ": "); ok {
				one = roles
			}
			for role := range strings.FieldsSeq(one) {
				if row.Runs == "" || !slices.Contains(forms, role) && role[0] != '=' {
					checkRole(t, row, strings.TrimSuffix(role, "…"))
				}
			}
		}
		checkRuns(t, row)
	}
}

var (
	modes = []string{"alone", "append", "argv", "bare", "check", "command", "loop", "module", "shell", "switch"}
	forms = []string{"--", "argv|command", "[architecture]", "[run]", "[version]"}
	ways  = []string{"apart", "away", "elevated", "here"}
	also  = []string{"clear", "judged", "outside", "rooted", "shell"}
)

// checkRuns checks the words in row.Runs, and that an operand or an option of the row is the command
// that it runs.
func checkRuns(t *testing.T, row *Row) {
	t.Helper()
	first, _, _ := strings.Cut(row.Name, " ")
	if program, _ := findRow(first); row.Runs != "" && program.Runs == "" {
		t.Errorf("%s runs a command, so %s must have Runs: %q", row.Name, first, runsBySubcommand)
	}
	if row.Runs == "" || row.Runs == runsBySubcommand {
		return
	}
	for i, word := range strings.Fields(row.Runs) {
		if i == 0 && !slices.Contains(ways, word) || i > 0 && !slices.Contains(also, word) {
			t.Errorf("%s: Runs %q: invalid word %s", row.Name, row.Runs, word)
		}
	}
	if at, _, _ := row.commandPosition(); at < 0 && !strings.Contains(row.Options, "=command") && !strings.Contains(row.Options, "=argv") {
		t.Errorf("%s: neither Words %q nor an option has the command that it runs", row.Name, row.Words)
	}
}

func checkRole(t *testing.T, row *Row, role string) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(role, "@"), ":")
	if _, ok := shell.RoleNamed(name); !ok && role != "" {
		t.Errorf("%s: unknown role %q", row.Name, role)
	}
}
