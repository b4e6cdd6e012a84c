package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPushOfManyCommits pushes five thousand commits, in one of which a key was added that
// the next one removed. It takes no longer than their number says.
func TestPushOfManyCommits(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), filepath.Join(t.TempDir(), "a tree")
	env := []string{"HOME=" + home, "PATH=" + programs + ":" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
	run := func(stdin string, argv ...string) (string, *exec.Cmd, error) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(stdin)
		if argv[1] != "init" {
			cmd.Dir = dir
		}
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), cmd, err
	}
	must := func(stdin string, argv ...string) string {
		t.Helper()
		out, _, err := run(stdin, argv...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
		return out
	}
	must("", "git", "init", "-q", "-b", "main", dir)
	must(history(5000, 2000, "key = "+"ghp"+"_6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ"), "git", "fast-import", "--quiet")
	pushed := func(commit string) string {
		return fmt.Sprintf("refs/heads/main %s refs/heads/main %s\n", must("", "git", "rev-parse", commit), strings.Repeat("0", 40))
	}
	refs, part := pushed("main"), pushed("main~4375")
	out, cmd, err := run(part, filepath.Join(programs, "checkrein"), "git", "pre-push", "origin", "nowhere")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	eighth := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	out, cmd, err = run(refs, filepath.Join(programs, "checkrein"), "git", "pre-push", "origin", "nowhere")
	if err == nil || !strings.Contains(out, "key:1:7: github-pat (secret) in commit") || !strings.Contains(out, "scanned 5000 commits, 5001 files") {
		t.Fatalf("%v: %s", err, out)
	}
	// The programs that it runs count too.
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("%v of processor time, %v for an eighth", took, eighth)
	if took > 32*eighth {
		t.Errorf("it took %v of processor time, and an eighth of the commits %v", took, eighth)
	}
}

// history is a stream for git fast-import of commits that change a file each; a
// key is in one of them only.
func history(commits, bad int, key string) string {
	var b strings.Builder
	data := func(s string) { fmt.Fprintf(&b, "data %d\n%s\n", len(s), s) }
	for i := range commits {
		fmt.Fprintf(&b, "commit refs/heads/main\nauthor A <a@example.com> %d +0000\ncommitter A <a@example.com> %d +0000\n", 1e9+i, 1e9+i)
		data(fmt.Sprintf("commit %d", i))
		fmt.Fprintf(&b, "M 100644 inline dir%d/file %d\n", i%50, i%500)
		data(strings.Repeat(fmt.Sprintf("line of content %d\n", i), 20))
		switch i {
		case bad:
			b.WriteString("M 100644 inline key\n")
			data(key)
		case bad + 1:
			b.WriteString("D key\n")
		}
	}
	return b.String()
}
