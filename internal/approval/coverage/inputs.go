package coverage

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
)

// InputsDigest returns a digest of what a plan depends on apart from the disk: environment variables
// that make programs load code of the repository, and the variables in vars. It returns "" if none of
// them matters.
func InputsDigest(p Place, vars []string) string {
	var b strings.Builder
	b.WriteString(pathPrefixInRepo(p))
	q := planner{place: p}
	for _, entry := range environOrDefault(p.Environ) {
		if name, val, _ := strings.Cut(entry, "="); q.varLoadsRepoCode(name, val) {
			b.WriteString("\x00" + entry)
		}
	}
	for _, name := range vars {
		if name == "HOME" {
			b.WriteString("\x00~=" + p.Home)
			continue
		}
		val := lookupEnv(p.Environ, name)
		if isRootVar(name) {
			if val = canonicalRoot(p, val); val == p.Root {
				continue
			}
		}
		b.WriteString("\x00" + name + "=" + val)
	}
	if b.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// pathPrefixInRepo returns PATH up to and including its last element in the repository. It returns ""
// if no element lies there, and "none" if PATH is unset or empty.
func pathPrefixInRepo(p Place) string {
	list, ok := environ.Lookup(p.Environ, "PATH")
	if !ok || list == "" {
		return "none" // see [resolve.BuiltInPath]
	}
	end, at := 0, 0
	for _, elem := range filepath.SplitList(list) {
		at += len(elem) + 1
		if elem == "" || !isAbs(elem) || isWithin(p.Top, filepath.Clean(elem)) || isWithin(p.Root, filepath.Clean(elem)) {
			end = at
		}
	}
	return list[:min(end, len(list))]
}
