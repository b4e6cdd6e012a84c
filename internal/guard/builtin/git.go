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

// GitLimit is how many bytes of git's output the model is given.
const GitLimit = 4096

// Whoever made a repository wrote its configuration too, and git starts
// programs that a configuration names, even to look. Agents stand in
// repositories that nobody has read, so none of these may start through us:
//
//   - core.fsmonitor, asked by all that compares files: set to false;
//   - hooks: a diff writes back the refreshed index and calls
//     post-index-change. core.hooksPath leads nowhere, and GIT_OPTIONAL_LOCKS
//     keeps status from writing. Hooks that stand in the configuration itself
//     are switched off by name, see [muteOptions];
//   - clean filters, run on files that look changed: see [muteOptions];
//   - diff.external, diff drivers and textconv: --no-ext-diff, --no-textconv;
//   - gpg.program, through log.showSignature: set to false;
//   - all of these in submodules, whose configuration is theirs:
//     --ignore-submodules=dirty does not look into them;
//   - transports and their helpers, when a partial clone lacks an object:
//     GIT_NO_LAZY_FETCH, and for older gits no protocol is allowed. The value
//     must not be empty or a word, since a helper could be named after it;
//   - pagers and credential prompts: --no-pager, GIT_TERMINAL_PROMPT.
//
// What the person configured for all repositories and what the hook sets in
// its env is trusted.
var (
	gitOptions = []string{
		"--no-pager",
		"-c", "core.pager=cat",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
		"-c", "log.showSignature=false",
		"-c", "color.ui=never", // escape codes are no use to a model
		"-c", "color.status=never",
	}
	gitEnv = []environ.Var{
		{Name: "GIT_OPTIONAL_LOCKS", Value: "0"},
		{Name: "GIT_TERMINAL_PROMPT", Value: "0"},
		{Name: "GIT_NO_LAZY_FETCH", Value: "1"},
		{Name: "GIT_ALLOW_PROTOCOL", Value: "(none)"},
	}
)

// GitLog is git for commands that look at commits only.
func (c *Call) GitLog(ctx context.Context, header string, args ...string) (checkrein.Verdict, error) {
	return c.tellGit(ctx, header, nil, args)
}

// GitFiles is git for commands that look at the files of the working tree.
func (c *Call) GitFiles(ctx context.Context, header string, args ...string) (checkrein.Verdict, error) {
	if !c.hasFiles() {
		return checkrein.Verdict{}, nil
	}
	list, err := c.Git(ctx, nil, "config", "--list", "--show-scope", "--name-only", "-z")
	if err != nil {
		return checkrein.Verdict{}, nil
	}
	mute, ok := muteOptions(string(list))
	if !ok {
		return checkrein.Verdict{}, nil
	}
	return c.tellGit(ctx, header, mute, args)
}

// hasFiles reports whether there may be a working tree. Outside of one that
// saves starting git, turn after turn.
func (c *Call) hasFiles() bool {
	if c.Dir == "" {
		return false
	}
	_, told := environ.Lookup(c.Environ, "GIT_DIR")
	return told || Repository(c.Dir) != ""
}

// tellGit returns what a git command prints, under a header. No git, no
// repository and no output are nothing to say.
func (c *Call) tellGit(ctx context.Context, header string, options, args []string) (checkrein.Verdict, error) {
	out, err := c.Git(ctx, options, args...)
	// A Run that ends a program for printing too much has enough for us.
	if err != nil && len(out) <= GitLimit {
		return checkrein.Verdict{}, nil
	}
	text := strings.TrimSpace(ValidUTF8(out))
	if text == "" {
		return checkrein.Verdict{}, nil
	}
	return AddContext(header + "\n\n" + Truncate(text, GitLimit)), nil
}

func (c *Call) Git(ctx context.Context, options []string, args ...string) ([]byte, error) {
	if c.Dir == "" || c.Machine.Run == nil {
		return nil, os.ErrNotExist
	}
	env := environ.Overlay(c.Environ, gitEnv)
	// git config would read the file that this names, and no other.
	env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "GIT_CONFIG=") })
	argv := slices.Concat([]string{"git", "-C", c.Dir}, gitOptions, options, args)
	return c.Machine.Run(ctx, "", env, argv...)
}

// muteOptions returns the options that switch off the programs whose settings
// have names that we cannot know beforehand. list is scope and key of every
// setting, each ended by a zero byte. It reports false when they cannot all be
// switched off.
//
// Configured hooks never run. Filters are left alone in a repository that
// brings none of its own, since git-lfs is one and files would look changed
// without it. In any other none runs at all: through its own extensions a
// repository can have a program started by the person's git-lfs as well.
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
	for _, name := range unique(hooks) {
		options = append(options, "-c", "hook."+name+".enabled=false")
	}
	if !own {
		filters = nil
	}
	for _, name := range unique(filters) {
		options = append(options, "-c", "filter."+name+".clean=", "-c", "filter."+name+".process=",
			"-c", "filter."+name+".required=false")
	}
	// An option ends its key at the first equals sign, so a name that has one
	// cannot be switched off.
	hasEquals := func(name string) bool { return strings.Contains(name, "=") }
	return options, !slices.ContainsFunc(hooks, hasEquals) && !slices.ContainsFunc(filters, hasEquals)
}

// subsection returns the middle part of a key that begins with section.
func subsection(key, section string) (string, bool) {
	rest, ok := strings.CutPrefix(key, section)
	end := strings.LastIndexByte(rest, '.')
	if !ok || end < 0 {
		return "", false
	}
	return rest[:end], true
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Repository returns the closest directory at or above dir that git would take
// for the top of a working tree, "" if there is none. Linked worktrees and
// submodules have a file .git that says where the Repository is.
func Repository(dir string) string {
	for {
		if isRepository(filepath.Join(dir, ".git")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func isRepository(path string) bool {
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
