package windows

import (
	"slices"
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

//go:generate go run ./gen

// A toolRow is a line of rows.txt. It describes the effect of a Windows tool or a cmdlet with certain
// arguments.
type toolRow struct {
	name       string
	when       string // the condition on the arguments; see matchesWhen
	label      shell.Label
	kind       string
	category   shell.Category
	baseImpact shell.Impact
	reason     string
}

const reads = "only reads or prints"

// addRowEffect adds the effect of the program or cmdlet name by the first of its rows that matches.
// The slice low holds the arguments in lower case. It reports false if no row matches.
func (r *evaluator) addRowEffect(name string, low []string, words string) bool {
	for i := firstRowIndex(name); i < len(toolRows) && toolRows[i].name == name; i++ {
		if row := &toolRows[i]; matchesWhen(row.when, low, words) {
			r.addEffect(shell.Effect{
				Label: row.label, Kind: row.kind, Category: row.category, Impact: row.impact(low),
				Words: facts.ShortFirstLine(words), Reason: row.reason,
			})
			return true
		}
	}
	return false
}

// firstRowIndex returns the index of the first row of name, or of the row that would follow it.
func firstRowIndex(name string) int {
	return sort.Search(len(toolRows), func(i int) bool { return toolRows[i].name >= name })
}

// hasRow reports whether the program or cmdlet name has a row.
func hasRow(name string) bool {
	i := firstRowIndex(name)
	return i < len(toolRows) && toolRows[i].name == name
}

// resolveAlias returns the cmdlet that the alias name stands for, or name if it is not an alias.
func resolveAlias(name string) string {
	if row := facts.Lookup(aliases[:], name, func(a *[2]string) string { return a[0] }); row != nil {
		return row[1]
	}
	return name
}

// impact returns the impact of the row with the arguments low, on which it may depend.
func (row *toolRow) impact(low []string) shell.Impact {
	switch {
	case row.category == shell.FSPermissions && row.label == shell.Destructive:
		return permissionImpact(low)
	case row.category == shell.RegDelete && len(low) > 1:
		return registryImpact(low[1])
	}
	return row.baseImpact
}

// matchesWhen reports whether the arguments low, in lower case, match the condition of a row. One of
// the words in when, separated by spaces, must match: an argument; ^ and the first argument; ~ and a
// part of text, with _ for a space; () for no arguments; ... for more than two; or several of these
// joined by &. An empty condition always matches.
func matchesWhen(when string, low []string, text string) bool {
	fit := when == ""
	for when != "" && !fit {
		var one string
		one, when, _ = strings.Cut(when, " ")
		for fit = true; one != "" && fit; {
			var part string
			part, one, _ = strings.Cut(one, "&")
			switch {
			case part == "()":
				fit = len(low) == 0
			case part == "...":
				fit = len(low) > 2
			case part[0] == '^':
				fit = firstOrEmpty(low) == part[1:]
			case part[0] == '~':
				fit = strings.Contains(lower(text), strings.ReplaceAll(part[1:], "_", " "))
			default:
				fit = slices.Contains(low, part)
			}
		}
	}
	return fit
}

// permissionImpact returns the impact of changing permissions, which is high for a drive or a system
// directory.
func permissionImpact(low []string) shell.Impact {
	for _, a := range low {
		if len(a) <= 3 && strings.HasSuffix(strings.TrimRight(a, `\`), ":") || strings.HasPrefix(a, `c:\windows`) || strings.HasPrefix(a, `c:\program`) || strings.HasPrefix(a, `c:\users`) {
			return shell.ImpactHigh
		}
	}
	return shell.ImpactMedium
}

// registryImpact returns the impact of deleting low, a registry path in lower case. It is high in the
// machine's hive.
func registryImpact(low string) shell.Impact {
	if strings.HasPrefix(low, "hklm") || strings.Contains(low, "local_machine") {
		return shell.ImpactHigh
	}
	return shell.ImpactMedium
}
