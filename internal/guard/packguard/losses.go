package packguard

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/sys/undo"
)

// saves reports whether the guard would rather have what e loses saved first than ask about it. A level
// that a file sets takes precedence, and a denial stays one. What a wrapper runs may be in another place
// than it seems: it is saved where it seems to be, but a question about it stays one. Rules that do not
// count because they are in shadow mode save all the same.
func (g *guard) saves(e *shell.Effect, p *shell.Place) bool {
	if len(lossesOfEffect(e, p)) == 0 || !g.appliesTo(e.Row().PackName()) || g.Only != nil && !g.countsRule(e) || g.Project != "" || g.custom != nil {
		return false
	}
	worst := checkrein.Ask
	if e.Wrapped {
		worst = checkrein.NoOpinion
	}
	level := g.By[policyIndex(e)]
	return level.Default && level.Min < checkrein.Ask && g.decide(e, p) <= worst
}

// lossesOf returns what the parts of a call lose that can be saved, according to the guards. loud
// reports whether one of the effects is destructive, so that the person should know.
func lossesOf(all []study.PartReport, guards []guard) (losses []undo.Loss, loud bool) {
	for i := range all {
		for k := range all[i].Report.Effects {
			e, place := &all[i].Report.Effects[k], &all[i].Place
			lost := lossesOfEffect(e, place)
			if len(lost) == 0 || !slices.ContainsFunc(guards, func(g guard) bool { return g.saves(e, place) }) {
				continue
			}
			if e.Label == shell.Safe && (e.Kind == "delete" || !isInProject(e, place)) {
				continue // tools make it again
			}
			loud = loud || e.Label == shell.Destructive
			losses = append(losses, lost...)
		}
	}
	return joinRepos(losses), loud
}

// firstSecret returns the name of the first file among losses that usually holds secrets, or "" if there
// is none.
func firstSecret(losses []undo.Loss) string {
	for i := range losses {
		if path := losses[i].Path; path != "" && facts.IsSecretFile(path) {
			return filepath.Base(path)
		}
	}
	return ""
}

// joinRepos returns losses with one loss for each repository.
func joinRepos(losses []undo.Loss) []undo.Loss {
	var out []undo.Loss
	for _, l := range losses {
		i := slices.IndexFunc(out, func(o undo.Loss) bool { return l.Repo != "" && o.Repo == l.Repo })
		if i < 0 {
			out = append(out, l)
			continue
		}
		out[i].Work, out[i].Ignored, out[i].Commits = out[i].Work || l.Work, out[i].Ignored || l.Ignored, out[i].Commits || l.Commits
	}
	return out
}

// hasGaps reports whether something that the call does is unknown.
func hasGaps(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(p study.PartReport) bool {
		return slices.ContainsFunc(p.Report.Effects, func(e shell.Effect) bool { return e.Label == shell.Unknown && e.Gap() != shell.NoGap })
	})
}

// changesUnnamedFiles reports whether e changes files of the project and it is unknown which. What git
// does not have of the project is then saved.
func changesUnnamedFiles(e *shell.Effect) bool {
	if !e.Row().Saved || e.Foreign || e.Label > shell.Destructive || !strings.HasSuffix(e.Rule, "-project") && e.Rule != "patch" {
		return false
	}
	return len(e.Paths) == 0 || slices.ContainsFunc(e.Paths, func(path string) bool { return strings.ContainsRune(path, shell.Placeholder) })
}

// isInProject reports whether all paths of e are in the project.
func isInProject(e *shell.Effect, p *shell.Place) bool {
	return p.Root != "" && !slices.ContainsFunc(e.Paths, func(path string) bool { return !strings.HasPrefix(path, p.Root+"/") })
}

// lossesOfEffect returns what e loses at the place p, or nil if that cannot be saved.
func lossesOfEffect(e *shell.Effect, p *shell.Place) []undo.Loss {
	s := e.ToSave()
	if s == shell.SaveNothing {
		if !changesUnnamedFiles(e) || p.Root == "" {
			return nil
		}
		return []undo.Loss{{Repo: p.Root, Work: true, Ignored: e.Label != shell.Safe}}
	}
	if s > shell.SaveWritten {
		return []undo.Loss{{Repo: e.Repo, Work: s != shell.SaveCommits, Ignored: s == shell.SaveIgnored, Commits: s >= shell.SaveCommits}}
	}
	out := make([]undo.Loss, len(e.Paths))
	for i, path := range e.Paths {
		out[i] = undo.Loss{Path: path, InPlace: s == shell.SaveWritten, Shallow: e.Label == shell.Safe}
	}
	return out
}

// saveFirst saves what a call loses. full is the verdict if nothing is saved. The result is full unless
// everything that it asks about could be saved.
func saveFirst(ctx context.Context, call *builtin.Call, all []study.PartReport, guards []guard, full checkrein.Verdict) checkrein.Verdict {
	if call.Machine.Save == nil || full.Decision == checkrein.Deny {
		return full
	}
	losses, loud := lossesOf(all, guards)
	if len(losses) == 0 {
		return full
	}
	out := guardParts(all, guards, true)
	if out.Decision > checkrein.NoOpinion {
		return full // a person must decide anyway
	}
	saved, err := call.Machine.Save(ctx, &call.Event, undo.Request{Command: all[0].Command, Losses: losses})
	switch {
	case err != nil && full.Decision == checkrein.NoOpinion:
		return full // it would not be asked about either
	case err != nil:
		if !errors.Is(err, undo.ErrNotSaved) {
			err = errors.Join(undo.ErrNotSaved, err)
		}
		why := "; " + strings.ReplaceAll(err.Error(), "\n", ": ")
		full.Reason += why
		full.Metadata["reason"] += why
		return full
	case !saved.Any && hasGaps(all):
		return full // what is unknown may put something there first
	case !saved.Any:
		return out // it does not exist, so nothing is lost
	case call.Event.Kind == checkrein.PermissionRequest:
		return out // it was saved before the call asked for permission
	}
	o := checkrein.Obligation{Kind: "save", ID: saved.ID}
	if loud {
		o.Detail = "Saved first: to take this back, run checkrein undo " + saved.ID
		if name := firstSecret(losses); name != "" {
			o.Detail += ". A copy of " + name + ", which may hold secrets, stays for a week: to remove it, run checkrein undo --forget " + saved.ID
		}
	}
	out.Obligations = []checkrein.Obligation{o}
	return out
}
