package person

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// Covered reports whether a directory, or one on the way to it from a home
// directory, is a file system of its own, as far as this process sees it.
func Covered(dir string, homes ...string) bool {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for row := range strings.Lines(string(text)) {
		f := strings.Fields(row)
		if len(f) > 4 && (dir == f[4] || strings.HasPrefix(dir, f[4]+"/") && slices.ContainsFunc(homes, func(home string) bool { return home != "" && strings.HasPrefix(f[4], home+"/") })) {
			return true
		}
	}
	return false
}

// Called finds an ancestor that is called like a host, by its first words: a
// program, or a script and what runs it.
func Called(hosts []string) string {
	found := ""
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		for _, arg := range a.Args[:min(len(a.Args), 2)] {
			if name := strings.TrimSuffix(path.Base(liveagents.NameOf(arg)), ".js"); slices.Contains(hosts, name) {
				found = name
			}
		}
		return found == ""
	})
	return found
}
