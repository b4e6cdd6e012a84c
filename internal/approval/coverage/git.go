package coverage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
)

// gitSubcommand returns the subcommand of a git call, or "" if there is none.
func gitSubcommand(c *shell.Call) string {
	if i := subcommandIndex(c); i >= 0 {
		return c.Args[i].Text
	}
	return ""
}

// noteHooksPath sets p.hooksPath if c is a git call that sets core.hooksPath.
func (p *planner) noteHooksPath(c *shell.Call) {
	if c.Name != "git" {
		return
	}
	for i := range c.Args {
		key, val, given := strings.Cut(c.Args[i].Text, "=")
		if !strings.EqualFold(key, "core.hookspath") {
			continue
		}
		if !given && i+1 < len(c.Args) {
			val = c.Args[i+1].Text
		}
		p.hooksPath = val
	}
}

// gitInert lists git subcommands that neither write to the repository nor read the working tree. No
// settings except aliases affect what they run.
const gitInert = "rev-parse rev-list version help var symbolic-ref for-each-ref show-ref merge-base name-rev ls-tree check-ref-format check-attr count-objects"

// gitWithHooks lists git subcommands that run hooks, and gitWithRemotes those that use settings of
// remote repositories.
const (
	gitWithHooks   = "commit push checkout switch worktree clone merge pull rebase cherry-pick revert am gc hook"
	gitWithRemotes = "fetch pull push clone ls-remote remote submodule archive lfs svn send-email imap-send credential request-pull"
)

// addGit covers what git itself runs for c: commands in the settings of the repository, and its hooks.
func (p *planner) addGit(c *shell.Call, at spot) {
	sub := gitSubcommand(c)
	if strings.ContainsRune(sub, shell.Placeholder) {
		p.noteUnknownWord(argumentWord(c, sub), "which git command runs")
	}
	for _, dir := range at.dirs {
		git, top := p.gitDirOf(c, dir)
		if git == "" {
			continue
		}
		local, ok := gitconfig.ReadLocal(git, p.place.Home, p.readGitFile)
		if !ok || p.usesOtherConfig(c) {
			p.noteUnsure("git runs commands from this repository's settings, which cannot be read")
		}
		for i := range local.Settings {
			p.addGitSetting(c, sub, &local, &local.Settings[i], top)
		}
		p.addGitHooks(sub, &local, top)
	}
}

// readGitFile returns the contents of path for package gitconfig, or ErrLarge if these exceed most
// bytes.
func (p *planner) readGitFile(path string, most int) ([]byte, error) {
	text, err := p.disk.File(path)
	if err == nil && len(text) > most {
		err = ErrLarge
	}
	return text, err
}

// gitDirOf returns the git directory that c uses when it runs in dir, and the top of its working tree.
// It searches for one only within the repository, and returns "" if there is none.
func (p *planner) gitDirOf(c *shell.Call, dir string) (git, top string) {
	sub := subcommandIndex(c)
	if sub < 0 {
		sub = len(c.Args)
	}
	for i := 0; i < sub; i++ {
		key, val, given := strings.Cut(c.Args[i].Text, "=")
		if !hasWord("-C --git-dir --work-tree", key) || key == "-C" && given {
			continue
		}
		if !given && i+1 < sub {
			i++
			val = c.Args[i].Text
		}
		if strings.ContainsRune(val, shell.Placeholder) {
			p.noteUnknownWord(c.Args[i], "which repository git works in")
			return "", ""
		}
		switch key {
		case "-C":
			dir = joinPath(dir, val)
		case "--git-dir":
			git = joinPath(dir, val)
		}
	}
	for i := range p.vars {
		if v := &p.vars[i]; v.Name == "GIT_DIR" && git == "" && v.Value.Text != "" {
			git = joinPath(dir, v.Value.Text)
		}
	}
	if git != "" {
		return git, dir
	}
	for at := dir; p.inRepo(at); at = filepath.Dir(at) {
		if git := filepath.Join(at, ".git"); p.disk.Kind(git) != Nothing {
			return git, at
		}
		// git accepts every directory that looks like a repository.
		if at != p.place.Top && p.disk.Kind(filepath.Join(at, "HEAD")) == Regular && p.disk.Kind(filepath.Join(at, "objects")) == Directory {
			return at, at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return "", ""
}

// usesOtherConfig reports whether the arguments of c, or variables such as GIT_CONFIG, name further
// configuration files.
func (p *planner) usesOtherConfig(c *shell.Call) bool {
	return slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.HasPrefix(strings.ToLower(w.Text), "include.path=") }) ||
		slices.ContainsFunc(p.now.HijackVars, func(v shell.Variable) bool {
			return hasWord("GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM", v.Name) && v.Value.Text != "/dev/null"
		})
}

// addGitSetting covers the command, if any, that the setting s makes c, a call of the subcommand sub,
// run in the working tree at top.
func (p *planner) addGitSetting(c *shell.Call, sub string, local *gitconfig.LocalConfig, s *shell.Setting, top string) {
	key := s.Section + "." + s.Key
	if s.Name != "" {
		key = s.Section + "." + s.Name + "." + s.Key
	}
	text := ""
	switch {
	case s.Section == "alias":
		if s.Key != strings.ToLower(sub) && !strings.EqualFold(s.Name, sub) {
			return
		}
		if own, ok := strings.CutPrefix(s.Value, "!"); ok {
			text = own
		} else {
			text = "git " + s.Value
		}
		for _, w := range c.Args[subcommandIndex(c)+1:] {
			text += " " + expand.Quote(w.Text)
		}
	case hasWord(gitInert, sub), hasWord("credential remote url submodule imap sendemail", s.Section) && !hasWord(gitWithRemotes, sub), hasWord("core.sshcommand core.gitproxy core.askpass", key) && !hasWord(gitWithRemotes, sub):
		return
	case s.Section == "pager" || hasWord("core.pager core.editor sequence.editor", key):
		if !hasWord(gitWithHooks, sub) && !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text == "-p" || w.Text == "--paginate" }) {
			return // hooks have no terminal, so neither pager nor editor runs
		}
		text = s.Value
	case s.Section == "hook" && s.Key == "command":
		text = s.Value
	default:
		text = shell.GitSettingCommand(key, s.Value)
	}
	ran := "g" + top + "\x00" + key + "\x00" + text
	if text == "" || slices.Contains(p.followed, ran) || p.isTooDeep() {
		return
	}
	p.followed = append(p.followed, ran)
	if !isSystem(p.place.Root, local.Config) && p.disk.Kind(local.Config) == Regular {
		p.addPart(Part{Path: local.Config, Name: "setting " + messageText(key), Text: []byte(s.Value)})
	}
	p.inside++
	p.followText(text, top, nil)
	p.inside--
}

// addGitHooks covers the hooks that the subcommand sub may run in the working tree at top.
func (p *planner) addGitHooks(sub string, local *gitconfig.LocalConfig, top string) {
	if sub == "" || hasWord(gitInert, sub) {
		return
	}
	dir := local.Hooks
	for i := range local.Settings {
		if s := &local.Settings[i]; s.Section == "core" && s.Key == "hookspath" {
			dir = s.Value
		}
	}
	if p.hooksPath != "" {
		dir = p.hooksPath
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(p.place.Home, rest)
	}
	if strings.ContainsRune(dir, shell.Placeholder) {
		p.noteUnsure("the directory of git's hooks is only known when it runs")
		return
	}
	dir = joinPath(top, dir)
	names := []string{"post-index-change", "reference-transaction"}
	if hasWord(gitWithHooks, sub) {
		names, _ = p.disk.Names(dir)
	}
	for _, name := range names {
		if path := filepath.Join(dir, name); !strings.HasSuffix(name, ".sample") && p.addFile(path, false) {
			p.followExecuted(path, nil, spot{dirs: []string{top}})
		}
	}
}

// joinPath returns path cleaned, and joined to dir unless it is absolute.
func joinPath(dir, path string) string {
	if isAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
