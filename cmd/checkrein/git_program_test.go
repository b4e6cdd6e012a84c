package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// Variables in front of git name no other program, once git install has noted ours in the
// home of the user id; an installation with another home leaves nothing there.
func TestGitInstallRecordsProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("git and a POSIX shell are needed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, account, away, tree := filepath.Join(dir, "bin"), filepath.Join(dir, "account"), filepath.Join(dir, "away"), filepath.Join(dir, "tree")
	for _, d := range []string{bin, account, tree, filepath.Join(away, "checkrein"), filepath.Join(away, ".local", "state", "checkrein")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := built.For(account, bin, "checkrein", "checkreind"); err != nil {
		t.Fatal(err)
	}
	run := func(env []string, argv ...string) (string, error) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = tree
		cmd.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + account, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com"}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(env []string, argv ...string) {
		t.Helper()
		if out, err := run(env, argv...); err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, out)
		}
	}
	note := filepath.Join(account, ".local", "state", "checkrein", "git-program")
	must(nil, "git", "init", "-q")
	must([]string{"HOME=" + away}, filepath.Join(bin, "checkrein"), "git", "install", "--program", filepath.Join(bin, "checkrein"))
	if _, err := os.Stat(note); err == nil {
		t.Error("an installation with another home left a note")
	}
	must([]string{"XDG_STATE_HOME=" + filepath.Join(dir, "st")}, filepath.Join(bin, "checkrein"), "git", "install", "--program", filepath.Join(bin, "checkrein"))
	for _, file := range []string{note, filepath.Join(dir, "st", "checkrein", "git-program")} {
		if text, err := os.ReadFile(file); err != nil || string(text) != filepath.Join(bin, "checkrein")+"\n" {
			t.Errorf("%s: %v %q", file, err, text)
		}
	}
	for _, file := range []string{filepath.Join(away, "checkrein", "git-program"), filepath.Join(away, ".local", "state", "checkrein", "git-program")} {
		if err := os.WriteFile(file, []byte("/bin/true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, "x.txt"), []byte("key = gh"+"p_6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(nil, "git", "add", "x.txt")
	for _, v := range []string{"XDG_STATE_HOME=" + away, "LOCALAPPDATA=" + away, "HOME=" + away} {
		if out, err := run([]string{v}, "git", "commit", "-q", "-m", "x"); err == nil || !strings.Contains(out, "refuses the commit") {
			t.Errorf("%s: %v\n%s", v, err, out)
		}
	}
}
