package binding

import (
	"crypto/sha256"
	"encoding/hex"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"os"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxFacts limits how many facts are stored individually. If there are more, a single digest is
// stored.
const maxFacts = 64

// worldFacts returns the state on which the effects of a call depend: where its paths lead and what is
// there, the contents of its scripts, where its repositories push to, and on what its programs act
// because of their settings. If these change, the same command may do something else.
func worldFacts(ev *checkrein.Event, at study.CallEnv, all []study.PartReport) []string {
	var facts []string
	add := func(s string) {
		if !slices.Contains(facts, s) {
			facts = append(facts, s)
		}
	}
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			if e.Label == shell.Safe {
				continue
			}
			// Each effect has its own fact, so that removed settings count as a change, too.
			add("aim " + strconv.Itoa(i) + "." + strconv.Itoa(k) + " " + settingsDigest(e, &all[i].Place))
			for _, path := range e.Paths {
				add(pathFact(study.AbsFromDir(path, &all[i].Place)))
			}
		}
	}
	for _, path := range ev.Tool.Paths() {
		add("at " + study.RealPath(study.AbsFromDir(path, &shell.Place{Dir: at.Dir, Home: at.Home}), true))
	}
	at.Seen = seen.ForEvent(ev)
	parts := study.Parts(ev.Tool, tools.Runs|tools.Dir)
	places, _ := study.Places(ev, at, parts)
	for _, place := range places {
		repo := place.Repo
		place.Real = study.ResolveParents
		plain := place
		place.Read = func(path string) (string, bool) {
			text, ok := study.ReadScript(path)
			if ok {
				add("script " + digestList(text) + " " + path)
			} else if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				add("script " + info.ModTime().UTC().String() + " " + path)
			}
			return text, ok
		}
		place.Repo = func(dir string) *shell.Repo {
			r := repo(dir)
			add("repository " + repoDigest(r, false) + " " + dir)
			return r
		}
		git := hasGitEffect(all)
		for i := range parts {
			if names := namedFilesDigest(parts[i].Text, all, &place); names != "" {
				add("reads " + strconv.Itoa(i) + " " + names)
			}
			as := study.Analyze(&parts[i], ev.Tool, &plain, &at)
			for _, dir := range as.Repos {
				place.Repo(dir)
			}
			if slices.ContainsFunc(as.Reads, isRegular) {
				study.JudgePart(&parts[i], ev.Tool, &place) // place.Read records the files
			}
			if git {
				for _, dir := range gitDirs(parts[i].Text, &place) {
					place.Repo(dir)
				}
			}
		}
	}
	slices.Sort(facts)
	if len(facts) > maxFacts {
		return []string{"digest " + digestList(facts...)}
	}
	return facts
}

// isRegular reports whether a path, with symlinks followed, is a regular file.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// pathFact describes what is at path and, if that is a symlink, where it leads.
func pathFact(path string) string {
	what := pathKind(path)
	if what != symlinkKind {
		return grant.TypedPath(what, path)
	}
	to := study.RealPath(path, true)
	return symlinkKind + " " + path + " to " + grant.TypedPath(pathKind(to), to)
}

// frameDigest returns a digest of the tool and of the arguments that its deeds do not include, such as
// one that leaves a sandbox or names a machine.
func frameDigest(t *checkrein.Tool) string {
	name := t.Name
	if study.CanonicalName(t) == "shell" {
		name = "shell"
	}
	parts := study.Parts(t, tools.Runs|tools.DeletePath|tools.Dir)
	inDeeds := func(key string) bool {
		return slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Key == key })
	}
	return digestList(append([]string{name}, sortedArgs(t, inDeeds)...)...)
}

// valueText returns val in a form that does not depend on how JSON strings are escaped.
func valueText(val []byte) string {
	if text, ok := rawjson.Text(val); ok {
		return `"` + text
	}
	return string(rawjson.Compact(nil, val))
}

// digestList returns a digest of a list of strings.
func digestList(list ...string) string {
	h := sha256.New()
	for _, s := range list {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s)) // with lengths, since s may contain any separator
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
