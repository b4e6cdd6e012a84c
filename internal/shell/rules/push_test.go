package rules

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
)

// A lab is a temporary home directory with a repository and two others to push to.
type lab struct {
	t       *testing.T
	home    string
	dir     string
	environ []string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	home := t.TempDir()
	if err := os.CopyFS(home, labFiles(t)); err != nil {
		t.Fatal(err)
	}
	l := newLabIn(t, home)
	config := filepath.Join(l.dir, ".git", "config")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, []byte(strings.ReplaceAll(string(text), "../origin.git", filepath.Join(home, "origin.git"))), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newLabIn returns a lab with the home directory home.
func newLabIn(t *testing.T, home string) *lab {
	l := &lab{t: t, home: home, dir: filepath.Join(home, "work")}
	l.environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "LC_ALL=C"}
	return l
}

var built struct {
	sync.Mutex
	files fstest.MapFS
}

// labFiles returns the files of a lab. It creates them with git once, and then reuses them.
func labFiles(t *testing.T) fs.FS {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.files != nil {
		return built.files
	}
	l := newLabIn(t, t.TempDir())
	home := l.home
	for _, name := range []string{"origin", "fork"} {
		l.git(home, "init", "-q", "--bare", "-b", "main", name+".git")
	}
	l.git(home, "init", "-q", "-b", "main", "work")
	l.git(l.dir, "commit", "-q", "--allow-empty", "-m", "one")
	l.git(l.dir, "remote", "add", "origin", "../origin.git")
	for _, branch := range []string{"feature", "other", "release-1"} {
		l.git(l.dir, "branch", branch)
	}
	l.git(l.dir, "push", "-q", "origin", "main", "feature", "other", "release-1")
	l.git(l.dir, "remote", "set-head", "origin", "main")
	for _, branch := range []string{"feature", "other", "release-1", "main"} {
		// Each branch has a commit to push that is not a fast-forward.
		l.git(l.dir, "checkout", "-q", branch)
		l.git(l.dir, "commit", "-q", "--amend", "--allow-empty", "-m", "two of "+branch)
	}
	l.git(l.dir, "checkout", "-q", "feature")
	files := fstest.MapFS{}
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(home, path)
		file := &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		if err == nil && !e.IsDir() {
			file.Mode = 0o644
			file.Data, err = os.ReadFile(path)
		}
		files[filepath.ToSlash(name)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	built.files = files
	return files
}

// git runs git with args in dir and returns its output. It fails the test if git fails.
func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	out, err := l.tryGit(dir, args...)
	if err != nil {
		l.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (l *lab) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// gitDestination returns the refs that git itself would push to. It reports false if git refuses the
// push.
func (l *lab) gitDestination(dir string, args []string) (refs []string, ok bool) {
	out, err := l.tryGit(dir, append([]string{"push", "--dry-run", "--porcelain"}, args...)...)
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(parts) < 3 {
			continue
		}
		_, to, _ := strings.Cut(parts[1], ":")
		if parts[0] == "-" {
			to = "delete " + to
		}
		refs = append(refs, to)
	}
	slices.Sort(refs)
	refs = slices.Compact(refs) // git may print a ref twice
	return refs, err == nil || len(refs) > 0
}

// resolvedDestination returns the refs that a push goes to according to resolvePush, or why they are
// unknown.
func (l *lab) resolvedDestination(dir string, args []string) (refs []string, why string) {
	c := &shell.Call{Name: "git", Path: "git", Args: []shell.Word{{Text: "push"}}}
	for _, a := range args {
		c.Args = append(c.Args, shell.Word{Text: a})
	}
	r := newReading(c)
	p := r.resolvePush(gitconfig.Read(dir, l.home, l.environ), "there is no repository")
	for _, one := range p.refs {
		to := one.ref
		if one.delete {
			to = "delete " + to
		}
		refs = append(refs, to)
	}
	slices.Sort(refs)
	return refs, p.unknown
}

// pushSettings are ways to configure a repository.
var pushSettings = []struct {
	name string
	set  [][]string
}{
	{"plain", nil},
	{"upstream of the same name", [][]string{{"branch", "-q", "--set-upstream-to", "origin/feature", "feature"}}},
	{"upstream main, simple", [][]string{{"branch", "-q", "--set-upstream-to", "origin/main", "feature"}}},
	{"upstream main, upstream", [][]string{{"branch", "-q", "--set-upstream-to", "origin/main", "feature"}, {"config", "push.default", "upstream"}}},
	{"upstream main, tracking in the home", [][]string{{"branch", "-q", "--set-upstream-to", "origin/main", "feature"}, {"config", "--global", "push.default", "tracking"}}},
	{"upstream main, current", [][]string{{"branch", "-q", "--set-upstream-to", "origin/main", "feature"}, {"config", "push.default", "current"}}},
	{"current", [][]string{{"config", "push.default", "current"}}},
	{"matching", [][]string{{"config", "push.default", "matching"}}},
	{"nothing", [][]string{{"config", "push.default", "nothing"}}},
	{"set up by itself", [][]string{{"config", "push.autoSetupRemote", "true"}}},
	{"two remotes", [][]string{{"remote", "add", "fork", "../fork.git"}}},
	{"two remotes, branch follows origin", [][]string{{"remote", "add", "fork", "../fork.git"}, {"branch", "-q", "--set-upstream-to", "origin/main", "feature"}}},
	{"remote.pushDefault", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "remote.pushDefault", "fork"}}},
	{"remote.pushDefault, follows main", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "remote.pushDefault", "fork"}, {"branch", "-q", "--set-upstream-to", "origin/main", "feature"}}},
	{"pushRemote", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "branch.feature.pushRemote", "fork"}, {"config", "push.default", "current"}}},
	{"pushRemote over pushDefault", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "branch.feature.pushRemote", "origin"}, {"config", "remote.pushDefault", "fork"}}},
	{"triangle with upstream", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "branch.feature.pushRemote", "fork"}, {"branch", "-q", "--set-upstream-to", "origin/main", "feature"}, {"config", "push.default", "upstream"}}},
	{"remote.push one", [][]string{{"config", "remote.origin.push", "refs/heads/feature:refs/heads/main"}}},
	{"remote.push HEAD", [][]string{{"config", "remote.origin.push", "HEAD"}}},
	{"remote.push HEAD to release", [][]string{{"config", "remote.origin.push", "HEAD:refs/heads/release-1"}}},
	{"remote.push wildcard", [][]string{{"config", "remote.origin.push", "refs/heads/*:refs/heads/*"}}},
	{"remote.push forced", [][]string{{"config", "remote.origin.push", "+refs/heads/feature:refs/heads/feature"}}},
	{"remote.push two", [][]string{{"config", "--add", "remote.origin.push", "feature"}, {"config", "--add", "remote.origin.push", "other:main"}}},
	{"mirror", [][]string{{"config", "remote.origin.mirror", "true"}}},
	{"pushurl", [][]string{{"config", "remote.origin.pushurl", "../fork.git"}}},
	{"two pushurls", [][]string{{"config", "--add", "remote.origin.pushurl", "../fork.git"}, {"config", "--add", "remote.origin.pushurl", "../origin.git"}}},
	{"renamed remote", [][]string{{"remote", "rename", "origin", "upstream"}}},
	{"detached", [][]string{{"checkout", "-q", "--detach"}}},
	{"packed", [][]string{{"pack-refs", "--all"}}},
	{"a tag of the same name", [][]string{{"tag", "feature"}}},
	{"a tag of the same name, packed", [][]string{{"tag", "other"}, {"pack-refs", "--all"}}},
	{"a branch that is another", [][]string{{"symbolic-ref", "refs/heads/alias", "refs/heads/main"}, {"symbolic-ref", "HEAD", "refs/heads/alias"}}},
	{"a branch with slashes", [][]string{{"checkout", "-q", "-b", "me/a/feature"}, {"config", "push.default", "current"}}},
	{"unborn", [][]string{{"checkout", "-q", "--orphan", "fresh"}, {"config", "push.default", "current"}}},
	{"capitals", [][]string{{"config", "PUSH.Default", "Current"}}},
	{"settings with quotes", [][]string{{"config", "remote.origin.note", "a \"b\" # c ; d\\e"}, {"config", "push.default", "current"}}},
	{"worktree settings", [][]string{{"config", "extensions.worktreeConfig", "true"}, {"config", "--worktree", "push.default", "current"}}},
	{"two merges", [][]string{{"config", "branch.feature.remote", "origin"}, {"config", "--add", "branch.feature.merge", "refs/heads/feature"}, {"config", "--add", "branch.feature.merge", "refs/heads/main"}, {"config", "push.default", "upstream"}}},
}

// pushArgs are argument lists of git push.
var pushArgs = [][]string{
	{"-f"}, {"--force-with-lease"}, {"-f", "origin"}, {"-f", "origin", "feature"}, {"-f", "origin", "HEAD"}, {"-f", "origin", "@"}, {"-f", "origin", "main"},
	{"origin", "+feature"}, {"origin", "+feature:main"}, {"origin", "+HEAD:main"}, {"-f", "origin", "HEAD:feature"}, {"-f", "origin", "feature:refs/heads/x"},
	{"-f", "origin", "refs/heads/feature"}, {"-f", "origin", "heads/feature"}, {"-f", "origin", "feature", "other"}, {"-f", "origin", "feature", "feature:feature"},
	{"-f", "origin", ":"}, {"-f", "origin", "refs/heads/*:refs/heads/*"}, {"--delete", "origin", "feature"}, {"origin", ":feature"}, {"origin", "--delete", "feature", "other"},
	{"-f", "--all"}, {"-f", "--tags"}, {"-f", "fork", "feature"}, {"-f", "../fork.git", "feature"}, {"-f", "nowhere"}, {"-f", "origin", "missing"}, {"-f", "origin", "HEAD~0:feature"},
	{"-f", "-u", "origin", "feature"}, {"-uf", "origin", "HEAD"}, {"-f", "--no-verify", "-o", "x", "origin", "feature"}, {"--force-with-lease=feature", "origin", "feature"},
	{"--force-with-lease", "--force-if-includes", "origin", "feature"}, {"-f", "--repo=fork"}, {"-f", "--follow-tags", "origin", "feature"}, {"-f", "origin", "tag", "feature"},
	{"-f", "--mirror", "origin"}, {"-f", "--prune", "origin", "refs/heads/*"}, {"-f", "origin", "other:feature"}, {"-f", "origin", "feature:heads/x"}, {"-f", "origin", "feature:new"},
	{"-f", "origin", "HEAD:other"}, {"-f", "origin", "@:refs/heads/other"}, {"-f", ""},
}

// TestPushMatchesGit checks, for every configuration and every argument list, that a resolved
// destination is the one that git pushes to, and that pushes with the same subject go to the same
// branches.
func TestPushMatchesGit(t *testing.T) {
	t.Parallel()
	var configurations, known, shared atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d configurations, of which %d are resolved, %d pairs", configurations.Load(), known.Load(), shared.Load())
		if configurations.Load() < 240 || known.Load() < configurations.Load()/4 || shared.Load() < 50 {
			t.Error("too few pushes are resolved")
		}
	})
	for _, set := range pushSettings {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			for _, args := range set.set {
				l.git(l.dir, args...)
			}
			by, how := map[string][]string{}, map[string][]string{}
			for _, args := range pushArgs {
				configurations.Add(1)
				on, _ := l.worstSubject(l.dir, "git push "+strings.Join(args, " "))
				got, why := l.resolvedDestination(l.dir, args)
				if why != "" && on == "" {
					continue
				}
				want, ok := l.gitDestination(l.dir, args)
				if why == "" {
					known.Add(1)
					if ok && !slices.Equal(got, want) {
						t.Errorf("git push %v: resolved %q, git pushes %q", args, got, want)
					}
				}
				if !ok || on == "" {
					continue
				}
				if have, found := by[on]; found && !slices.Equal(have, want) {
					t.Errorf("%v and %v both have the subject %q, but git pushes %q and %q", args, how[on], on, want, have)
				} else if found {
					shared.Add(1)
				}
				by[on], how[on] = want, args
			}
		})
	}
}

// TestPushIsResolved checks that the usual ways to push one's own branch are resolved.
func TestPushIsResolved(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.git(l.dir, "branch", "-q", "--set-upstream-to", "origin/feature", "feature")
	l.git(l.home, "-C", l.dir, "worktree", "add", "-q", filepath.Join(l.home, "tree"), "other")
	tree := filepath.Join(l.home, "tree")
	if err := os.Mkdir(filepath.Join(l.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir, words, want string
	}{
		{l.dir, "-f", "refs/heads/feature"},
		{filepath.Join(l.dir, "sub"), "--force-with-lease", "refs/heads/feature"},
		{l.dir, "-f origin feature", "refs/heads/feature"},
		{l.dir, "-f origin HEAD", "refs/heads/feature"},
		{l.dir, "origin +HEAD:x", "refs/heads/x"},
		{l.dir, "origin :x", "delete refs/heads/x"},
		{l.dir, "-d origin x", "delete refs/heads/x"},
		{tree, "-f origin HEAD", "refs/heads/other"},
		{tree, "-f origin feature", "refs/heads/feature"},
	} {
		got, why := l.resolvedDestination(c.dir, strings.Fields(c.words))
		if fmt.Sprint(got) != fmt.Sprint([]string{c.want}) || why != "" {
			t.Errorf("git push %s: %q, %s; want %q", c.words, got, why, c.want)
		}
	}
}

// TestPushWithIncludedSettings checks that included settings count, and that conditional ones make the
// push unknown if they affect it.
func TestPushWithIncludedSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, global, file string
		words, want        string
	}{
		{"include", "[include]\n\tpath = more\n", "[push]\n\tdefault = current\n", "-f", "refs/heads/feature"},
		{"include in the home", "[include]\n\tpath = ~/more\n", "[push]\n\tdefault = current\n", "-f", "refs/heads/feature"},
		{"include of nothing", "[include]\n\tpath = none\n", "", "-f origin HEAD", "refs/heads/feature"},
		{"includeIf of a name", "[includeIf \"gitdir:~/work/\"]\n\tpath = more\n", "[user]\n\tname = me\n", "-f origin HEAD", "refs/heads/feature"},
		{"includeIf of pushes", "[includeIf \"gitdir:~/work/\"]\n\tpath = more\n", "[remote \"origin\"]\n\tpush = HEAD:main\n", "-f origin", ""},
		{"includeIf of an include", "[includeIf \"onbranch:main\"]\n\tpath = more\n", "[include]\n\tpath = more\n", "-f origin", ""},
		{"not readable", "[push\n", "", "-f origin HEAD", ""},
		{"itself", "[include]\n\tpath = .gitconfig\n", "", "-f origin HEAD", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			for name, text := range map[string]string{".gitconfig": c.global, "more": c.file} {
				if err := os.WriteFile(filepath.Join(l.home, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, why := l.resolvedDestination(l.dir, strings.Fields(c.words))
			if c.want == "" && why == "" || c.want != "" && fmt.Sprint(got) != "["+c.want+"]" {
				t.Errorf("git push %s: %q, %s; want %q", c.words, got, why, c.want)
			}
			want, ok := l.gitDestination(l.dir, strings.Fields(c.words))
			if why == "" && ok && !slices.Equal(got, want) {
				t.Errorf("git push %s: resolved %q, git pushes %q", c.words, got, want)
			}
		})
	}
}

func TestHasProtectedName(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields("main Master trunk develop dev release release/1.2 release-2 releases/x rel-3 prod prod-eu production stable stable-3 staging v1 v1.x 1.x 2.0 1.2.3 2.0-stable hotfix-main team/main main/x gh-pages maint-1 production2 lts/4 user/master") {
		if !hasProtectedName(name) {
			t.Errorf("%s is not protected", name)
		}
	}
	for _, name := range strings.Fields("feature feature/x fix-1 123-fix-login product-page produce releasenotes feature/release-notes mainframe me/a developer-docs v2-redesign hotfix/login chore/deps dependabot/npm/x claude/add-tests stabilise 42 issue-7 vision") {
		if hasProtectedName(name) {
			t.Errorf("%s is protected", name)
		}
	}
}

// gitOptions are options of git before the subcommand. A push with them is unknown, or goes where git
// pushes to.
var gitOptions = []struct {
	env, flags string
	unknown    bool
}{
	{flags: "-c a.b=c"}, {flags: "-c user.name=x -c color.ui=false"}, {flags: "-c push.default=current"}, {flags: "-c push.default=matching", unknown: true},
	{flags: "-c push.autosetupremote"}, {flags: "-c remote.origin.push=feature:main"}, {flags: "-c remote.pushDefault=origin"}, {flags: "-c remote.origin.pushurl=$H/fork.git", unknown: true},
	{flags: "-c url.$H/fork.git.insteadOf=$H/origin.git", unknown: true}, {flags: "-c include.path=$H/x", unknown: true}, {flags: "-c branch.feature.merge=refs/heads/main", unknown: true},
	{flags: "-C ."}, {flags: "-C $W"}, {flags: "-C sub"}, {flags: "-C sub -C $W -c a.b=c"}, {flags: "-C $H/fork.git", unknown: true}, {flags: "-C ..", unknown: true},
	{flags: "--git-dir=.git"}, {flags: "--git-dir .git"}, {flags: "--git-dir=$W/.git"}, {flags: "--git-dir=$H/fork.git", unknown: true}, {flags: "--git-dir=$W/.git -C $H"}, {flags: "-C $W --git-dir=$H/second/.git", unknown: true},
	{flags: "--git-dir=$W/.git -C $H/second"}, {flags: "--work-tree=."}, {flags: "--work-tree ."}, {flags: "--bare", unknown: true}, {flags: "--exec-path=/x", unknown: true}, {flags: "--namespace=x", unknown: true},
	{flags: "--config-env=a.b=HOME"}, {flags: "--config-env=push.default=HOME", unknown: true}, {flags: "-p"}, {flags: "-P"}, {flags: "--paginate"}, {flags: "--no-pager"},
	{flags: "--literal-pathspecs"}, {flags: "--glob-pathspecs"}, {flags: "--noglob-pathspecs"}, {flags: "--icase-pathspecs"}, {flags: "--no-optional-locks"}, {flags: "--no-replace-objects"},
	{env: "GIT_DIR=.git"}, {env: "GIT_DIR=$W/.git"}, {env: "GIT_DIR=$H/fork.git", unknown: true}, {env: "GIT_DIR=$W/.git", flags: "-C $H/second"}, {env: "GIT_DIR=$H/second/.git", flags: "-C $W", unknown: true},
	{env: "GIT_WORK_TREE=."}, {env: "GIT_PAGER=cat"}, {env: "GIT_TRACE=0"}, {env: "GIT_LITERAL_PATHSPECS=1"}, {env: "GIT_CEILING_DIRECTORIES=/"}, {env: "GIT_NAMESPACE=x", unknown: true},
	{env: "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=push.default GIT_CONFIG_VALUE_0=current"}, {env: "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=push.default GIT_CONFIG_VALUE_0=matching", unknown: true},
	{env: "GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_1=push.default GIT_CONFIG_VALUE_1=current GIT_CONFIG_KEY_0=push.default GIT_CONFIG_VALUE_0=matching"},
	{env: "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=push.default GIT_CONFIG_VALUE_0=matching", flags: "-c push.default=current"},
	{env: "GIT_CONFIG_COUNT=1", unknown: true}, {env: "GIT_CONFIG_GLOBAL=/dev/null", unknown: true}, {env: "GIT_COMMON_DIR=$H/fork.git", unknown: true}, {env: "HOME=/", unknown: true},
}

func TestPushWithGitOptions(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.git(l.dir, "branch", "-q", "--set-upstream-to", "origin/feature", "feature")
	l.git(l.home, "clone", "-q", "origin.git", "second")
	if err := os.Mkdir(filepath.Join(l.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("$W", l.dir, "$H", l.home)
	for _, o := range gitOptions {
		env, args := strings.Fields(here.Replace(o.env)), append(strings.Fields(here.Replace(o.flags)), "push", "-f")
		c := &shell.Call{Name: "git", Path: "git"}
		for _, v := range env {
			name, value, _ := strings.Cut(v, "=")
			c.Env = append(c.Env, shell.Variable{Name: name, Value: shell.Word{Text: value}})
		}
		for _, a := range args {
			c.Args = append(c.Args, shell.Word{Text: a})
		}
		r := newReading(c)
		s := search{place: &shell.Place{Dir: l.dir, Repo: func(dir string) *shell.Repo { return gitconfig.Read(dir, l.home, l.environ) }}}
		p := r.resolvePush(s.repository(&r))
		if (p.unknown != "") != o.unknown {
			t.Errorf("%s git %s push -f: unknown %q, want %v", o.env, o.flags, p.unknown, o.unknown)
		}
		if p.unknown != "" {
			continue
		}
		cmd := exec.Command("git", append(args, "--dry-run", "--porcelain")...)
		cmd.Dir, cmd.Env = l.dir, append(slices.Clone(l.environ), env...)
		out, err := cmd.CombinedOutput()
		if err != nil || len(p.refs) != 1 || !strings.Contains(string(out), ":"+p.refs[0].ref+"\t") || strings.Count(string(out), ":refs/heads/") != 1 {
			t.Errorf("%s git %s push -f: resolved %+v, git prints %v\n%s", o.env, o.flags, p.refs, err, out)
		}
	}
}
