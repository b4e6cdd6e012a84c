package builtin

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// Acts says what a shell call does, for conditions. A command that names no path
// touches the directory in which it runs.
func Acts(ev *checkrein.Event, dir, home string) checkrein.Acts {
	all, ok := judgeAll(ev, dir, home, nil)
	if !ok || len(all) == 0 {
		return checkrein.Acts{}
	}
	var out checkrein.Acts
	worst := &all[0].report
	for i := range all {
		r := &all[i].report
		if worse(r, worst) {
			worst = r
		}
		for j := range r.Effects {
			collect(&out, &r.Effects[j])
		}
	}
	out.Label, out.Radius = worst.Label.String(), worst.Radius.String()
	if at := placeOf(ev, dir, home).Dir; len(out.Paths) == 0 && at != "" {
		out.Paths = []string{at}
	}
	return out
}

func collect(out *checkrein.Acts, e *shell.Effect) {
	for _, word := range [...]string{e.Label.String(), e.Kind, e.Row().Name} {
		if word != "" && !slices.Contains(out.Effects, word) {
			out.Effects = append(out.Effects, word)
		}
	}
	for _, p := range e.Paths {
		if !slices.Contains(out.Paths, p) {
			out.Paths = append(out.Paths, p)
		}
	}
}
