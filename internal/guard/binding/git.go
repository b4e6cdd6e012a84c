package binding

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// gitAside are sections of git's settings that have no say in what is lost.
const gitAside = " advice author blame browser color column commit committer diff difftool format gitk gpg grep gui help init instaweb interactive log man merge mergetool notes pager pretty pull rebase rerere sendemail sequence status tag user versionsort web "

// repoSum is a digest of what git goes by beside its words: the settings, what is
// checked out, and where remotes on this machine really are. Of a push that is all told,
// the branches are told too.
func repoSum(r *shell.Repo, told bool) string {
	if r == nil {
		return "none"
	}
	list := []string{r.Common}
	if !told {
		list = append(list, r.Head)
	}
	current := strings.TrimPrefix(r.Head, "refs/heads/")
	for _, settings := range [...][]shell.Setting{r.Settings, r.Perhaps} {
		for i := range settings {
			s := &settings[i]
			if strings.Contains(gitAside, " "+s.Section+" ") || s.Section == "branch" && (told || s.Name != current) {
				continue
			}
			list = append(list, s.Section, s.Name, s.Key, s.Value)
		}
		list = append(list, "")
	}
	for _, remote := range r.Remotes() {
		if at, ok := localRemote(r, remote); ok {
			list = append(list, remote, at)
		}
	}
	return sumOf(list...)
}

// gitAim is what an effect of git goes by beside its words.
func gitAim(e *shell.Effect, r *shell.Repo) string {
	if r != nil && strings.HasPrefix(e.Rule, "stash") { // what was put away later was not meant
		text, _ := study.ReadBounded(filepath.Join(r.Common, "logs", "refs", "stash"))
		return sumOf(repoSum(r, false), string(text))
	}
	return repoSum(r, e.On != "" && strings.HasPrefix(e.Rule, "push"))
}

// localRemote is what a remote on this machine is: where its path leads, and which of its
// refs and settings lead further; false = it is none.
func localRemote(r *shell.Repo, remote string) (string, bool) {
	path, isFile := strings.CutPrefix(r.PushAddress(remote), "file://")
	slash, colon := strings.IndexByte(path, '/'), strings.IndexByte(path, ':')
	if path == "" || !isFile && colon >= 0 && (slash < 0 || colon < slash) && !filepath.IsAbs(path) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.Common), path)
	}
	var list []string
	for _, end := range [...]string{"/.git", "", ".git/.git", ".git"} { // as git looks
		dir := study.RealPath(path+end, true)
		info, err := os.Stat(filepath.Join(dir, "objects"))
		if err != nil {
			continue
		}
		config, _ := study.ReadBounded(filepath.Join(dir, "config"))
		list = append(list, dir, study.FileID(info), string(config))
		list = append(list, symbolicRefs(filepath.Join(dir, "refs"))...)
		break
	}
	return sumOf(append(list, study.RealPath(path, true))...), true
}

// maxRefs bounds the refs of a remote that are looked at.
const maxRefs = 5000

// symbolicRefs are the refs below a directory that name others.
func symbolicRefs(dir string) []string {
	var out []string
	n := 0
	// What cannot be read git cannot push to either.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxRefs {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil
		}
		if text, _ := study.ReadBounded(path); strings.HasPrefix(string(text), "ref:") {
			out = append(out, path, string(text))
		}
		return nil
	})
	return out
}

// losesByGit reports whether an effect of git is not harmless.
func losesByGit(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(j study.PartReport) bool {
		return slices.ContainsFunc(j.Report.Effects, func(e shell.Effect) bool { return e.Label != shell.Safe && e.Row().Pack == shell.PackGit })
	})
}

// otherRepo reports whether an option has git work in another repository.
func otherRepo(word string) bool {
	return word == "-C" || strings.HasPrefix(word, "--git-dir") || strings.HasPrefix(word, "--work-tree")
}

// gitDirs are the directories where a text has git work.
func gitDirs(text string, p *shell.Place) []string {
	dirs := []string{p.Dir}
	for _, c := range classify.Calls(text, *p) {
		if c.Name != "git" {
			continue
		}
		dir := p.Dir
		if c.Dir != "" {
			dir = study.AbsFromDir(c.Dir, p)
		}
		for i := range c.Args[:max(0, len(c.Args)-1)] {
			if c.Args[i].Text != "-C" {
				continue
			}
			if next := c.Args[i+1].Text; filepath.IsAbs(next) {
				dir = next
			} else {
				dir = filepath.Join(dir, next)
			}
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
