package coverage

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// changes notes a program that changes files in ways that are not followed: what runs
// after it may be something else than what is there now.
func (p *planner) changes(c *shell.Call, at spot) {
	if isBuilder(c.Name) {
		p.builder = c.Name
	}
	switch c.Name {
	case "git":
		if sub := gitCommand(c); hasWord("pull checkout switch merge rebase reset restore stash apply am cherry-pick revert clone submodule worktree bisect clean read-tree checkout-index sparse-checkout", sub) {
			p.change = "git " + sub
		}
	case "hg", "jj", "svn", "fossil", "unzip", "7z", "7za", "cpio", "bsdcpio", "patch", "rsync", "scp", "sftp", "wget", "aria2c":
		p.change = c.Name
	case "tar", "gtar", "bsdtar":
		p.changesIf(c, func(i int, t string) bool {
			return t == "--extract" || t == "--get" || (i == 0 || strings.HasPrefix(t, "-")) && !strings.HasPrefix(t, "--") && strings.Contains(t, "x")
		})
	case "curl":
		p.changesIf(c, func(_ int, t string) bool {
			return t == "-O" || t == "-o" || strings.HasPrefix(t, "--output") || t == "--remote-name"
		})
	case "cp", "mv", "ln", "install":
		// What is done to files that are named is followed, to whole directories not.
		p.changesIf(c, func(i int, t string) bool {
			if w := c.Args[i]; !w.Known() || w.Glob {
				return true
			}
			list, _ := p.paths(c.Args[i], at)
			return i < len(c.Args)-1 && slices.ContainsFunc(list, func(path string) bool { return p.look.Kind(path) == Directory })
		})
	case "sed", "gsed", "perl", "ruby":
		p.changesIf(c, func(_ int, t string) bool {
			return strings.HasPrefix(t, "-i") || strings.HasPrefix(t, "--in-place") || strings.HasPrefix(t, "-pi")
		})
	}
}

func (p *planner) changesIf(c *shell.Call, is func(i int, text string) bool) {
	for i := range c.Args {
		if is(i, c.Args[i].Text) {
			p.change = c.Name
		}
	}
}
