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

// harmlessSections lists sections of Git's settings that do not affect what a command loses.
const harmlessSections = " advice author blame browser color column commit committer diff difftool format gitk gpg grep gui help init instaweb interactive log man merge mergetool notes pager pretty pull rebase rerere sendemail sequence status tag user versionsort web "

// repoDigest returns a digest of what Git depends on besides its arguments: its settings, what is
// checked out, and the real paths of remotes on this machine. If explicit is set, the arguments of a
// push name its branches, so that the current branch does not count.
func repoDigest(r *shell.Repo, explicit bool) string {
	if r == nil {
		return "none"
	}
	list := []string{r.Common}
	if !explicit {
		list = append(list, r.Head)
	}
	current := strings.TrimPrefix(r.Head, "refs/heads/")
	for _, settings := range [...][]shell.Setting{r.Settings, r.Conditional} {
		for i := range settings {
			s := &settings[i]
			if strings.Contains(harmlessSections, " "+s.Section+" ") || s.Section == "branch" && (explicit || s.Name != current) {
				continue
			}
			list = append(list, s.Section, s.Name, s.Key, s.Value)
		}
		list = append(list, "")
	}
	for _, remote := range r.Remotes() {
		if at, ok := localRemoteDigest(r, remote); ok {
			list = append(list, remote, at)
		}
	}
	return digestList(list...)
}

// gitDigest returns a digest of what the Git effect e depends on besides its words.
func gitDigest(e *shell.Effect, r *shell.Repo) string {
	if r != nil && strings.HasPrefix(e.Rule, "stash") { // a grant does not apply to later stashes
		text, _ := study.ReadBounded(filepath.Join(r.Common, "logs", "refs", "stash"))
		return digestList(repoDigest(r, false), string(text))
	}
	return repoDigest(r, e.Subject != "" && strings.HasPrefix(e.Rule, "push"))
}

// localRemoteDigest returns a digest of a remote on this machine: its real path, its settings and its
// symbolic refs. It returns false if the remote is on another machine.
func localRemoteDigest(r *shell.Repo, remote string) (string, bool) {
	path, isFile := strings.CutPrefix(r.PushURL(remote), "file://")
	slash, colon := strings.IndexByte(path, '/'), strings.IndexByte(path, ':')
	if path == "" || !isFile && colon >= 0 && (slash < 0 || colon < slash) && !filepath.IsAbs(path) {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.Common), path)
	}
	var list []string
	for _, end := range [...]string{"/.git", "", ".git/.git", ".git"} { // in the order in which Git tries them
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
	return digestList(append(list, study.RealPath(path, true))...), true
}

// maxRefs limits how many refs of a remote are read.
const maxRefs = 5000

// symbolicRefs returns the paths and contents of the symbolic refs below dir.
func symbolicRefs(dir string) []string {
	var out []string
	n := 0
	// Ignore errors: Git cannot push to refs that cannot be read.
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

// hasGitEffect reports whether Git has an effect in all that is not safe.
func hasGitEffect(all []study.PartReport) bool {
	return slices.ContainsFunc(all, func(j study.PartReport) bool {
		return slices.ContainsFunc(j.Report.Effects, func(e shell.Effect) bool { return e.Label != shell.Safe && e.Row().Pack == shell.PackGit })
	})
}

// selectsRepo reports whether word is an option that makes Git use another repository.
func selectsRepo(word string) bool {
	return word == "-C" || strings.HasPrefix(word, "--git-dir") || strings.HasPrefix(word, "--work-tree")
}

// gitDirs returns p.Dir and the other directories in which the command text runs Git.
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
