package packguard

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/shell"
)

// Under returns what a line such as {name: git, high: ask} changes beside one call,
// compared with the defaults: the categories of the pack that are then decided more
// mildly, and those that are decided more strictly. Calls of a category may reach
// further than they mostly do, so that the milder ones are all that may come under the
// key.
func Under(pack, key string, to checkrein.Decision) (milder, stricter []string) {
	at := slices.Index(checkrein.PackKeys[:], key)
	if _, known := shell.PackNamed(pack); at < 0 || !known {
		return nil, nil
	}
	usually, then := guard{Part: packset.Usual(pack)}, guard{Part: packset.Usual(pack)}
	then.By[at] = packset.Level{Min: to}
	radius := shell.Radius(at)
	if radius > shell.RadiusUnknown { // what is sent away, however far that reaches
		radius = shell.RadiusHigh
	}
	shell.Categories(func(c shell.Category, row *shell.Row) {
		e := shell.Effect{Label: row.Label, Category: c, Radius: radius}
		if keyOf(&e) != at {
			return
		}
		switch was, is := usually.about(&e, &shell.Place{}), then.about(&e, &shell.Place{}); {
		case was > is:
			milder = append(milder, row.Name)
		case was < is && (row.Radius == radius || e.Label == shell.Exfiltration):
			stricter = append(stricter, row.Name)
		}
	})
	return milder, stricter
}
