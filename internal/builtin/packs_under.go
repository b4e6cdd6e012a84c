package builtin

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// Under says what a line such as {name: git, high: ask} changes beside one call: the
// categories of the pack that would be decided more mildly than usual, and those that
// would be more strictly. Calls of a category may reach further than they mostly do, so
// that the milder ones are all that may come under the key.
func Under(pack, key string, to checkrein.Decision) (milder, stricter []string) {
	at := slices.Index(checkrein.PackKeys[:], key)
	if at < 0 {
		return nil, nil
	}
	radius := shell.Radius(at)
	if radius > shell.RadiusUnknown { // what is sent away, however far that reaches
		radius = shell.RadiusHigh
	}
	shell.Categories(func(c shell.Category, row *shell.Row) {
		e := shell.Effect{Label: row.Label, Category: c, Radius: radius}
		if row.PackName() != pack || keyOf(&e) != at || !counts(&e, row) {
			return
		}
		switch usually := usual(&e, row); {
		case usually > to:
			milder = append(milder, row.Name)
		case usually < to && (row.Radius == radius || e.Label == shell.Exfiltration):
			stricter = append(stricter, row.Name)
		}
	})
	return milder, stricter
}
