package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// lookingUp are programs whose commands may be programs on PATH: git lint is git-lint.
const lookingUp = "git cargo kubectl oc docker brew conda mamba stack cabal dotnet chezmoi"

// subcommands covers the programs on PATH that a program may take its commands from.
func (p *planner) subcommands(c *shell.Call, path string, dirs []string) {
	if !hasWord(lookingUp, c.Name) {
		return
	}
	name := c.Name
	for i := commandAt(c); i >= 0 && i < len(c.Args); i++ {
		w := c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || strings.ContainsAny(w.Text, "/\x00") {
			return
		}
		if !w.Known() {
			p.unsureAbout(w, "which command of "+c.Name+" runs")
			return
		}
		name += "-" + w.Text
		p.addFromPath(name, path, dirs)
		if c.Name != "kubectl" && c.Name != "oc" { // which take several words for one
			return
		}
	}
}

// commandAt is which argument of a program is its command; -1 = none.
func commandAt(c *shell.Call) int {
	for i := 0; i < len(c.Args); i++ {
		switch t := c.Args[i].Text; {
		case c.Name == "git" && hasWord("-C -c --git-dir --work-tree --namespace --config-env", t):
			i++
		case t != "" && t[0] != '-' && t[0] != '+':
			return i
		}
	}
	return -1
}

// unbuilt reports whether a file that is not there may be made by what runs before.
func (p *planner) unbuilt(name string, list []string) bool {
	if p.builder == "" || slices.ContainsFunc(list, func(path string) bool { return p.disk.Kind(path) != Nothing }) {
		return false
	}
	p.unsure(p.builder + " may make " + visible(name) + " before it runs")
	return true
}

// isSpecial reports whether a path of the system may lead to a file of anybody's.
func isSpecial(path string) bool {
	clean := filepath.Clean(path)
	return isBelow("/proc", clean) || isBelow("/dev/fd", clean) || strings.Contains(path, "..") && (strings.Contains(path, "/proc/") || strings.Contains(path, "/dev/fd/"))
}

// lead is where a path leads. It reports false for a path through what the system shows
// of processes, which is only known when it runs.
func lead(path string) (string, bool) {
	clean := filepath.Clean(path)
	fd, open := strings.CutPrefix(clean, "/dev/fd/")
	return clean, !isSpecial(path) || open && !strings.Contains(path, "..") && !strings.Contains(fd, "/")
}
