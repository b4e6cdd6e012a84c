//go:build unix

package prove_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

const canary = "the-persons-own-secret"

// tree returns every file below dir, with its mode, time and contents.
func tree(t *testing.T, dir, without string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == without {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%s %s %x", info.Mode(), info.ModTime(), sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCommand runs the program as a user does. A proof leaves a home directory unchanged except for
// the state, and uses nothing of it. One that is interrupted at any time leaves no process, no file
// and no proof.
func TestCommand(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	home, tmp := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".claude/settings.json": `{"env":{"TOKEN":"` + canary + `"}}`, ".claude/CLAUDE.md": canary, "CLAUDE.md": canary,
		".claude/.credentials.json": `{"key":"` + canary + `"}`, ".claude.json": `{"oauth":"` + canary + `"}`,
		"work/CLAUDE.md": canary, ".config/checkrein/checkrein.yaml": "version: 1\n# " + canary + "\n", ".gitconfig": "[user]\nname = " + canary + "\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := t.TempDir()
	faketest.Put(t, program, filepath.Join(bin, "claude"), fakehost.Build{})
	state := filepath.Join(home, ".local", "state", "checkrein")
	command := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd, out := exec.Command(filepath.Join(programs, "checkreind"), append([]string{"prove"}, args...)...), new(bytes.Buffer)
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(home, "work"), out, out
		cmd.Env = []string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=" + bin + ":/usr/bin:/bin", "ANTHROPIC_API_KEY=" + canary}
		return cmd, out
	}
	before := tree(t, home, state)
	empty := func(when string) {
		t.Helper()
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", when, left, err)
		}
		if after := tree(t, home, state); !maps.Equal(before, after) {
			t.Errorf("%s: the home changed: %v, was %v", when, after, before)
		}
		running, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range running {
			if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte("HOME="+tmp)) {
				t.Errorf("%s: %s still runs", when, filepath.Dir(path))
			}
		}
	}
	var whole time.Duration
	cmd, out := command("claude")
	began := time.Now()
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "25 of 25 rows are honoured") {
		t.Fatalf("%v\n%s", err, out)
	}
	whole = time.Since(began)
	empty("a proof")
	for path := range tree(t, state, "") {
		b, err := os.ReadFile(path)
		if err != nil || bytes.Contains(b, []byte(canary)) {
			t.Errorf("%s has something of the person's: %v", path, err)
		}
	}
	cmd, out = command("claude", "--show", "--json")
	var shown struct {
		Proofs []struct{ Evidence []prove.Evidence }
	}
	if err := cmd.Run(); err != nil || json.Unmarshal(out.Bytes(), &shown) != nil || len(shown.Proofs) != 1 || len(shown.Proofs[0].Evidence) != 16 {
		t.Fatalf("%v: want one proof with four pieces of evidence for each of four runs\n%s", err, out)
	}
	for _, e := range shown.Proofs[0].Evidence {
		cmd, out := command("--show", e.Digest[:12])
		if err := cmd.Run(); err != nil || out.Len() == 0 {
			t.Errorf("%s of run %d: %v\n%s", e.Kind, e.Run, err, out)
		}
	}
	kept := tree(t, filepath.Join(state, "proofs"), "")
	for i := range 5 {
		cmd, out := command("claude")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		at := time.Duration(rand.Int64N(int64(whole)*3/4)) + 50*time.Millisecond
		time.Sleep(at)
		_ = cmd.Process.Signal([]os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[i%3])
		err := cmd.Wait()
		when := fmt.Sprintf("ended after %s of %s (%v)", at, whole, err)
		if err == nil { // it was done by then
			kept = tree(t, filepath.Join(state, "proofs"), "")
		}
		empty(when)
		if now := tree(t, filepath.Join(state, "proofs"), ""); !maps.Equal(kept, now) {
			t.Errorf("%s: something was kept\n%s", when, out)
		}
	}
}
