package policy

import (
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// paths are the files that something is about. The zero value is all of them.
type paths struct{ include, exclude []string }

func (p *paths) any() bool { return len(p.include)+len(p.exclude) > 0 }

// fit reports whether a path is meant. A text without a path always is.
func (p *paths) fit(path string) bool {
	if path == "" {
		return true
	}
	if fitsAny(p.exclude, path) {
		return false
	}
	return len(p.include) == 0 || fitsAny(p.include, path)
}

func fitsAny(globs []string, path string) bool {
	for _, g := range globs {
		if fits(g, path) {
			return true
		}
	}
	return false
}

// fits reports whether a path from the top of the project is what a glob means:
// without a slash inside, a name at any depth; of a directory, all that is in it.
func fits(glob, path string) bool {
	glob = strings.TrimSuffix(glob, "/")
	if rest, top := strings.CutPrefix(glob, "/"); top {
		glob = rest
	} else if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return match.MatchPathGlob(glob, path) || match.MatchPathGlob(glob+"/**", path)
}

// checkGlob returns what is wrong with a glob.
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
