package builtin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// GitLimit is how many bytes of Git's output are passed to the model.
const GitLimit = 4096

// The author of a repository also controls its configuration, and Git starts programs
// that a configuration names, even for read-only commands. Agents work in repositories
// that no person has reviewed, so checkrein must not start any of these:
//
//   - core.fsmonitor, which every command that compares files runs: set to false;
//   - hooks: a diff writes back the refreshed index and calls
//     post-index-change. core.hooksPath leads nowhere, and GIT_OPTIONAL_LOCKS
//     keeps status from writing. Hooks that are defined in the configuration
//     itself are switched off by name, see [muteOptions];
//   - clean filters, run on files that look changed: see [muteOptions];
//   - diff.external, diff drivers and textconv: --no-ext-diff, --no-textconv;
//   - gpg.program, through log.showSignature: set to false;
//   - all of these in submodules, which have a configuration of their own:
//     --ignore-submodules=dirty does not read them;
//   - transports and their helpers, when a partial clone lacks an object:
//     GIT_NO_LAZY_FETCH, and for older gits no protocol is allowed. The value
//     must not be empty or a word, because a helper could have that name;
//   - pagers and credential prompts: --no-pager, GIT_TERMINAL_PROMPT.
//
// The user's configuration for all repositories and the hook's own env are trusted.
var (
	gitOptions = []string{
		"--no-pager",
		"-c", "core.pager=cat",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
		"-c", "log.showSignature=false",
		"-c", "color.ui=never", // a model cannot use escape codes
		"-c", "color.status=never",
	}
	gitEnv = []environ.Var{
		{Name: "GIT_OPTIONAL_LOCKS", Value: "0"},
		{Name: "GIT_TERMINAL_PROMPT", Value: "0"},
		{Name: "GIT_NO_LAZY_FETCH", Value: "1"},
		{Name: "GIT_ALLOW_PROTOCOL", Value: "(none)"},
	}
)

// GitLog returns a verdict that adds the output of a Git command to the context, below header. The
// command must read only commits.
func (c *Call) GitLog(ctx context.Context, header string, args ...string) (checkrein.Verdict, error) {
	return c.gitContext(ctx, header, nil, args)
}

// GitFiles returns a verdict that adds the output of a Git command that reads the working tree to the
// context, below header.
func (c *Call) GitFiles(ctx context.Context, header string, args ...string) (checkrein.Verdict, error) {
	if !c.mayHaveWorkTree() {
		return checkrein.Verdict{}, nil
	}
	list, err := c.RunGit(ctx, nil, "config", "--list", "--show-scope", "--name-only", "-z")
	if err != nil {
		return checkrein.Verdict{}, nil
	}
	mute, ok := muteOptions(string(list))
	if !ok {
		return checkrein.Verdict{}, nil
	}
	return c.gitContext(ctx, header, mute, args)
}

// mayHaveWorkTree reports whether the call's directory may be in a working tree. If it is not, Git
// need not be started.
func (c *Call) mayHaveWorkTree() bool {
	if c.Dir == "" {
		return false
	}
	_, set := environ.Lookup(c.Environ, "GIT_DIR")
	return set || Repository(c.Dir) != ""
}

// gitContext returns a verdict that adds the output of a Git command to the context, below header. The
// verdict is zero if Git fails or prints nothing.
func (c *Call) gitContext(ctx context.Context, header string, options, args []string) (checkrein.Verdict, error) {
	out, err := c.RunGit(ctx, options, args...)
	// If Run killed the program because it printed too much, the output is long enough.
	if err != nil && len(out) <= GitLimit {
		return checkrein.Verdict{}, nil
	}
	text := strings.TrimSpace(ValidUTF8(out))
	if text == "" {
		return checkrein.Verdict{}, nil
	}
	return AddContext(header + "\n\n" + Truncate(text, GitLimit)), nil
}

// RunGit runs a Git command, with options that keep it from starting programs of the repository, and
// returns its output.
func (c *Call) RunGit(ctx context.Context, options []string, args ...string) ([]byte, error) {
	if c.Dir == "" || c.Machine.Run == nil {
		return nil, os.ErrNotExist
	}
	env := environ.Overlay(c.Environ, gitEnv)
	// If GIT_CONFIG were set, git config would read only that file.
	env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "GIT_CONFIG=") })
	argv := slices.Concat([]string{"git", "-C", c.Dir}, gitOptions, options, args)
	return c.Machine.Run(ctx, "", env, argv...)
}

// muteOptions returns the options that switch off programs whose settings have names that are not
// known in advance. list holds the scope and key of every setting, each followed by a zero byte. It
// reports false if not all of them can be switched off.
//
// Configured hooks never run. Filters run only in a repository that defines none of its own, because
// files of git-lfs would look changed without them. In any other repository no filter runs: its own
// extensions could make the user's git-lfs start a program as well.
func muteOptions(list string) (options []string, ok bool) {
	var filters, hooks []string
	own := false
	for list != "" {
		var scope, key string
		scope, list, _ = strings.Cut(list, "\x00")
		key, list, _ = strings.Cut(list, "\x00")
		foreign := scope != "system" && scope != "global" && scope != "command"
		if name, ok := subsection(key, "filter."); ok {
			own = own || foreign
			filters = append(filters, name)
		} else if name, ok := subsection(key, "hook."); ok {
			hooks = append(hooks, name)
		} else if strings.HasPrefix(key, "lfs.extension.") {
			own = own || foreign
		}
	}
	for _, name := range sortUnique(hooks) {
		options = append(options, "-c", "hook."+name+".enabled=false")
	}
	if !own {
		filters = nil
	}
	for _, name := range sortUnique(filters) {
		options = append(options, "-c", "filter."+name+".clean=", "-c", "filter."+name+".process=",
			"-c", "filter."+name+".required=false")
	}
	// The key of an option ends at the first equals sign, so a name that contains one
	// cannot be switched off.
	hasEquals := func(name string) bool { return strings.Contains(name, "=") }
	return options, !slices.ContainsFunc(hooks, hasEquals) && !slices.ContainsFunc(filters, hasEquals)
}

// subsection returns the part of key between section, with which it must begin, and the last dot. It
// returns false if there is none.
func subsection(key, section string) (string, bool) {
	rest, ok := strings.CutPrefix(key, section)
	end := strings.LastIndexByte(rest, '.')
	if !ok || end < 0 {
		return "", false
	}
	return rest[:end], true
}

// sortUnique sorts names in place and returns them without duplicates.
func sortUnique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Repository returns dir or its nearest parent directory that Git would treat as the top of a working
// tree, or "" if there is none. Linked worktrees and submodules have a file .git that names the
// repository.
func Repository(dir string) string {
	for {
		if isDotGit(filepath.Join(dir, ".git")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// isDotGit reports whether path is a directory, or a file that names a repository.
func isDotGit(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if !info.Mode().IsRegular() {
		return info.IsDir()
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var start [7]byte
	n, _ := f.Read(start[:])
	return string(start[:n]) == "gitdir:"
}
