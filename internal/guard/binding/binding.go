// Package binding describes what a call does, to what and where, so that a grant applies to this call
// and no other one.
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

// ForCall returns the binding of a grant for the call of ev: the call itself and, if all of them are
// known, its effects.
func ForCall(ev *checkrein.Event, at study.CallEnv) grant.Binding {
	b := grant.Binding{Text: CallDigest(ev, at.Dir)}
	if ev.Tool == nil {
		return b
	}
	all, _ := study.JudgeAll(ev, at, nil)
	all = append(append(all, study.JudgeReads(ev, at)...), study.JudgeToolName(ev, at)...)
	b.World = worldFacts(ev, at, all)
	for i := range all {
		list, known := partDeeds(&all[i])
		if !known {
			b.Deeds = nil
			return b
		}
		for _, d := range list {
			if !slices.ContainsFunc(b.Deeds, func(o grant.Deed) bool { return equalDeeds(&o, &d) }) {
				b.Deeds = append(b.Deeds, d)
			}
		}
	}
	b.Frame = frameDigest(ev.Tool)
	return b
}

// equalDeeds reports whether two deeds are equal except for their reasons.
func equalDeeds(a, b *grant.Deed) bool {
	return a.Category == b.Category && a.Rule == b.Rule && a.Kind == b.Kind && a.Label == b.Label && a.Radius == b.Radius && a.On == b.On &&
		a.Words == b.Words && a.Dir == b.Dir && a.Aim == b.Aim && slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Hosts, b.Hosts)
}

// partDeeds returns what one part of a call loses, changes or sends. It returns false if not all of it
// is known.
func partDeeds(j *study.PartReport) ([]grant.Deed, bool) {
	if len(j.Report.Effects) >= shell.MaxEffects {
		return nil, false
	}
	var out []grant.Deed
	for i := range j.Report.Effects {
		e := &j.Report.Effects[i]
		if e.Label == shell.Safe {
			if !changesNothing(e) {
				return nil, false // it may change on what the other effects act
			}
			continue
		}
		if e.Label == shell.Unknown || e.Uncertain || e.ContextBound || len(e.Paths) >= shell.MaxPaths || strings.Contains(e.Words+strings.Join(e.Paths, "")+strings.Join(e.Hosts, ""), string(shell.Placeholder)) {
			return nil, false
		}
		d, known := newDeed(e, &j.Place)
		if !known {
			return nil, false
		}
		out = append(out, d)
	}
	return out, true
}

// changesNothing reports whether e changes nothing. A harmless effect may still select what others act
// on, as git config and kubectl config do, or write a file, as curl and gzip do.
func changesNothing(e *shell.Effect) bool {
	return e.IsReadOnly() && (e.Row().Pack == shell.PackReads || e.Category == shell.GitRead)
}

// newDeed returns the deed of the effect e at the place p. It returns false if not all of it is known.
func newDeed(e *shell.Effect, p *shell.Place) (grant.Deed, bool) {
	d := grant.Deed{Category: e.Row().Name, Rule: e.RuleName(), Kind: e.Kind, Label: e.Label.String(), Radius: e.Impact.String(), Reason: e.Reason,
		Hosts: slices.Sorted(slices.Values(e.Hosts)), On: e.Subject, Aim: settingsDigest(e, p)}
	if e.Row().Pack == shell.PackGit && (p.Repo == nil || p.Repo(p.Dir) == nil || e.Subject == "" && slices.ContainsFunc(strings.Fields(e.Words), selectsRepo)) {
		return d, false // the repository is unknown
	}
	plain, tree := parseRemoval(e)
	for _, path := range e.Paths {
		path = study.AbsFromDir(path, p)
		what := pathKind(path)
		switch {
		case what == symlinkKind: // the grant could be meant for the symlink or for its target
			return d, false
		case what == grant.ADir && plain && tree:
			what = grant.ATree
		}
		d.Paths = append(d.Paths, grant.TypedPath(what, path))
	}
	slices.Sort(d.Paths)
	switch {
	case plain:
		d.Words = grant.Removes
	case e.Subject != "":
		d.Dir = p.Dir
	default:
		d.Words, d.Dir = strings.Join(strings.Fields(e.Words), " "), p.Dir
	}
	return d, true
}

// parseRemoval reports whether e is an rm of exactly its paths (plain), and whether it removes
// directory trees.
func parseRemoval(e *shell.Effect) (plain, tree bool) {
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
				return false, false // the option may restrict what is removed
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

// removalFlags lists the long options of rm that do not restrict which paths it removes.
var removalFlags = []string{"--recursive", "--force", "--verbose", "--dir", "--interactive"}

// symlinkKind is the kind of paths for which there can be no grant.
const symlinkKind = "link"

// pathKind returns what is at a path, without following a symlink.
func pathKind(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return grant.Nothing
	case info.IsDir():
		return grant.ADir
	case info.Mode()&os.ModeSymlink != 0:
		return symlinkKind
	}
	return grant.AFile
}

// inertArgs lists arguments of shell tools that do not change what runs, and that models write
// differently each time.
var inertArgs = []string{"description", "explanation", "timeout", "timeout_ms", "yield_time_ms", "max_output_tokens", "run_in_background", "is_background"}

// CallDigest returns a digest of the tool, the arguments and the directory of a call. For an event
// without a tool, it is a digest of the kind and the text.
func CallDigest(ev *checkrein.Event, dir string) string {
	t := ev.Tool
	if t == nil {
		return digestList(ev.Kind.String(), ev.Text)
	}
	return digestList(append([]string{"tool", t.Name, dir}, sortedArgs(t, nil)...)...)
}

// sortedArgs returns the names and values of the arguments of t, sorted by name. It omits those for
// which out returns true and, for the shell tool, inertArgs. Arguments with the same name keep their
// order, because the last one counts. If the input is not an object, it is returned as the only
// element.
func sortedArgs(t *checkrein.Tool, out func(key string) bool) []string {
	if rawjson.Kind(t.Input) != '{' {
		return []string{string(t.Input)}
	}
	type member struct{ key, val string }
	var members []member
	isShell := study.CanonicalName(t) == "shell"
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		if !(isShell && slices.Contains(inertArgs, key)) && (out == nil || !out(key)) {
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
