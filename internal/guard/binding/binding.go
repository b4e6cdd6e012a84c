// Package binding describes what a call does, to what and where, so that a grant for it
// covers this call and no other.
package binding

import (
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Of returns what a grant for a call is about: the call itself, and what it does if
// all of that is known.
func Of(ev *checkrein.Event, at study.CallEnv) grant.Binding {
	b := grant.Binding{Text: CallSum(ev, at.Dir)}
	if ev.Tool == nil {
		return b
	}
	all, _ := study.JudgeAll(ev, at, nil)
	all = append(append(all, study.JudgeReads(ev, at)...), study.JudgeToolName(ev, at)...)
	b.World = worldOf(ev, at, all)
	for i := range all {
		list, known := deeds(&all[i])
		if !known {
			b.Deeds = nil
			return b
		}
		for _, d := range list {
			if !slices.ContainsFunc(b.Deeds, func(o grant.Deed) bool { return sameDeed(&o, &d) }) {
				b.Deeds = append(b.Deeds, d)
			}
		}
	}
	b.Frame = frameSum(ev.Tool)
	return b
}

func sameDeed(a, b *grant.Deed) bool {
	return a.Category == b.Category && a.Rule == b.Rule && a.Kind == b.Kind && a.Label == b.Label && a.Radius == b.Radius && a.On == b.On &&
		a.Words == b.Words && a.Dir == b.Dir && a.Aim == b.Aim && slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Hosts, b.Hosts)
}

// deeds are what one part of a call loses, changes or sends; false = not all of it
// is known.
func deeds(j *study.PartReport) ([]grant.Deed, bool) {
	if len(j.Report.Effects) >= shell.MaxEffects {
		return nil, false
	}
	var out []grant.Deed
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		if e.Label == shell.Safe {
			if !leavesAll(e) {
				return nil, false // what it writes or runs may change what the rest is about
			}
			continue
		}
		if e.Label == shell.Unknown || e.Maybe || e.Exact || len(e.Paths) >= shell.MaxPaths || strings.Contains(e.Words+strings.Join(e.Paths, "")+strings.Join(e.Hosts, ""), string(shell.Hole)) {
			return nil, false
		}
		d, known := deedOf(e, &j.Place)
		if !known {
			return nil, false
		}
		out = append(out, d)
	}
	return out, true
}

// leavesAll reports whether an effect leaves everything as it is. What is harmless may
// yet choose what others act on, as git config and kubectl config do, or write a file,
// as curl and gzip do.
func leavesAll(e *shell.Effect) bool {
	return e.Reads() && (e.Row().Pack == shell.PackReads || e.Category == shell.GitRead)
}

func deedOf(e *shell.Effect, p *shell.Place) (grant.Deed, bool) {
	d := grant.Deed{Category: e.Row().Name, Rule: e.RuleName(), Kind: e.Kind, Label: e.Label.String(), Radius: e.Radius.String(), Reason: e.Reason,
		Hosts: slices.Sorted(slices.Values(e.Hosts)), On: e.On, Aim: aimOf(e, p)}
	if e.Row().Pack == shell.PackGit && (p.Repo == nil || p.Repo(p.Dir) == nil || e.On == "" && slices.ContainsFunc(strings.Fields(e.Words), otherRepo)) {
		return d, false // what git goes by is not known
	}
	plain, tree := removal(e)
	for _, path := range e.Paths {
		path = study.AbsFromDir(path, p)
		what := lying(path)
		switch {
		case what == aLink: // it may be meant, or what it leads to
			return d, false
		case what == grant.ADir && plain && tree:
			what = grant.ATree
		}
		d.Paths = append(d.Paths, grant.Lies(what, path))
	}
	slices.Sort(d.Paths)
	switch {
	case plain:
		d.Words = grant.Removes
	case e.On != "":
		d.Dir = p.Dir
	default:
		d.Words, d.Dir = strings.Join(strings.Fields(e.Words), " "), p.Dir
	}
	return d, true
}

// removal reports whether the paths of an effect say all that it does: it is an rm
// of what they name, and nothing else; and whether that goes for all below.
func removal(e *shell.Effect) (plain, tree bool) {
	words := strings.Fields(e.Words)
	if e.Kind != "delete" || len(e.Paths) == 0 || len(words) == 0 || words[0] != "rm" || strings.ContainsAny(strings.Join(e.Paths, ""), "*?[{") {
		return false, false
	}
	for _, w := range words[1:] {
		switch {
		case w == "--":
			return true, tree
		case strings.HasPrefix(w, "--"):
			long := slices.ContainsFunc(removalFlags, func(flag string) bool { return len(w) > 2 && strings.HasPrefix(flag, w) })
			if !long {
				return false, false // it may narrow what goes
			}
			tree = tree || strings.HasPrefix("--recursive", w)
		case strings.HasPrefix(w, "-"):
			if strings.Trim(w[1:], "rRfvdiI") != "" {
				return false, false
			}
			tree = tree || strings.ContainsAny(w, "rR")
		}
	}
	return true, tree
}

// removalFlags are those of rm that take nothing away from what its paths say.
var removalFlags = []string{"--recursive", "--force", "--verbose", "--dir", "--interactive"}

// aLink is what lies at a path, beside what a grant can be about.
const aLink = "link"

// lying returns what lies at a path.
func lying(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return grant.Nothing
	case info.IsDir():
		return grant.ADir
	case info.Mode()&os.ModeSymlink != 0:
		return aLink
	}
	return grant.AFile
}

// asides are arguments of shell tools that change nothing of what runs, and that
// models word anew each time.
var asides = []string{"description", "explanation", "timeout", "timeout_ms", "yield_time_ms", "max_output_tokens", "run_in_background", "is_background"}

// CallSum is the digest of a call as it was: the tool, its arguments and where it
// runs; of an event without a tool, its text.
func CallSum(ev *checkrein.Event, dir string) string {
	t := ev.Tool
	if t == nil {
		return sumOf(ev.Kind.String(), ev.Text)
	}
	return sumOf(append([]string{"tool", t.Name, dir}, arguments(t, nil)...)...)
}

// arguments are those of a call in one order, without what changes nothing and what is
// left out. Of two with one name the last counts, so that their order stays.
func arguments(t *checkrein.Tool, out func(key string) bool) []string {
	if rawjson.Kind(t.Input) != '{' {
		return []string{string(t.Input)}
	}
	type member struct{ key, val string }
	var members []member
	isShell := study.Canonical(t) == "shell"
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		if !(isShell && slices.Contains(asides, key)) && (out == nil || !out(key)) {
			members = append(members, member{key, valueText(val)})
		}
		return true
	})
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	list := make([]string, 0, 2*len(members))
	for _, m := range members {
		list = append(list, m.key, m.val)
	}
	return list
}
