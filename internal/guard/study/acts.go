package study

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/shell"
)

// Acts returns what a call does, for conditions. A command that names no path touches the directory in
// which it runs.
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
		if worse(r, worst) {
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
	return out
}

// addEffect adds an effect of a command that runs in dir to out. Paths become relative to the
// session's directory.
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
