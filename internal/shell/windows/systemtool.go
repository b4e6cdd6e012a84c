package windows

import (
	"slices"
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

//go:generate go run ./gen

// A toolRow is what a tool of Windows or a cmdlet does with some arguments, a line of
// rows.txt.
type toolRow struct {
	name     string
	when     string // see fits
	label    shell.Label
	kind     string
	category shell.Category
	radius   shell.Impact
	reason   string
}

const reads = "only reads or prints"

// tool judges a program or a cmdlet by its rows: the first that fits counts.
func (r *reader) tool(name string, low []string, words string) bool {
	for i := firstRow(name); i < len(toolRows) && toolRows[i].name == name; i++ {
		if row := &toolRows[i]; fits(row.when, low, words) {
			r.add(shell.Effect{
				Label: row.label, Kind: row.kind, Category: row.category, Impact: row.reach(low),
				Words: facts.Short(words), Reason: row.reason,
			})
			return true
		}
	}
	return false
}

// firstRow returns where the rows of a name begin.
func firstRow(name string) int {
	return sort.Search(len(toolRows), func(i int) bool { return toolRows[i].name >= name })
}

// hasRow reports whether a name has rows.
func hasRow(name string) bool {
	i := firstRow(name)
	return i < len(toolRows) && toolRows[i].name == name
}

// aliasOf is the cmdlet that a short name stands for, or the name itself.
func aliasOf(name string) string {
	if row := facts.Lookup(aliases[:], name, func(a *[2]string) string { return a[0] }); row != nil {
		return row[1]
	}
	return name
}

// reach is the row's radius, or the one of what the arguments name.
func (row *toolRow) reach(low []string) shell.Impact {
	switch {
	case row.category == shell.FSPermissions && row.label == shell.Destructive:
		return wide(low)
	case row.category == shell.RegDelete && len(low) > 1:
		return hive(low[1])
	}
	return row.radius
}

// fits reports whether arguments, in lower case, are those of a row. One of the
// words, which spaces separate, must fit: an argument; ^ and the first one; ~ and
// a part of the text, with _ for a space; () for no arguments; ... for more than two; or several of these
// with & between them. Without words everything fits.
func fits(when string, low []string, text string) bool {
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
				fit = first(low) == part[1:]
			case part[0] == '~':
				fit = strings.Contains(lower(text), strings.ReplaceAll(part[1:], "_", " "))
			default:
				fit = slices.Contains(low, part)
			}
		}
	}
	return fit
}

// wide is the radius of a change of rights: it is high on a system's directory.
func wide(low []string) shell.Impact {
	for _, a := range low {
		if len(a) <= 3 && strings.HasSuffix(strings.TrimRight(a, `\`), ":") || strings.HasPrefix(a, `c:\windows`) || strings.HasPrefix(a, `c:\program`) || strings.HasPrefix(a, `c:\users`) {
			return shell.ImpactHigh
		}
	}
	return shell.ImpactMedium
}

// hive is the radius of what is lost in the registry: the machine's part is high.
func hive(low string) shell.Impact {
	if strings.HasPrefix(low, "hklm") || strings.Contains(low, "local_machine") {
		return shell.ImpactHigh
	}
	return shell.ImpactMedium
}
