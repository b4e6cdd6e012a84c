package binding

import (
	"crypto/sha256"
	"encoding/hex"
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

// maxFacts bounds what is kept of the world; of more there is one digest.
const maxFacts = 64

// worldOf is what a call finds as it is judged: where its paths lead and what lies
// there, what its scripts say, where its repositories push to, and what its programs act
// on by their own settings. The same text may do something else tomorrow.
func worldOf(ev *checkrein.Event, at study.CallEnv, all []study.PartReport) []string {
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
			// Settings that went are others too: each effect has its own place.
			add("aim " + strconv.Itoa(i) + "." + strconv.Itoa(k) + " " + aimOf(e, &all[i].Place))
			for _, path := range e.Paths {
				add(found(study.AbsFromDir(path, &all[i].Place)))
			}
		}
	}
	for _, path := range ev.Tool.Paths() {
		add("at " + study.RealPath(study.AbsFromDir(path, &shell.Place{Dir: at.Dir, Home: at.Home}), true))
	}
	at.Seen = ev.Seen
	parts := study.Parts(ev.Tool, tools.Runs|tools.Dir)
	places, _ := study.Places(ev, at, parts)
	for _, place := range places {
		repo := place.Repo
		place.Real = study.ResolveParents
		plain := place
		place.Read = func(path string) (string, bool) {
			text, ok := study.ReadScript(path)
			if ok {
				add("script " + sumOf(text) + " " + path)
			} else if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				add("script " + info.ModTime().UTC().String() + " " + path)
			}
			return text, ok
		}
		place.Repo = func(dir string) *shell.Repo {
			r := repo(dir)
			add("repository " + repoSum(r, false) + " " + dir)
			return r
		}
		git := losesByGit(all)
		for i := range parts {
			if names := namesOf(parts[i].Text, all, &place); names != "" {
				add("reads " + strconv.Itoa(i) + " " + names)
			}
			as := study.Analyze(&parts[i], ev.Tool, &plain, &at)
			for _, dir := range as.Repos {
				place.Repo(dir)
			}
			if slices.ContainsFunc(as.Reads, isRegular) {
				study.JudgePart(&parts[i], ev.Tool, &place) // with what lies in the files now
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
		return []string{"digest " + sumOf(facts...)}
	}
	return facts
}

// isRegular reports whether a file lies at a path, wherever that leads.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// found is what lies at a path, of a link where it leads.
func found(path string) string {
	what := lying(path)
	if what != aLink {
		return grant.Lies(what, path)
	}
	to := study.RealPath(path, true)
	return aLink + " " + path + " to " + grant.Lies(lying(to), to)
}

// frameSum is the digest of a call's tool and of the arguments that its deeds do not
// tell: one that leaves a sandbox, or names a machine.
func frameSum(t *checkrein.Tool) string {
	name := t.Name
	if study.Canonical(t) == "shell" {
		name = "shell"
	}
	parts := study.Parts(t, tools.Runs|tools.DeletePath|tools.Dir)
	told := func(key string) bool {
		return slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Key == key })
	}
	return sumOf(append([]string{name}, arguments(t, told)...)...)
}

// valueText is a value as every writer of JSON has it: they escape texts in ways of their
// own.
func valueText(val []byte) string {
	if text, ok := rawjson.Text(val); ok {
		return `"` + text
	}
	return string(rawjson.Compact(nil, val))
}

func sumOf(list ...string) string {
	h := sha256.New()
	for _, s := range list {
		h.Write([]byte(strconv.Itoa(len(s)) + ":" + s)) // a text may hold any other mark
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
