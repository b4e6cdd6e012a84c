package study

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/shell"
)

// Acts returns what the call of ev does, for conditions. It is zero if nothing in the call runs or is
// deleted. The path of an effect without paths is the directory in which the command runs.
func Acts(ev *checkrein.Event, at CallEnv) match.Acts {
	all, ok := JudgeAll(ev, at, nil)
	if !ok || len(all) == 0 {
		return match.Acts{}
	}
	var out match.Acts
	worst := &all[0].Report
	var gaps shell.Gaps
	for i := range all {
		r := &all[i].Report
		gaps |= r.Gaps
		if isWorse(r, worst) {
			worst = r
		}
		for j := range r.Effects {
			addEffect(&out, &r.Effects[j], all[i].Place.Dir, ev.Session.Dir)
		}
	}
	out.Gap = gaps.Worst().String()
	out.Label, out.Radius = worst.Label.String(), worst.Impact.String()
	if dir := all[0].Place.Dir; len(out.Paths) == 0 && dir != "" {
		out.Paths = []string{dir}
	}
	out.Named = func() []string { return namedPaths(ev, at) }
	return out
}

// addEffect adds e, an effect of a command that runs in dir, to out. Relative paths are made relative
// to the session's directory.
func addEffect(out *match.Acts, e *shell.Effect, dir, session string) {
	for _, word := range [...]string{e.Label.String(), e.Kind, e.Row().Name} {
		if word != "" && !slices.Contains(out.Effects, word) {
			out.Effects = append(out.Effects, word)
		}
	}
	for _, p := range e.Paths {
		if dir != session && !filepath.IsAbs(p) && !strings.HasPrefix(p, "~") && !strings.ContainsRune(p, shell.Placeholder) {
			p = dir + "/" + p // not cleaned, because it may contain symlinks
		}
		if !slices.Contains(out.Paths, p) {
			out.Paths = append(out.Paths, p)
		}
	}
}
