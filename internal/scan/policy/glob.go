package policy

import (
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// A pathFilter selects files by their paths. The zero value selects all.
type pathFilter struct{ include, exclude []string }

// isRestricted reports whether p does not select all files.
func (p *pathFilter) isRestricted() bool { return len(p.include)+len(p.exclude) > 0 }

// includes reports whether p selects path. Text without a path is always selected.
func (p *pathFilter) includes(path string) bool {
	if path == "" {
		return true
	}
	if matchesAnyGlob(p.exclude, path) {
		return false
	}
	return len(p.include) == 0 || matchesAnyGlob(p.include, path)
}

// matchesAnyGlob reports whether path matches one of globs.
func matchesAnyGlob(globs []string, path string) bool {
	for _, g := range globs {
		if matchesGlob(g, path) {
			return true
		}
	}
	return false
}

// matchesGlob reports whether path, which is relative to the top of the project, matches glob. A glob
// without a slash matches a name at any depth. A glob that matches a directory matches everything in
// it.
func matchesGlob(glob, path string) bool {
	glob = strings.TrimSuffix(glob, "/")
	if rest, top := strings.CutPrefix(glob, "/"); top {
		glob = rest
	} else if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return match.MatchPathGlob(glob, path) || match.MatchPathGlob(glob+"/**", path)
}

// globProblem returns what is wrong with glob, or "" if it is valid.
func globProblem(glob string) string {
	switch {
	case strings.Trim(glob, "/") == "":
		return "an empty glob"
	case strings.HasPrefix(glob, "!"):
		return "a glob cannot begin with !: use include and exclude"
	}
	if err := match.CheckGlob(glob); err != nil {
		return err.Error()
	}
	return ""
}
