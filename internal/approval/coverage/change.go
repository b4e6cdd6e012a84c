package coverage

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/taskfile"
)

// changers lists programs, and gitChanges git subcommands, that change files in ways that are not
// analysed.
const (
	changers   = "hg jj svn fossil unzip 7z 7za cpio bsdcpio patch rsync scp sftp wget aria2c tar gtar bsdtar curl cp mv install"
	gitChanges = "pull checkout switch merge rebase reset restore stash apply am cherry-pick revert clone submodule worktree bisect clean read-tree checkout-index sparse-checkout"
)

// builders lists programs that create files which the same text may run later.
const builders = "cc gcc g++ c++ clang clang++ ld go rustc tsc esbuild swiftc javac ghc zig nim crystal shc"

// noteChange records c in p.builder if it may create files, or in p.change if it may change them: a
// file that runs after c may differ from the one that exists now.
func (p *planner) noteChange(c *shell.Call) {
	switch {
	case taskfile.IsRunner(c.Name) || hasWord(builders, c.Name):
		p.builder = c.Name
	case hasWord(changers, c.Name):
		p.change = c.Name
	case c.Name == "git" && hasWord(gitChanges, gitSubcommand(c)):
		p.change = "git " + gitSubcommand(c)
	}
}
