package githook_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A testTree is a working tree, with a program called checkrein that logs its arguments.
type testTree struct {
	t        *testing.T
	dir, log string
	env      []string
}

func newTestTree(t *testing.T) *testTree {
	t.Helper()
	home := t.TempDir()
	b := &testTree{t: t, dir: filepath.Join(t.TempDir(), "a tree"), log: filepath.Join(home, "log")}
	b.env = []string{
		"PATH=" + filepath.Join(home, "bin") + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LOG=" + b.log,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
	}
	b.writeScript(filepath.Join(home, "bin", "checkrein"), `echo "checkrein $*" >>"$LOG"; [ "$2" != pre-push ] || sed 's/ .*//; s/^/  ref /' >>"$LOG"; exit ${FAIL:-0}`)
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.git("init", "-q")
	return b
}

// inDir returns b with another directory.
func (b *testTree) inDir(dir string) *testTree {
	c := *b
	c.dir = dir
	return &c
}

// writeScript writes an executable shell script.
func (b *testTree) writeScript(path, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	// Another program writes the script. If this process had it open for writing, a child that
	// starts meanwhile would inherit the descriptor, and the script could not be executed.
	cmd := exec.Command("sh", "-c", `printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod 755 "$1"`, "sh", path, text)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v %s", err, out)
	}
}

// tryGit runs git with args and the additional variables env, and returns its output.
func (b *testTree) tryGit(env []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.dir, append(b.env[:len(b.env):len(b.env)], env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (b *testTree) git(args ...string) string {
	b.t.Helper()
	out, err := b.tryGit(nil, args...)
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (b *testTree) site() *githook.Site {
	b.t.Helper()
	r, err := git.OpenRepo(b.t.Context(), b.dir, b.env)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := githook.OpenSite(b.t.Context(), r, b.state())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// state returns the user's state directory, in which the scripts look for the program.
func (b *testTree) state() state.Dir {
	return state.NewDir(filepath.Join(filepath.Dir(b.log), ".local", "state", "checkrein"))
}

func (b *testTree) install(dir string) *githook.Plan {
	b.t.Helper()
	p, err := b.site().PlanInstall(b.t.Context(), dir, "", false)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.Apply(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *testTree) uninstall() *githook.Plan {
	b.t.Helper()
	p, err := b.site().PlanUninstall(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.Apply(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	return p
}

// takeLog returns what the programs logged since the last call.
func (b *testTree) takeLog() string {
	b.t.Helper()
	text, err := os.ReadFile(b.log)
	if err != nil {
		return ""
	}
	os.Remove(b.log)
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ")
}

// wantLog reports an error if the programs logged something other than want since the last call.
func (b *testTree) wantLog(want string) {
	b.t.Helper()
	if got := b.takeLog(); got != want {
		b.t.Errorf("ran %q, want %q", got, want)
	}
}

// snapshot returns the content and mode of each file of the tree, and of those in git's directory that
// a user may have written.
func (b *testTree) snapshot() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(b.dir, path)
		if d.IsDir() && (d.Name() == "objects" || d.Name() == "logs") {
			return fs.SkipDir
		}
		if d.Name() == "index" || d.Name() == "COMMIT_EDITMSG" || strings.HasPrefix(rel, ".git/refs") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if !d.IsDir() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		all[rel] = info.Mode().String() + "\n" + text
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

// wantSnapshot reports an error for each file that differs from before.
func (b *testTree) wantSnapshot(before map[string]string) {
	b.t.Helper()
	now := b.snapshot()
	for name, text := range before {
		if now[name] != text {
			b.t.Errorf("%s was\n%s\nand is\n%s", name, text, now[name])
		}
		delete(now, name)
	}
	for name := range now {
		b.t.Errorf("%s is left", name)
	}
}

// commit runs git commit with the additional variables env, and returns its error.
func (b *testTree) commit(env ...string) error {
	b.t.Helper()
	out, err := b.tryGit(env, "commit", "-q", "--allow-empty", "-m", "x")
	if err != nil {
		b.t.Log(out)
	}
	return err
}

func TestInstallWithoutHooks(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	before := b.snapshot()
	p := b.install("hooks")
	if len(p.Chained) != 0 || len(p.Warnings) != 0 {
		t.Errorf("chained %v, warnings %v", p.Chained, p.Warnings)
	}
	if again := b.install("hooks"); len(again.Steps) != 0 {
		t.Errorf("a second time: %+v", again.Steps)
	}
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	if err := b.commit("FAIL=3"); err == nil {
		t.Error("the commit was not refused")
	}
	b.takeLog()
	far := b.inDir(t.TempDir())
	far.git("init", "-q", "--bare")
	b.git("push", "-q", far.dir, "main", "main:other")
	b.wantLog("checkrein git pre-push " + far.dir + " " + far.dir + ";   ref refs/heads/main;   ref refs/heads/main")
	if out, err := b.tryGit([]string{"FAIL=1"}, "push", "-q", far.dir, "main:third"); err == nil {
		t.Errorf("the push was not refused: %s", out)
	}
	b.takeLog()
	st, err := b.site().Status(t.Context())
	if err != nil || !st.Installed || len(st.Problems)+len(st.Notes) != 0 || st.Dir != "hooks" {
		t.Errorf("status %+v, %v", st, err)
	}
	b.uninstall()
	b.wantSnapshot(before)
	if st, err := b.site().Status(t.Context()); err != nil || st.Installed {
		t.Errorf("status %+v, %v", st, err)
	}
	if p := b.uninstall(); len(p.Steps) != 0 {
		t.Errorf("nothing to undo, and yet %+v", p.Steps)
	}
}

// TestChainedHooks checks that hooks that existed before still run, get the same input and can refuse.
func TestChainedHooks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		path  string // core.hooksPath before
		hooks string // where they are
	}{
		{"git's own folder", "", ".git/hooks"},
		{"another directory", "my hooks", "my hooks"},
		{"the same directory", "hooks", "hooks"},
		{"the person's own", "~/all hooks", "~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestTree(t)
			dir := filepath.Join(b.dir, tt.hooks)
			switch {
			case tt.hooks == "~":
				dir = filepath.Join(strings.TrimPrefix(b.env[1], "HOME="), "all hooks")
				b.git("config", "--global", "core.hooksPath", tt.path)
			case tt.path != "":
				// Write the setting as a user would, which is not how git writes it.
				f, err := os.OpenFile(filepath.Join(b.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				f.WriteString("[core] # mine\n  hookspath= \"" + tt.path + "\"")
				f.Close()
			}
			b.writeScript(filepath.Join(dir, "pre-commit"), `echo "before pre-commit" >>"$LOG"; exit ${BEFORE:-0}`)
			b.writeScript(filepath.Join(dir, "pre-push"), `echo "before pre-push $#" >>"$LOG"; sed 's/ .*//; s/^/  heard /' >>"$LOG"; exit ${BEFORE:-0}`)
			b.writeScript(filepath.Join(dir, "commit-msg"), `echo "before commit-msg $(cat "$1")" >>"$LOG"; exit ${MSG:-0}`)
			before := b.snapshot()
			p := b.install("hooks")
			if want := 3; len(p.Chained) != want && tt.path != "hooks" {
				t.Errorf("chained %v", p.Chained)
			}
			if err := b.commit(); err != nil {
				t.Error(err)
			}
			b.wantLog("before pre-commit; checkrein git pre-commit; before commit-msg x")
			if err := b.commit("BEFORE=1"); err == nil {
				t.Error("the hook from before could not refuse")
			}
			b.wantLog("before pre-commit")
			if err := b.commit("FAIL=1"); err == nil {
				t.Error("checkrein could not refuse")
			}
			b.takeLog()
			if err := b.commit("MSG=1"); err == nil {
				t.Error("commit-msg could not refuse")
			}
			b.takeLog()
			far := b.inDir(t.TempDir())
			far.git("init", "-q", "--bare")
			b.git("push", "-q", far.dir, "main")
			b.wantLog("before pre-push 2;   heard refs/heads/main; checkrein git pre-push " + far.dir + " " + far.dir + ";   ref refs/heads/main")
			if _, err := b.tryGit([]string{"BEFORE=1"}, "push", "-q", far.dir, "main:two"); err == nil {
				t.Error("the hook from before could not refuse a push")
			}
			b.wantLog("before pre-push 2;   heard refs/heads/main")
			if again := b.install("hooks"); len(again.Steps) != 0 {
				t.Errorf("a second time: %+v", again.Steps)
			}
			st, err := b.site().Status(t.Context())
			if err != nil || !st.Installed || len(st.Problems)+len(st.Notes) != 0 || len(st.Chained) < 2 {
				t.Errorf("status %+v, %v", st, err)
			}
			b.uninstall()
			b.wantSnapshot(before)
			if err := b.commit(); err != nil {
				t.Error(err)
			}
			b.wantLog("before pre-commit; before commit-msg x")
		})
	}
}

// TestInactiveHooksStayInactive checks that hooks that git did not run before do not start to run.
func TestInactiveHooksStayInactive(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.writeScript(filepath.Join(b.dir, ".git", "hooks", "pre-commit"), `echo asleep >>"$LOG"; exit 1`)
	b.writeScript(filepath.Join(b.dir, "hooks", "commit-msg"), `echo awake >>"$LOG"`)
	b.git("config", "core.hooksPath", "hooks")
	before := b.snapshot()
	b.install("hooks")
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit; awake")
	b.uninstall()
	b.wantSnapshot(before)
	// If both names are taken, neither file is lost.
	full := newTestTree(t)
	full.writeScript(filepath.Join(full.dir, "hooks", "pre-commit"), "exit 0")
	full.writeScript(filepath.Join(full.dir, "hooks", "pre-commit.before"), "exit 0")
	full.git("config", "core.hooksPath", "hooks")
	if _, err := full.site().PlanInstall(t.Context(), "hooks", "", false); err == nil || !strings.Contains(err.Error(), "pre-commit.before") {
		t.Errorf("error %v", err)
	}
	// The directory may have that name and contain other files.
	other := newTestTree(t)
	other.writeScript(filepath.Join(other.dir, "hooks", "pre-commit"), "exit 0")
	if _, err := other.site().PlanInstall(t.Context(), "hooks", "", false); err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("error %v, want a remedy", err)
	}
	other.install("tools/git hooks")
	if err := other.commit(); err != nil {
		t.Error(err)
	}
	other.wantLog("checkrein git pre-commit")
}

// pathWithout returns PATH without program, which may be installed on this machine.
func pathWithout(t *testing.T, program string) string {
	t.Helper()
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for i, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			continue
		}
		others, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		dirs[i] = t.TempDir()
		for _, e := range others {
			if e.Name() == program {
				continue
			}
			if err := os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(dirs[i], e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func TestMissingProgramRefuses(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	b.env[0] = "PATH=" + pathWithout(t, "checkrein")
	out, err := b.tryGit(nil, "commit", "-q", "--allow-empty", "-m", "x")
	if err == nil || !strings.Contains(out, "pre-commit: checkrein was not found, so nothing was scanned or committed") || !strings.Contains(out, "/path/to/checkrein git install") {
		t.Errorf("%v: %s", err, out)
	}
	b.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "x")
	far := b.inDir(t.TempDir())
	far.git("init", "-q", "--bare")
	out, err = b.tryGit(nil, "push", "-q", far.dir, "main")
	if err == nil || !strings.Contains(out, "pre-push: checkrein was not found, so nothing was scanned or pushed") {
		t.Errorf("%v: %s", err, out)
	}
	program := filepath.Join(t.TempDir(), "a dir", "checkrein")
	b.writeScript(program, `echo "named $*" >>"$LOG"`)
	p, err := b.site().PlanInstall(t.Context(), "hooks", program, false)
	if err != nil || p.Apply(t.Context()) != nil {
		t.Fatal(err)
	}
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("named git pre-commit")
}

// TestRepositoryCannotChooseProgram checks that neither settings nor files of the repository determine
// which program scans it.
func TestRepositoryCannotChooseProgram(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	pass := filepath.Join(b.dir, "bin", "checkrein")
	b.writeScript(pass, "true")
	home := filepath.Dir(b.log)
	b.git("config", "checkrein.program", pass)
	b.git("config", "--global", "checkrein.program", pass)
	for name, env := range map[string][]string{
		"settings":              nil,
		"settings by variables": {"GIT_CONFIG_PARAMETERS='checkrein.program=" + pass + "'"},
		"a state in the tree":   {"XDG_STATE_HOME=" + filepath.Join(b.dir, "s")},
	} {
		b.writeScript(filepath.Join(b.dir, "s", "checkrein", "git-program"), "")
		if err := os.WriteFile(filepath.Join(b.dir, "s", "checkrein", "git-program"), []byte(pass+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := b.commit(env...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.wantLog("checkrein git pre-commit")
	}
	if _, err := b.tryGit(nil, "-c", "checkrein.program="+pass, "commit", "-q", "--allow-empty", "-m", "x"); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	for _, dir := range []string{filepath.Dir(pass), "bin", "./bin"} {
		out, err := b.tryGit([]string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "commit", "-q", "--allow-empty", "-m", "x")
		if err == nil || !strings.Contains(out, "checkrein was not found") {
			t.Errorf("PATH begins with %s: %v %s", dir, err, out)
		}
	}
	// If the named program is missing, the one in PATH runs.
	if err := b.state().Write("git-program", []byte(filepath.Join(home, "gone")+"\n")); err != nil {
		t.Fatal(err)
	}
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
}

// TestVariablesCannotChooseProgram checks that variables of git's caller do not determine which
// program scans if the account's home directory names one.
func TestVariablesCannotChooseProgram(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	account, away := t.TempDir(), t.TempDir()
	pass := filepath.Join(away, "pass")
	b.writeScript(pass, "true")
	program := filepath.Join(account, "bin", "checkrein")
	b.writeScript(program, `echo "account $*" >>"$LOG"`)
	for _, dir := range []string{away, filepath.Join(away, ".local", "state")} {
		if err := state.NewDir(filepath.Join(dir, "checkrein")).Write("git-program", []byte(pass+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	b.env = append(b.env, "TEST_ACCOUNT="+account)
	moved := []string{"XDG_STATE_HOME=" + away, "LOCALAPPDATA=" + away, "HOME=" + away}
	for _, v := range moved {
		if err := b.commit(v); err != nil { // a machine without the note goes by variables
			t.Errorf("%s: %v", v, err)
		}
		b.wantLog("")
	}
	if err := state.NewDir(filepath.Join(account, ".local", "state", "checkrein")).Write("git-program", []byte(program+"\n")); err != nil {
		t.Fatal(err)
	}
	for _, v := range moved {
		if err := b.commit(v); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		b.wantLog("account git pre-commit")
	}
}

// configuredScript is how a script of an older version found its program.
const configuredScript = `program=$(git config --type=path --get checkrein.program) && [ -x "$program" ] || program=checkrein
exec "$program" git pre-commit
`

// TestScriptWithConfiguredProgram checks that a script that a repository can disable is reported and
// updated.
func TestScriptWithConfiguredProgram(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	path := filepath.Join(b.dir, "hooks", "pre-commit")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "before=")
	b.writeScript(path, strings.TrimPrefix(head, "#!/bin/sh\n")+configuredScript)
	b.git("config", "checkrein.program", "/bin/true")
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("") // nothing was asked
	st, err := b.site().Status(t.Context())
	if err != nil || !st.Installed || len(st.Problems) != 1 || !strings.Contains(st.Problems[0], "run 'checkrein git install'") || len(st.Notes) != 1 {
		t.Fatalf("%+v, %v", st, err)
	}
	b.install("hooks")
	if out, err := b.tryGit(nil, "config", "--get", "checkrein.program"); err == nil {
		t.Errorf("the setting stays: %s", out)
	}
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	if st, err := b.site().Status(t.Context()); err != nil || len(st.Problems)+len(st.Notes) > 0 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestWorktreeAndSubmodule checks that working trees share the setting, and that a submodule has its
// own.
func TestWorktreeAndSubmodule(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.git("commit", "-q", "--allow-empty", "-m", "x")
	b.install("hooks")
	tree := b.inDir(filepath.Join(t.TempDir(), "linked tree"))
	b.git("worktree", "add", "-q", "-b", "linked", tree.dir)
	st, err := b.site().Status(t.Context())
	if err != nil || len(st.Problems) != 1 || !strings.Contains(st.Problems[0], tree.dir) {
		t.Errorf("status %+v, %v: want to hear of the tree without hooks", st, err)
	}
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "hooks")
	tree.git("merge", "-q", "main")
	b.takeLog()
	if err := tree.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	if st, err = tree.site().Status(t.Context()); err != nil || !st.Installed || len(st.Problems) != 0 {
		t.Errorf("status there %+v, %v", st, err)
	}
	inner := newTestTree(t)
	inner.git("commit", "-q", "--allow-empty", "-m", "x")
	b.git("submodule", "--quiet", "add", inner.dir, "sub mod")
	sub := b.inDir(filepath.Join(b.dir, "sub mod"))
	before := sub.snapshot()
	sub.install("hooks")
	if err := sub.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	sub.uninstall()
	sub.wantSnapshot(before)
	if st, err = b.site().Status(t.Context()); err != nil || len(st.Notes) != 1 || !strings.Contains(st.Notes[0], "sub mod") {
		t.Errorf("status %+v, %v: want to hear of the submodule", st, err)
	}
}

// TestClone checks that another clone, which has the scripts, needs only the setting.
func TestClone(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "hooks")
	c := b.inDir(filepath.Join(t.TempDir(), "clone"))
	b.git("clone", "-q", b.dir, c.dir)
	before := c.snapshot()
	c.install("hooks")
	b.takeLog()
	if err := c.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
	c.uninstall()
	c.wantSnapshot(before)
	c.git("config", "core.hooksPath", "hooks") // by hand
	if st, err := c.site().Status(t.Context()); err != nil || !st.Installed {
		t.Errorf("status %+v, %v", st, err)
	}
	c.uninstall()
	if out, err := c.tryGit(nil, "config", "--get", "core.hooksPath"); err == nil {
		t.Errorf("core.hooksPath is still %s", out)
	}
	// A script that is copied into git's own directory does not call itself forever.
	for _, name := range githook.OurHooks {
		text, err := os.ReadFile(filepath.Join(c.dir, "hooks", name))
		if err != nil {
			t.Fatal(err)
		}
		c.writeScript(filepath.Join(c.dir, ".git", "hooks", name), strings.TrimPrefix(string(text), "#!/bin/sh\n"))
	}
	b.takeLog()
	if err := c.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("checkrein git pre-commit")
}

// TestUninstallKeepsChanges checks that uninstalling keeps what the user changed after the
// installation.
func TestUninstallKeepsChanges(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	b.git("config", "user.name", "somebody")
	path := filepath.Join(b.dir, "hooks", "pre-push")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b.writeScript(path, strings.TrimPrefix(string(text), "#!/bin/sh\n")+"echo more")
	p := b.uninstall()
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "pre-push") {
		t.Errorf("warnings %v", p.Warnings)
	}
	if got := b.git("config", "--local", "--list", "--name-only"); strings.Contains(got, "checkrein") || strings.Contains(got, "hookspath") || !strings.Contains(got, "user.name") {
		t.Errorf("settings: %s", got)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "hooks", "pre-commit")); err == nil {
		t.Error("pre-commit is left")
	}
}

// TestReinstallKeepsChanges checks that installing again, because something was missing, does not make
// uninstalling revert settings that were made in between.
func TestReinstallKeepsChanges(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.install("hooks")
	b.git("remote", "add", "origin", "https://example.com/a.git")
	if err := os.Remove(filepath.Join(b.dir, "hooks", "pre-push")); err != nil {
		t.Fatal(err)
	}
	b.install("hooks")
	b.install("hooks")
	b.uninstall()
	if got := b.git("config", "--local", "--list", "--name-only"); strings.Contains(got, "hookspath") || !strings.Contains(got, "remote.origin.url") {
		t.Errorf("settings: %s", got)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "hooks")); err == nil {
		t.Error("the hooks are left")
	}
	// Without a change in between, everything is restored byte for byte.
	before := b.snapshot()
	b.install("hooks")
	if err := os.Remove(filepath.Join(b.dir, "hooks", "pre-commit")); err != nil {
		t.Fatal(err)
	}
	b.install("hooks")
	b.uninstall()
	b.wantSnapshot(before)
}

// TestReinstallKeepsChain checks that installing on a branch without the scripts writes them again,
// and that chained hooks still run.
func TestReinstallKeepsChain(t *testing.T) {
	t.Parallel()
	b := newTestTree(t)
	b.writeScript(filepath.Join(b.dir, ".git", "hooks", "pre-commit"), `echo "before pre-commit" >>"$LOG"`)
	b.install("hooks")
	for range 2 {
		b.git("config", "user.name", "somebody")
		if err := os.RemoveAll(filepath.Join(b.dir, "hooks")); err != nil {
			t.Fatal(err)
		}
		if p := b.install("hooks"); len(p.Chained) != 1 {
			t.Errorf("chained: %v", p.Chained)
		}
	}
	if err := b.commit(); err != nil {
		t.Error(err)
	}
	b.wantLog("before pre-commit; checkrein git pre-commit")
}

func TestHookManagerWarnings(t *testing.T) {
	t.Parallel()
	for file, word := range map[string]string{"lefthook.yml": "lefthook", ".pre-commit-config.yaml": "pre-commit", ".husky/pre-commit": "husky"} {
		b := newTestTree(t)
		b.writeScript(filepath.Join(b.dir, file), "")
		if p := b.install("hooks"); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], word) {
			t.Errorf("%s: %v", file, p.Warnings)
		}
	}
}

func TestCheckDir(t *testing.T) {
	t.Parallel()
	for dir, ok := range map[string]bool{"hooks": true, "./a/b": true, "a b": true, "..": false, "/x": false, ".": false, "": false, ".git/hooks": false, "../x": false} {
		if _, err := githook.CheckDir(dir); (err == nil) != ok {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

// TestInterruptedInstall checks that an installation that was killed half-way can be completed or
// undone.
func TestInterruptedInstall(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		b := newTestTree(t)
		b.writeScript(filepath.Join(b.dir, "hooks", "pre-commit"), `echo "before pre-commit" >>"$LOG"`)
		b.git("config", "core.hooksPath", "hooks")
		before := b.snapshot()
		plan := func() *githook.Plan {
			p, err := b.site().PlanInstall(t.Context(), "hooks", "", false)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := plan()
		if n > len(p.Steps) {
			return
		}
		if err := p.ApplyFirst(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			if err := plan().Apply(t.Context()); err != nil {
				t.Errorf("after %d steps: %v", n, err)
			}
			if err := b.commit(); err != nil {
				t.Error(err)
			}
			b.wantLog("before pre-commit; checkrein git pre-commit")
		}
		b.uninstall()
		now := b.snapshot()
		if now["hooks/pre-commit"] != before["hooks/pre-commit"] || now[".git/config"] != before[".git/config"] || len(now) != len(before) {
			t.Errorf("after %d steps: %d files became %d\n%s", n, len(before), len(now), now[".git/config"])
		}
	}
}
