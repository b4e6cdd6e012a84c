package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// subcommandsOnPath lists programs whose subcommands may be programs on PATH. For example, git lint runs
// git-lint.
const subcommandsOnPath = "git cargo kubectl oc docker brew conda mamba stack cabal dotnet chezmoi"

// addSubcommands covers the programs in path, a value of PATH, that implement the subcommand of c.
func (p *planner) addSubcommands(c *shell.Call, path string, dirs []string) {
	if !hasWord(subcommandsOnPath, c.Name) {
		return
	}
	name := c.Name
	for i := subcommandIndex(c); i >= 0 && i < len(c.Args); i++ {
		w := c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || strings.ContainsAny(w.Text, "/\x00") {
			return
		}
		if !w.IsKnown() {
			p.noteUnknownWord(w, "which command of "+c.Name+" runs")
			return
		}
		name += "-" + w.Text
		p.addFromPath(name, path, dirs)
		if c.Name != "kubectl" && c.Name != "oc" { // only these use several words for one subcommand
			return
		}
	}
}

// subcommandIndex returns the index of the argument that is the subcommand of c, or -1 if there is
// none.
func subcommandIndex(c *shell.Call) int {
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

// mayBeBuilt reports whether an earlier program may create a file before it runs, because no path in
// list exists yet. If so, it adds that to Plan.Unsure under name.
func (p *planner) mayBeBuilt(name string, list []string) bool {
	if p.builder == "" || slices.ContainsFunc(list, func(path string) bool { return p.disk.Kind(path) != Nothing }) {
		return false
	}
	p.noteUnsure(p.builder + " may create " + messageText(name) + " before it runs")
	return true
}

// isProcessPath reports whether path goes through /proc or /dev/fd and so may lead to any file.
func isProcessPath(path string) bool {
	clean := filepath.Clean(path)
	return isBelowFixed("/proc", clean) || isBelowFixed("/dev/fd", clean) || strings.Contains(path, "..") && (strings.Contains(path, "/proc/") || strings.Contains(path, "/dev/fd/"))
}

// cleanPath returns path cleaned. It reports false if path goes through /proc or /dev/fd to a file
// that is only known at run time.
func cleanPath(path string) (string, bool) {
	clean := filepath.Clean(path)
	fd, open := strings.CutPrefix(clean, "/dev/fd/")
	return clean, !isProcessPath(path) || open && !strings.Contains(path, "..") && !strings.Contains(fd, "/")
}
