package packguard

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/sys/undo"
)

// contain returns v, the verdict of the guards on a call, with the obligation to contain the command if
// something in it is not understood, or if the settings contain all commands that work inside the walls.
// Then the guards do not ask because of what is not understood.
func contain(ctx context.Context, call *builtin.Call, all []study.PartReport, v checkrein.Verdict) checkrein.Verdict {
	if call.Machine.Contains == nil || v.Decision == checkrein.Deny || v.Decision == checkrein.Ask && !v.Unsure {
		return v
	}
	programs, unknown := containedPrograms(all, call.Machine.Contain)
	if programs == nil {
		return v
	}
	can, err := call.Machine.Contains(ctx, &call.Event, programs)
	switch {
	case err != nil:
		why := strings.ReplaceAll(err.Error(), "\n", ": ")
		if v.Decision == checkrein.Ask {
			v.Reason += "; " + why
			return v
		}
		v.Decision, v.Reason, v.Unsure = checkrein.Ask, why+": "+all[0].Command, true
		return v
	case can == builtin.NotContained:
		return v
	}
	if v.Decision == checkrein.Ask {
		v = checkrein.Verdict{Obligations: v.Obligations}
	}
	if can == builtin.Opened {
		return v
	}
	o := checkrein.Obligation{Kind: "contain", ID: builtin.WallsOnline, Detail: strings.Join(programs, " ")}
	if gapsOf(all).Worst() >= shell.GapOpaque || !mayNeedNetwork(all) {
		o.ID = builtin.WallsOffline
	}
	v.Obligations = append(slices.Clone(v.Obligations), o)
	if !unknown && !changesRepo(all) {
		return v // what it loses was saved
	}
	return saveProject(ctx, call, all, v)
}

// containedPrograms returns the names of the programs because of which a call is contained, and whether
// some of what they do is unknown. It returns nil if the call runs as it is.
func containedPrograms(all []study.PartReport, which setting.Contain) (programs []string, unknown bool) {
	if out := programsOf(all, mustContain); len(out) > 0 {
		return out, true
	}
	if !worksInside(all) {
		return nil, false
	}
	code := programsOf(all, runsProjectCode)
	if len(code) > 0 && (which >= setting.ContainProject || writesFiles(all)) {
		return code, true
	}
	if which < setting.ContainProject {
		return nil, false
	}
	return programsOf(all, func(*shell.Effect) bool { return true }), false
}

// mustContain reports whether e is contained whatever the settings are: it is not understood, or may
// change files that its words do not name. What belongs outside the walls would only fail behind them.
func mustContain(e *shell.Effect) bool {
	if e.Gap() == shell.NoGap && !isPossible(e) || isOutside(e) {
		return false
	}
	return e.Row().Gap != shell.NoGap || e.Row().Walls != shell.OutsideWalls
}

// runsProjectCode reports whether e runs code of the project.
func runsProjectCode(e *shell.Effect) bool { return e.Row().Walls == shell.ProjectCode }

// writesFiles reports whether a part of the call that runs no code of the project writes files, which may
// be that code.
func writesFiles(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(p study.PartReport) bool {
		return slices.ContainsFunc(p.Report.Effects, func(e shell.Effect) bool { return !e.IsReadOnly() && !runsProjectCode(&e) })
	})
}

// worksInside reports whether all effects of a call are possible behind walls.
func worksInside(all []study.PartReport) bool {
	for i := range all {
		for k := range all[i].Report.Effects {
			e, place := &all[i].Report.Effects[k], &all[i].Place
			switch {
			case e.Row().Walls == shell.OutsideWalls, isOutside(e), e.Elsewhere,
				!e.IsReadOnly() && !mayWriteInside(e, place), e.Category == shell.GitWrite && signsCommits(e, place):
				return false
			}
		}
	}
	return len(all) > 0
}

// changesRepo reports whether a call changes a git repository.
func changesRepo(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(p study.PartReport) bool {
		return slices.ContainsFunc(p.Report.Effects, func(e shell.Effect) bool { return e.Row().Pack == shell.PackGit && !e.IsReadOnly() })
	})
}

// signsCommits reports whether the git command e may sign what it writes, for which it needs the
// person's keys.
func signsCommits(e *shell.Effect, p *shell.Place) bool {
	if strings.Contains(e.Words, " -S") || strings.Contains(e.Words, " --gpg-sign") {
		return true
	}
	if p.Repo == nil {
		return false
	}
	repo := p.Repo(p.Dir)
	return repo != nil && (repo.Bool("commit", "", "gpgsign") || repo.Bool("tag", "", "gpgsign"))
}

// isOutside reports whether e is of a program that needs what walls close. A file of the project may only
// share its name.
func isOutside(e *shell.Effect) bool {
	name, _, _ := strings.Cut(e.Words, " ")
	return program.Is(name, program.IsOutside) && e.Category != shell.RunScript
}

// programsOf returns the names of the programs whose effects are selected.
func programsOf(all []study.PartReport, selected func(*shell.Effect) bool) []string {
	var out []string
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			if !selected(e) {
				continue
			}
			words := strings.Fields(cmp.Or(e.Words, all[i].Command))
			if len(words) == 0 {
				continue
			}
			if name := path.Base(words[0]); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// gapsOf returns the gaps of all parts of a call.
func gapsOf(all []study.PartReport) shell.Gaps {
	var gaps shell.Gaps
	for i := range all {
		gaps |= all[i].Report.Gaps
	}
	return gaps
}

// mayNeedNetwork reports whether a call may need the network, because it reads from it, runs code of the
// project or is not understood.
func mayNeedNetwork(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(p study.PartReport) bool {
		return slices.ContainsFunc(p.Report.Effects, func(e shell.Effect) bool {
			return e.Row().Walls >= shell.OnlineWalls || e.Gap() != shell.NoGap
		})
	})
}

// mayWriteInside reports whether contained commands may write all known paths of e, in the project or
// among temporary files.
func mayWriteInside(e *shell.Effect, p *shell.Place) bool {
	return !slices.ContainsFunc(e.Paths, func(path string) bool {
		return filepath.IsAbs(path) && !strings.HasPrefix(path, p.Root+"/") && path != p.Root && !strings.HasPrefix(path, "/tmp/") && !strings.HasPrefix(path, "/dev/")
	})
}

// projectTime is how long saving a project may delay a contained command.
const projectTime = 500 * time.Millisecond

// saveProject returns v after saving the project, which a contained command may change. If that is not
// possible in time, the command runs all the same. The repository's own files are left out if there are too many.
func saveProject(ctx context.Context, call *builtin.Call, all []study.PartReport, v checkrein.Verdict) checkrein.Verdict {
	root := all[0].Place.Root
	if call.Machine.Save == nil || root == "" {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, projectTime)
	defer cancel()
	losses := []undo.Loss{
		{Repo: root, Work: true, Ignored: true, Commits: true, InPlace: true},
		{Path: filepath.Join(root, ".git"), Literal: true},
	}
	for n := len(losses); n > 0; n-- {
		saved, err := call.Machine.Save(ctx, &call.Event, undo.Request{Command: all[0].Command, Losses: losses[:n], Replace: true})
		if err == nil && saved.ID != "" {
			v.Obligations = append(v.Obligations, checkrein.Obligation{Kind: "save", ID: saved.ID})
		}
		if err == nil {
			break
		}
	}
	return v
}
