package policy

import (
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// A pathFilter selects files. The zero value selects all.
type pathFilter struct{ include, exclude []string }

func (p *pathFilter) isSet() bool { return len(p.include)+len(p.exclude) > 0 }

// includes reports whether a path is selected. A text without a path always is.
func (p *pathFilter) includes(path string) bool {
	if path == "" {
		return true
	}
	if matchesAny(p.exclude, path) {
		return false
	}
	return len(p.include) == 0 || matchesAny(p.include, path)
}

func matchesAny(globs []string, path string) bool {
	for _, g := range globs {
		if matchesGlob(g, path) {
			return true
		}
	}
	return false
}

// matchesGlob reports whether a path relative to the top of the project matches a glob. A glob without
// a slash matches a name at any depth; a directory matches everything in it.
func matchesGlob(glob, path string) bool {
	glob = strings.TrimSuffix(glob, "/")
	if rest, top := strings.CutPrefix(glob, "/"); top {
		glob = rest
	} else if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return match.MatchPathGlob(glob, path) || match.MatchPathGlob(glob+"/**", path)
}

// checkGlob returns what is wrong with a glob, or "".
func checkGlob(glob string) string {
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
