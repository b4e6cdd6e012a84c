package coverage

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/environ"
)

// Inputs is a digest of what a plan was told by beside the disk: of the environment,
// as far as it leads to code in the repository, and of the variables that the plan
// names. It is "" when there is nothing of the sort.
func Inputs(p Place, vars []string) string {
	var b strings.Builder
	b.WriteString(pathInto(p))
	q := planner{place: p}
	for _, entry := range orProcess(p.Environ) {
		if name, val, _ := strings.Cut(entry, "="); q.isHijacked(name, val) {
			b.WriteString("\x00" + entry)
		}
	}
	for _, name := range vars {
		if name == "HOME" {
			b.WriteString("\x00~=" + p.Home)
			continue
		}
		val := lookup(p.Environ, name)
		if isRootVar(name) {
			if val = resolveRoot(p, val); val == p.Root {
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

// pathInto is PATH up to its last element in the repository; "" when it has none.
func pathInto(p Place) string {
	list, ok := environ.Lookup(p.Environ, "PATH")
	if !ok || list == "" {
		return "none" // see [resolve.BuiltInPath]
	}
	end, at := 0, 0
	for _, elem := range filepath.SplitList(list) {
		at += len(elem) + 1
		if elem == "" || !isAbs(elem) || within(p.Top, filepath.Clean(elem)) || within(p.Root, filepath.Clean(elem)) {
			end = at
		}
	}
	return list[:min(end, len(list))]
}
