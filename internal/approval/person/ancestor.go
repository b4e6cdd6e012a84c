package person

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// IsMountedOver reports whether dir, or a directory between it and one of homes, is a mount point, as
// far as this process can see.
func IsMountedOver(dir string, homes ...string) bool {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for row := range strings.Lines(string(text)) {
		f := strings.Fields(row)
		if len(f) > 4 && (dir == f[4] || strings.HasPrefix(dir, f[4]+"/") && slices.ContainsFunc(homes, func(home string) bool { return home != "" && strings.HasPrefix(f[4], home+"/") })) {
			return true
		}
	}
	return false
}

// HostAncestor returns the name of an ancestor process that is one of hosts, or "" if there is none.
// It compares the first two arguments of each ancestor: a program, or an interpreter and its script.
func HostAncestor(hosts []string) string {
	found := ""
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		for _, arg := range a.Args[:min(len(a.Args), 2)] {
			if name := strings.TrimSuffix(path.Base(liveagents.ProgramName(arg)), ".js"); slices.Contains(hosts, name) {
				found = name
			}
		}
		return found == ""
	})
	return found
}
